"""A fork begins as its session was at a kept revision, and shares nothing with it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from covel_host.store import forks
from covel_host.store.errors import RevisionNotKeptError, ScopeConflictError, SessionNotFoundError
from covel_host.store.forks import ForkIds, ForkTooLargeError, fork_session
from covel_host.store.messages import append_messages, get_message, list_messages
from covel_host.store.plugin_data import list_data
from covel_host.store.records import SessionRecord
from covel_host.store.sessions import (
    delete_session,
    get_session,
    insert_session,
    require_session,
    update_session,
)
from covel_host.store.snapshots import (
    keep_auto_snapshot,
    keep_snapshot,
    list_snapshots,
    session_at_revision,
)
from covel_host.store.store import Store
from covel_host.store.tables import APPENDED_TABLES, METADATA
from covel_host.store.transaction import Reading, Transaction
from covel_host.store.turns import count_logical_turn
from covel_host.store.versioned import versioned_tables
from tests.store.builders import at, message, options, session
from tests.store.test_snapshots import play

NEW = ForkIds(session_id="s2", incarnation="second", snapshot_id="fork-1")
NOT_COPIED = {
    "sessions",
    "session_revisions",
    "snapshots",
    "turns",
    "tool_calls",
    "trace_events",
    "prompt_parts",
    "media_assets",
    "posted_messages",
    "outside_inputs",
    "removed_rows",
    "memory_vector_models",
    "memory_vectors",
    "recordings",
    "jobs",
}
"""Rows that a fork makes itself, can make again, or leaves to the session whose executions they
tell of."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store.open(options(tmp_path))
    opened.transaction_now(lambda transaction: insert_session(transaction, session()))
    yield opened
    opened.close()


def story(transaction: Transaction) -> None:
    """Three turns, each with a message and a changed record."""
    for number in (1, 2, 3):
        append_messages(transaction, [message(f"m{number}", revision=number)])
        count_logical_turn(transaction, "s1", f"t{number}", turn_id=f"t{number}", revision=number)
        play(transaction, {"lamp": number, f"of-{number}": number})


def fork(store: Store, revision: int, **changes: Any) -> SessionRecord:
    return store.transaction_now(
        lambda transaction: fork_session(
            transaction, "s1", revision, new=changes.pop("new", NEW), at=at(99), **changes
        )
    )


def shown(reading: Reading, session_id: str) -> tuple[list[str], dict[str, tuple[object, int]]]:
    records = list_data(reading, session_id, "echo-demo", "notes")
    return (
        [item.content for item in list_messages(reading, session_id)],
        {record.key: (record.value, record.version) for record in records},
    )


def test_a_fork_shows_what_the_revision_showed(store: Store) -> None:
    store.transaction_now(story)
    forked = fork(store, 2)
    assert (forked.session_id, forked.incarnation, forked.revision) == ("s2", "second", 2)
    assert (forked.completed_player_turns, forked.created_at) == (2, at(99))
    assert store.read_now(lambda reading: require_session(reading, "s2")) == forked
    assert store.read_now(lambda reading: shown(reading, "s2")) == (
        ["content of m1", "content of m2"],
        {"lamp": (2, 2), "of-1": (1, 1), "of-2": (2, 2)},
    )
    assert store.read_now(lambda reading: session_at_revision(reading, "s2", 2)) == forked


def test_fork_and_source_go_their_own_ways(store: Store) -> None:
    def diverge(transaction: Transaction) -> None:
        forked = require_session(transaction, "s2")
        append_messages(transaction, [message("other", "s2", revision=3)])
        assert count_logical_turn(transaction, "s2", "t3", turn_id="t3", revision=3)
        assert not count_logical_turn(transaction, "s2", "t2", turn_id="t9", revision=3)
        keep_auto_snapshot(transaction, forked, at=at(100))
        delete_session(transaction, "s1")

    store.transaction_now(story)
    before = store.read_now(lambda reading: shown(reading, "s1"))
    fork(store, 2)
    assert store.read_now(lambda reading: shown(reading, "s1")) == before
    store.transaction_now(diverge)
    assert store.read_now(lambda reading: shown(reading, "s2"))[0] == [
        "content of m1",
        "content of m2",
        "content of other",
    ]
    assert store.read_now(lambda reading: get_message(reading, "m1")) is None


def test_the_snapshot_a_fork_came_from_is_never_pruned(store: Store) -> None:
    def later(transaction: Transaction) -> None:
        for number in range(10):
            play(transaction, {"lamp": number}, limit=2)

    store.transaction_now(story)
    fork(store, 2)
    store.transaction_now(later)
    (parent,) = [
        item
        for item in store.read_now(lambda reading: list_snapshots(reading, "s1"))
        if item.kind == "manual"
    ]
    (own,) = store.read_now(lambda reading: list_snapshots(reading, "s2"))
    assert parent.revision == 2
    assert (own.kind, own.revision, own.parent_id) == ("fork", 2, parent.snapshot_id)


def test_a_fork_of_a_fork_has_message_ids_of_its_own(store: Store) -> None:
    store.transaction_now(story)
    fork(store, 3)
    third = ForkIds(session_id="s3", incarnation="third", snapshot_id="fork-2")
    store.transaction_now(
        lambda transaction: fork_session(transaction, "s2", 3, new=third, at=at(99))
    )
    messages = store.read_now(lambda reading: list_messages(reading, "s3"))
    assert [item.message_id for item in messages] == [
        "message-s3-1",
        "message-s3-2",
        "message-s3-3",
    ]


def test_the_newest_revision_can_be_forked_without_a_snapshot(store: Store) -> None:
    def body(transaction: Transaction) -> None:
        play(transaction, {"lamp": 1}, is_kept=False)
        ended = require_session(transaction, "s1")
        update_session(transaction, session(status="ended", metadata={"note": "灯"}))
        assert ended.status == "active"

    store.transaction_now(body)
    forked = fork(store, 1)
    assert (forked.status, forked.metadata) == ("paused", {"note": "灯"})
    (own,) = store.read_now(lambda reading: list_snapshots(reading, "s2"))
    assert own.parent_id is None


@pytest.mark.parametrize("revision", [0, 1, 9])
def test_a_revision_that_is_not_kept_is_refused(store: Store, revision: int) -> None:
    def body(transaction: Transaction) -> None:
        for _ in range(3):
            play(transaction, is_kept=False)

    store.transaction_now(body)
    with pytest.raises(RevisionNotKeptError):
        fork(store, revision)


def test_an_unknown_session_and_a_taken_id_are_refused_and_change_nothing(store: Store) -> None:
    store.transaction_now(story)
    taken = ForkIds(session_id="s1", incarnation="x", snapshot_id="x")
    with pytest.raises(ScopeConflictError):
        fork(store, 2, new=taken)
    with pytest.raises(SessionNotFoundError):
        store.transaction_now(
            lambda transaction: fork_session(transaction, "nobody", 0, new=NEW, at=at())
        )
    snapshots = store.read_now(lambda reading: list_snapshots(reading, "s1"))
    assert {item.kind for item in snapshots} == {"auto"}


def test_a_fork_over_its_limit_is_refused_and_nothing_is_left(store: Store) -> None:
    store.transaction_now(story)
    rows_at_2 = 2 + 2 + 3
    fork(store, 2, max_rows=rows_at_2)
    third = ForkIds(session_id="s3", incarnation="third", snapshot_id="fork-2")
    with pytest.raises(ForkTooLargeError, match="more than 6 rows"):
        fork(store, 2, new=third, max_rows=rows_at_2 - 1)
    assert store.read_now(lambda reading: get_session(reading, "s3")) is None


def test_media_of_the_source_may_be_used_by_the_fork(store: Store) -> None:
    def body(transaction: Transaction) -> None:
        keep_snapshot(transaction, "s1", snapshot_id="mine", at=at())
        driver = transaction._driver
        for media_id, owner in (("owned", "s1"), ("both", "s1"), ("referred", None)):
            driver.execute(
                "INSERT INTO media_assets VALUES (?, 'image/png', 1, '{}', ?, 'p', '2026')",
                (media_id, owner),
            )
        for media_id in ("both", "referred"):
            driver.execute("INSERT INTO media_refs VALUES ('s1', ?, 'p', '2026')", (media_id,))

    store.transaction_now(body)
    fork(store, 0)
    rows = store.read_now(
        lambda reading: reading._driver.execute(
            "SELECT media_id FROM media_refs WHERE session_id = 's2' ORDER BY media_id"
        ).fetchall()
    )
    assert [row[0] for row in rows] == ["both", "owned", "referred"]


def test_every_table_is_copied_or_says_why_not() -> None:
    pairs = versioned_tables()
    twins = {name for name in METADATA.tables if "valid_to" in METADATA.tables[name].c}
    assert {pair.old.name for pair in pairs} == twins
    copied = {pair.current.name for pair in pairs} | {pair.old.name for pair in pairs}
    copied |= {table.name for table in APPENDED_TABLES}
    copied |= {"messages", "logical_turns", "media_refs", "session_worlds", "world_import_ledger"}
    assert copied | NOT_COPIED == set(METADATA.tables)
    assert len(forks._copy_statements()) == len(pairs) + len(APPENDED_TABLES) + 5
