"""Files of a package told apart by content."""

import os
from pathlib import Path

import pytest

from covel_host.catalog import watching_files
from covel_host.catalog.watching_files import changed_files, read_files, read_stamps


def write(root: Path, **files: str) -> Path:
    for name, text in files.items():
        (root / f"{name}.py").write_text(text)
    return root


def kinds(root: Path, before: watching_files.PackageFiles | None) -> dict[str, str]:
    return {found.file: found.kind for found in changed_files(before, read_files(root))}


def test_added_changed_and_removed_files_are_told_apart(tmp_path: Path) -> None:
    before = read_files(write(tmp_path, a="1", b="1", c="1"))
    write(tmp_path, a="2", d="1")
    (tmp_path / "b.py").unlink()
    assert kinds(tmp_path, before) == {"a.py": "changed", "b.py": "removed", "d.py": "added"}


def test_an_edit_with_the_old_stamps_is_seen_while_the_file_is_young(tmp_path: Path) -> None:
    write(tmp_path, a="1")
    before = read_files(tmp_path)
    assert before is not None
    assert not before.is_settled
    stamps = read_stamps(tmp_path)
    write(tmp_path, a="2")
    # As if the clock of the file system had not ticked in between.
    assert stamps.keys() == read_stamps(tmp_path).keys()
    same = watching_files.PackageFiles(
        tmp_path,
        {
            name: watching_files.ReadFile(stamp, before.files[name].digest, is_settled=False)
            for name, stamp in read_stamps(tmp_path).items()
        },
    )
    assert [found.kind for found in changed_files(same, read_files(tmp_path, known=same))] == [
        "changed"
    ]


def test_a_settled_file_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, a="1")
    monkeypatch.setattr(watching_files, "SETTLED_AFTER_S", -1.0)
    before = read_files(tmp_path)
    assert before is not None
    assert before.is_settled
    monkeypatch.setattr(watching_files, "_digest", lambda path: pytest.fail(f"read {path}"))
    assert read_files(tmp_path, known=before) == before


def test_a_file_that_changes_while_it_is_read_gives_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, a="1")
    digest = watching_files._digest

    def slow(path: Path) -> bytes:
        half = digest(path)
        write(tmp_path, a="the other half")
        return half

    monkeypatch.setattr(watching_files, "_digest", slow)
    assert read_files(tmp_path) is None
    assert read_files(tmp_path, accepts_half=True) is not None


def test_links_inside_are_files_and_links_to_folders_are_where_they_lead(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    write(tmp_path / "one", a="1")
    (tmp_path / "b.py").symlink_to("one/a.py")
    (tmp_path / "lib").symlink_to("one")
    before = read_files(tmp_path)
    assert before is not None
    assert sorted(before.files) == ["b.py", "lib", "one/a.py"]
    (tmp_path / "lib").unlink()
    (tmp_path / "lib").symlink_to("two")
    assert kinds(tmp_path, before) == {"lib": "changed"}


def test_a_link_in_a_circle_ends(tmp_path: Path) -> None:
    (tmp_path / "self").symlink_to(tmp_path)
    (tmp_path / "loop.py").symlink_to("loop.py")
    found = read_files(tmp_path)
    assert found is not None
    assert list(found.files) == ["self"]


def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    assert read_stamps(tmp_path) == {}


def test_a_file_that_cannot_be_read_differs_from_one_that_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, a="1")
    before = read_files(tmp_path)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    assert kinds(tmp_path, before) == {"a.py": "changed"}


def test_a_folder_that_is_gone_has_no_files(tmp_path: Path) -> None:
    assert read_stamps(tmp_path / "gone") == {}
