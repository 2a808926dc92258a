from pathlib import Path

import pytest

from covel_host.catalog.sources import SourcesError, read_sources


def write(root: Path, **files: str) -> Path:
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_py", ".py").replace("_md", ".md")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def test_the_hash_follows_what_the_package_does_and_nothing_else(tmp_path: Path) -> None:
    root = write(tmp_path / "p", PLUGIN_md="---\n---\n", server__index_py="a = 1\n")
    before = read_sources(root)
    (root / "__pycache__").mkdir()
    (root / "__pycache__" / "x.py").write_text("")
    (root / ".git").mkdir()
    (root / ".git" / "hook.py").write_text("")
    (root / "picture.png").write_bytes(b"\x89PNG")
    assert read_sources(root) == before
    (root / "server" / "index.py").write_text("a = 2\n")
    assert read_sources(root).content_hash != before.content_hash


def test_moving_bytes_between_files_changes_the_hash(tmp_path: Path) -> None:
    first = write(tmp_path / "a", one_py="ab", two_py="c")
    second = write(tmp_path / "b", one_py="a", two_py="bc")
    assert read_sources(first).content_hash != read_sources(second).content_hash


def test_a_link_out_of_the_package_is_refused(tmp_path: Path) -> None:
    root = write(tmp_path / "p", PLUGIN_md="")
    (tmp_path / "outside.py").write_text("")
    (root / "index.py").symlink_to(tmp_path / "outside.py")
    with pytest.raises(SourcesError, match="leads out of the package") as caught:
        read_sources(root)
    assert caught.value.file == "index.py"


def test_a_link_in_a_circle_ends(tmp_path: Path) -> None:
    root = write(tmp_path / "p", lib__a_py="")
    (root / "lib" / "again").symlink_to(root, target_is_directory=True)
    assert list(read_sources(root).modules) == ["lib/a.py"]


def test_a_huge_file_is_refused(tmp_path: Path) -> None:
    root = write(tmp_path / "p", big_py="")
    with (root / "big.py").open("wb") as file:
        file.truncate(10 * 1024 * 1024 + 1)
    with pytest.raises(SourcesError, match="10485761 bytes"):
        read_sources(root)
