"""What a check finds, and that it finds nothing in what the store itself writes."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from covel_host.proposals.commit import commit_execution
from covel_host.store.check import MAX_EXAMPLES, check_database
from covel_host.store.errors import StoreError
from covel_host.store.forks import ForkIds, fork_session
from covel_host.store.snapshots import keep_snapshot
from covel_host.store.store import Store
from covel_host.store.turns import put_turn
from tests.proposals.builders import full_commit, with_session
from tests.store.builders import at, options, turn


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database with three turns, a snapshot by hand and a fork."""
    store = with_session(Store.open(options(tmp_path)))
    for number in (1, 2, 3):
        commit = full_commit(f"t{number}")
        store.transaction_now(lambda transaction: commit_execution(transaction, commit))  # noqa: B023
    new = ForkIds(session_id="s2", incarnation="second", snapshot_id="fork")
    store.transaction_now(
        lambda transaction: keep_snapshot(transaction, "s1", snapshot_id="mine", at=at())
    )
    store.transaction_now(lambda transaction: fork_session(transaction, "s1", 2, new=new, at=at()))
    store.close()
    return store.path


def change(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as driver:
        for statement in statements:
            assert driver.execute(statement).rowcount != 0, statement


def test_what_the_store_writes_is_sound(path: Path) -> None:
    report = check_database(path)
    assert report.findings == ()
    assert (report.is_sound, report.sessions) == (True, 2)


def test_a_database_is_checked_beside_its_writer(path: Path) -> None:
    store = Store.open(options(path.parent))
    pending = turn("t9")

    def body(transaction: object) -> None:
        put_turn(transaction, pending)  # type: ignore[arg-type]
        assert check_database(path).findings == ()

    store.transaction_now(body)
    store.close()
    (finding,) = check_database(path).findings
    assert (finding.kind, finding.severity) == ("pending-turns", "note")
    assert check_database(path).is_sound


@pytest.mark.parametrize(
    ("kind", "statement"),
    [
        ("foreign-keys", "DELETE FROM turns WHERE turn_id = 't2'"),
        ("revisions", "UPDATE session_revisions SET revision = 7 WHERE revision = 3"),
        ("revisions", "UPDATE turns SET revision = 9 WHERE turn_id = 't3'"),
        ("revisions", "DELETE FROM session_revisions WHERE session_id = 's2'"),
        ("snapshots", "UPDATE snapshots SET revision = 99 WHERE kind = 'manual'"),
        ("versions", "UPDATE plugin_data SET version = 99 WHERE key = 'lamp'"),
        ("versions", "UPDATE plugin_data_old SET valid_to = 99 WHERE valid_to = 3"),
        ("versions", "UPDATE plugin_data_old SET version = valid_to"),
    ],
)
def test_what_does_not_fit_together_is_found(path: Path, kind: str, statement: str) -> None:
    change(path, statement)
    report = check_database(path)
    assert kind in {finding.kind for finding in report.findings}
    assert not report.is_sound


def test_many_findings_of_a_kind_are_counted(path: Path) -> None:
    store = Store.open(options(path.parent))
    store.close()
    rows = ", ".join(
        f"('x{number}', 'i', 'active', 'playing', 0, 5, 'en', '[]', '{{}}', '', '')"
        for number in range(MAX_EXAMPLES + 4)
    )
    change(
        path,
        "INSERT INTO sessions (session_id, incarnation, status, phase, completed_player_turns, "
        f"revision, locale, active_packages, metadata, created_at, updated_at) VALUES {rows}",
    )
    findings = check_database(path).findings
    assert len(findings) == MAX_EXAMPLES + 1
    assert findings[-1].message == "And 4 more like these."


def test_a_damaged_page_is_found(path: Path) -> None:
    content = bytearray(path.read_bytes())
    page = 4096 * (len(content) // 4096 // 2)
    content[page : page + 4096] = b"\xff" * 4096
    path.write_bytes(content)
    report = check_database(path)
    assert not report.is_sound
    assert report.findings[0].kind == "integrity"


def test_another_schema_is_said_and_its_rows_are_left_alone(path: Path) -> None:
    change(path, "UPDATE alembic_version SET version_num = '0999'")
    (finding,) = check_database(path).findings
    assert (finding.kind, finding.severity) == ("schema-revision", "note")
    assert "'0999'" in finding.message


def test_nothing_to_check_is_an_error_that_says_so(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no database") as missing:
        check_database(tmp_path / "covel.db")
    assert missing.value.code == "store-missing"
    (tmp_path / "text.db").write_text("no database at all\n" * 100)
    with pytest.raises(StoreError, match="cannot be used"):
        check_database(tmp_path / "text.db")
