"""Backups: whole, of one committed state, and never over something else."""

import errno
import os
import sqlite3
from pathlib import Path

import pytest

from covel_host.store.backup import BackupTargetError, back_up
from covel_host.store.check import check_database
from covel_host.store.errors import StoreError
from covel_host.store.schema import HEAD
from covel_host.store.sessions import insert_session, list_sessions
from covel_host.store.store import Store
from covel_host.store.transaction import Transaction
from tests.proposals.builders import with_session
from tests.store.builders import options, session


@pytest.fixture
def store(tmp_path: Path) -> Store:
    (tmp_path / "home").mkdir()
    return with_session(Store.open(options(tmp_path / "home")))


def test_a_backup_is_made_beside_a_writer_and_opens_as_a_store(
    store: Store, tmp_path: Path
) -> None:
    target = tmp_path / "copies" / "covel.db"
    target.parent.mkdir()

    def body(transaction: Transaction) -> None:
        insert_session(transaction, session("uncommitted"))
        report = back_up(store.path, target)
        assert (report.path, report.schema_revision) == (target, HEAD)
        assert report.size_bytes == target.stat().st_size

    store.transaction_now(body)
    store.close()
    assert [item.name for item in target.parent.iterdir()] == ["covel.db"]
    assert check_database(target).is_sound
    copy = Store.open(options(target.parent))
    assert copy.read_now(list_sessions) == [session()]
    copy.close()


def test_nothing_is_ever_overwritten(store: Store, tmp_path: Path) -> None:
    target = tmp_path / "precious"
    target.write_text("precious")
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "nowhere")
    for taken in (target, link, store.path):
        with pytest.raises(BackupTargetError, match="a file of that name"):
            back_up(store.path, taken)
    assert target.read_text() == "precious"
    assert not (tmp_path / "nowhere").exists()
    store.close()


def test_a_name_taken_while_copying_is_not_overwritten(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "copy.db"

    class Racing(sqlite3.Connection):
        def execute(self, *arguments: object) -> sqlite3.Cursor:
            target.write_text("theirs")
            return super().execute(*arguments)  # type: ignore[arg-type]

    connect = sqlite3.connect
    monkeypatch.setattr(
        sqlite3, "connect", lambda *a, **options: connect(*a, factory=Racing, **options)
    )
    with pytest.raises(BackupTargetError):
        back_up(store.path, target)
    assert target.read_text() == "theirs"
    monkeypatch.undo()
    store.close()
    assert sorted(item.name for item in tmp_path.iterdir()) == ["copy.db", "home"]


def test_a_file_system_without_second_names_gets_a_renamed_file(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_arguments: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    back_up(store.path, tmp_path / "copy.db")
    store.close()
    assert sorted(item.name for item in tmp_path.iterdir()) == ["copy.db", "home"]
    assert check_database(tmp_path / "copy.db").sessions == 1


def test_a_folder_that_is_not_there_is_named(store: Store, tmp_path: Path) -> None:
    with pytest.raises(BackupTargetError, match="No such file or directory"):
        back_up(store.path, tmp_path / "nowhere" / "copy.db")
    store.close()


def test_nothing_to_back_up_is_an_error_and_makes_no_file(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no database"):
        back_up(tmp_path / "covel.db", tmp_path / "copy.db")
    assert list(tmp_path.iterdir()) == []
