"""`covel db`: what a check prints, what a backup writes."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from covel_host.store.schema import HEAD
from covel_host.store.store import Store
from tests.cli.support import Covel
from tests.proposals.builders import with_session
from tests.store.builders import options


@pytest.fixture
def database(home: Path) -> Path:
    store = with_session(Store.open(options(home)))
    store.close()
    return store.path


def test_a_sound_database_is_said_to_be(covel: Covel, database: Path) -> None:
    called = covel("db", "check")
    assert (called.code, called.err) == (0, "")
    assert called.out == f"{database}: sound, 1 session, schema {HEAD}\n"
    assert covel("db", "check", "--json").json == {
        "path": str(database),
        "schemaRevision": HEAD,
        "sessions": 1,
        "isSound": True,
        "findings": [],
    }


def test_findings_are_listed_and_errors_fail_the_command(covel: Covel, database: Path) -> None:
    with closing(sqlite3.connect(database, isolation_level=None)) as driver:
        driver.execute("UPDATE sessions SET revision = 4")
    called = covel("db", "check")
    assert called.code == 1
    assert called.out.startswith("error: Session 's1' is at revision 4")
    assert called.out.endswith(f"{database}: damaged, 1 session, schema {HEAD}\n")
    document = covel("db", "check", "--json")
    assert document.code == 1
    assert document.json["isSound"] is False
    assert [item["kind"] for item in document.json["findings"]] == ["revisions"]


def test_a_backup_is_a_new_file(covel: Covel, database: Path, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    called = covel("db", "backup", target)
    size = target.stat().st_size
    assert (called.code, called.out) == (0, f"{target}: {size:,} bytes, schema {HEAD}\n")
    again = covel("db", "backup", target, "--json")
    assert again.code == 1
    assert again.json["error"]["code"] == "backup-target"
    other = covel("db", "backup", tmp_path / "other.db", "--json")
    assert other.json == {
        "path": str(tmp_path / "other.db"),
        "sizeBytes": size,
        "schemaRevision": HEAD,
    }


@pytest.mark.parametrize("arguments", [("check",), ("backup", "copy.db")])
def test_no_database_yet_is_said_without_making_one(
    covel: Covel, home: Path, arguments: tuple[str, ...]
) -> None:
    called = covel("db", *arguments, "--json")
    assert called.code == 1
    assert called.json["error"]["code"] == "store-missing"
    assert not home.exists()
