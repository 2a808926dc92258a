import os
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
    with pytest.raises(SourcesError, match="has more than 10 MB"):
        read_sources(root)


def test_links_that_lead_to_each_other_end(tmp_path: Path) -> None:
    root = write(tmp_path / "p", a__one_py="", b__two_py="")
    (root / "a" / "to_b").symlink_to("../b")
    (root / "b" / "to_a").symlink_to("../a")
    assert sorted(read_sources(root).modules) == [
        "a/one.py",
        "a/to_b/two.py",
        "b/to_a/one.py",
        "b/two.py",
    ]


@pytest.mark.parametrize("target", ["self.py", "gone.py"])
def test_a_link_that_leads_nowhere_is_named(tmp_path: Path, target: str) -> None:
    root = write(tmp_path / "p", PLUGIN_md="")
    (root / "self.py").symlink_to(target)
    with pytest.raises(SourcesError, match=r"'self\.py' is a symbolic link that leads nowhere"):
        read_sources(root)


def test_links_that_multiply_are_counted_not_followed_for_ever(tmp_path: Path) -> None:
    root = write(tmp_path / "p", l9__x_py="")
    for level in range(9):
        (root / f"l{level}").mkdir()
        for link in "abcdef":
            (root / f"l{level}" / link).symlink_to(f"../l{level + 1}")
    with pytest.raises(SourcesError, match="more than 5000 files and folders"):
        read_sources(root)


def test_more_files_than_the_limit_are_refused_and_others_do_not_count(tmp_path: Path) -> None:
    root = tmp_path / "p"
    root.mkdir()
    for number in range(5_000):
        (root / f"{number}.py").touch()
        (root / f"{number}.png").touch()
    assert len(read_sources(root).modules) == 5_000
    (root / "one.json").touch()
    with pytest.raises(SourcesError, match="more than 5000 files and folders"):
        read_sources(root)


def test_all_sources_together_have_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("covel_host.catalog.sources.MAX_TOTAL_BYTES", 3)
    root = write(tmp_path / "p", a_py="12", b_py="34")
    with pytest.raises(SourcesError, match="sources have more than"):
        read_sources(root)


def test_a_pipe_is_no_source(tmp_path: Path) -> None:
    root = write(tmp_path / "p", a_py="")
    os.mkfifo(root / "pipe.py")
    assert list(read_sources(root).modules) == ["a.py"]


def test_a_name_that_is_no_utf8_counts_and_can_be_told(tmp_path: Path) -> None:
    root = write(tmp_path / "p", a_py="")
    before = read_sources(root).content_hash
    raw = os.fsencode(root) + b"/\xff.py"
    with open(raw, "wb"):
        pass
    assert read_sources(root).content_hash != before
    with open(raw, "wb") as file:
        file.truncate(10 * 1024 * 1024 + 1)
    with pytest.raises(SourcesError) as caught:
        read_sources(root)
    caught.value.file.encode()
    caught.value.message.encode()


def test_a_file_the_system_refuses_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write(tmp_path / "p", lib__a_py="")

    def refuse(*arguments: object, **options: object) -> object:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(SourcesError, match=r"'lib/a\.py' cannot be read: Permission denied"):
        read_sources(root)
    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(SourcesError, match="The package's folder cannot be read"):
        read_sources(root)
