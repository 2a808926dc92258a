"""The vectors here are the shared ones, byte for byte, where the shared folder lies beside us."""

from pathlib import Path

import pytest

OURS = Path(__file__).parent / "cases"
SHARED = Path(__file__).parent.parent.parent / "shared" / "cases"


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.skipif(
    not SHARED.is_dir(), reason="the shared vectors do not lie beside this checkout"
)
def test_the_vectors_have_not_drifted() -> None:
    ours, shared = contents(OURS), contents(SHARED)
    assert sorted(ours) == sorted(shared)
    assert [name for name in shared if ours[name] != shared[name]] == []


def test_byte_exact_vectors_kept_their_bytes() -> None:
    assert (OURS / "manifests/byte-order-mark/PLUGIN.md").read_bytes().startswith(b"\xef\xbb\xbf")
    assert b"\r\n" in (OURS / "manifests/crlf-line-ends/PLUGIN.md").read_bytes()
