"""Snapshots keep revisions readable, and what none of them needs goes."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from covel_host.base.json_text import dump_json
from covel_host.store.errors import RevisionNotKeptError, ScopeConflictError
from covel_host.store.plugin_data import delete_data, get_data_at, list_data_at, put_data
from covel_host.store.records import SnapshotRecord
from covel_host.store.sessions import (
    advance_session,
    delete_session,
    insert_session,
    require_session,
)
from covel_host.store.snapshots import (
    AUTO_SNAPSHOTS_KEPT,
    drop_snapshot,
    get_snapshot,
    keep_auto_snapshot,
    keep_snapshot,
    list_snapshots,
    session_at_revision,
)
from covel_host.store.store import Store
from covel_host.store.transaction import Reading, Transaction
from tests.store.builders import at, data_key, options, session

KEYS = ("a", "b", "c")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store.open(options(tmp_path))
    opened.transaction_now(lambda transaction: insert_session(transaction, session()))
    yield opened
    opened.close()


def play(
    transaction: Transaction,
    changes: dict[str, int | None] | None = None,
    *,
    is_counted: bool = True,
    is_kept: bool = True,
    limit: int = AUTO_SNAPSHOTS_KEPT,
) -> int:
    """One commit that writes `changes` (None deletes); the new revision."""
    before = require_session(transaction, "s1")
    revision = before.revision + 1
    for key, value in (changes or {}).items():
        if value is None:
            delete_data(transaction, data_key(key), revision=revision)
        else:
            text = dump_json(value)
            put_data(
                transaction, data_key(key), value_text=text, revision=revision, at=at(revision)
            )
    turns = before.completed_player_turns + int(is_counted)
    after = advance_session(
        transaction,
        replace(before, completed_player_turns=turns),
        turn_id=f"t{revision}",
        at=at(revision),
    )
    if is_kept:
        keep_auto_snapshot(transaction, after, at=at(revision), limit=limit)
    return revision


def kept(reading: Reading) -> list[tuple[int, str]]:
    return [(item.revision, item.kind) for item in list_snapshots(reading, "s1")]


def old_rows(reading: Reading) -> list[tuple[str, int, int]]:
    rows = reading._driver.execute("SELECT key, version, valid_to FROM plugin_data_old")
    return sorted(rows.fetchall())


def test_every_commit_is_kept_until_twenty_newer_ones_are(store: Store) -> None:
    def many(transaction: Transaction) -> None:
        for number in range(25):
            play(transaction, {"lamp": number})

    store.transaction_now(many)
    assert store.read_now(kept) == [(revision, "auto") for revision in range(25, 5, -1)]
    assert store.read_now(old_rows) == [("lamp", number, number + 1) for number in range(6, 25)]


def test_a_later_commit_of_the_same_turn_count_moves_the_snapshot(store: Store) -> None:
    def body(transaction: Transaction) -> tuple[SnapshotRecord, SnapshotRecord]:
        play(transaction, {"lamp": 1})
        first = list_snapshots(transaction, "s1")[0]
        play(transaction, {"lamp": 2}, is_counted=False)
        (second,) = list_snapshots(transaction, "s1")
        return first, second

    first, second = store.transaction_now(body)
    assert second == replace(first, revision=2, created_at=at(2))
    assert store.read_now(old_rows) == []


def test_a_manual_snapshot_stays_and_so_do_the_rows_it_needs(store: Store) -> None:
    def body(transaction: Transaction) -> None:
        play(transaction, {"lamp": 1, "moss": 1})
        keep_snapshot(transaction, "s1", snapshot_id="mine", at=at(1))
        for number in range(2, 30):
            play(transaction, {"lamp": number}, limit=2)

    store.transaction_now(body)
    assert store.read_now(kept) == [(29, "auto"), (28, "auto"), (1, "manual")]
    assert store.read_now(old_rows) == [("lamp", 1, 2), ("lamp", 28, 29)]
    shown = store.read_now(lambda reading: get_data_at(reading, data_key("lamp"), revision=1))
    assert shown is not None
    assert shown.value == 1


def test_dropping_a_snapshot_deletes_what_only_it_needed(store: Store) -> None:
    def body(transaction: Transaction) -> list[bool]:
        play(transaction, {"lamp": 1}, is_kept=False)
        mine = keep_snapshot(transaction, "s1", snapshot_id="mine", at=at(1))
        play(transaction, {"lamp": 2}, is_kept=False)
        return [drop_snapshot(transaction, mine), drop_snapshot(transaction, mine)]

    assert store.transaction_now(body) == [True, False]
    assert store.read_now(old_rows) == []


def test_an_automatic_snapshot_can_be_pinned(store: Store) -> None:
    def body(transaction: Transaction) -> None:
        play(transaction, {"lamp": 1})
        play(transaction, {"lamp": 2})
        keep_snapshot(transaction, "s1", snapshot_id="mine", revision=1, at=at(9))
        for number in range(3, 6):
            play(transaction, {"lamp": number}, limit=1)

    store.transaction_now(body)
    assert store.read_now(kept) == [(5, "auto"), (1, "manual")]
    with pytest.raises(RevisionNotKeptError, match="Revision 2"):
        store.transaction_now(
            lambda transaction: keep_snapshot(
                transaction, "s1", snapshot_id="late", revision=2, at=at(9)
            )
        )


def test_a_kept_revision_has_its_clock_and_others_are_refused(store: Store) -> None:
    def body(transaction: Transaction) -> None:
        play(transaction)
        play(transaction, is_kept=False)
        play(transaction, is_kept=False)

    store.transaction_now(body)

    def at_revision(revision: int) -> Any:
        return store.read_now(lambda reading: session_at_revision(reading, "s1", revision))

    assert at_revision(3) == store.read_now(lambda reading: require_session(reading, "s1"))
    assert (at_revision(1).completed_player_turns, at_revision(1).updated_at) == (1, at(1))
    for revision in (0, 2, 4):
        with pytest.raises(RevisionNotKeptError):
            at_revision(revision)


def test_a_session_without_a_commit_can_be_kept(store: Store) -> None:
    def body(transaction: Transaction) -> int:
        keep_snapshot(transaction, "s1", snapshot_id="mine", at=at())
        play(transaction, {"lamp": 1})
        return session_at_revision(transaction, "s1", 0).completed_player_turns

    assert store.transaction_now(body) == 0


def test_a_taken_snapshot_id_is_refused_in_any_session(store: Store) -> None:
    def body(transaction: Transaction) -> None:
        insert_session(transaction, session("s2"))
        keep_snapshot(transaction, "s1", snapshot_id="mine", at=at())
        with pytest.raises(ScopeConflictError, match="'mine'"):
            keep_snapshot(transaction, "s2", snapshot_id="mine", at=at())

    store.transaction_now(body)
    found = store.read_now(lambda reading: get_snapshot(reading, "mine"))
    assert found is not None
    assert found.session_id == "s1"


def test_snapshots_go_with_their_session(store: Store) -> None:
    def body(transaction: Transaction) -> SnapshotRecord | None:
        keep_snapshot(transaction, "s1", snapshot_id="mine", at=at())
        delete_session(transaction, "s1")
        return get_snapshot(transaction, "mine")

    assert store.transaction_now(body) is None


@dataclass
class Model:
    """What a session must show at each kept revision."""

    states: list[dict[str, int]] = field(default_factory=lambda: [{}])
    written: list[dict[str, int]] = field(default_factory=lambda: [{}])

    def commit(self, changes: dict[str, int | None]) -> None:
        state, written = dict(self.states[-1]), dict(self.written[-1])
        for key, value in changes.items():
            if value is None:
                state.pop(key, None)
                written.pop(key, None)
            else:
                state[key], written[key] = value, len(self.states)
        self.states.append(state)
        self.written.append(written)


steps = st.one_of(
    st.tuples(
        st.just("play"),
        st.dictionaries(st.sampled_from(KEYS), st.none() | st.integers(0, 9)),
        st.booleans(),
        st.sampled_from([True, True, False]),
    ),
    st.tuples(st.just("keep"), st.integers(0, 3), st.none(), st.none()),
    st.tuples(st.just("drop"), st.integers(0, 9), st.none(), st.none()),
)


@given(script=st.lists(steps, max_size=16))
@settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_kept_revisions_read_back_and_nothing_else_is_stored(
    store: Store, script: list[tuple[Any, ...]]
) -> None:
    model = Model()

    def run(transaction: Transaction) -> None:
        delete_session(transaction, "s1")
        insert_session(transaction, session())
        for number, (kind, what, is_counted, is_kept) in enumerate(script):
            snapshots = list_snapshots(transaction, "s1")
            if kind == "play":
                play(transaction, what, is_counted=is_counted, is_kept=is_kept, limit=3)
                model.commit(what)
            elif kind == "keep":
                revision = snapshots[what % len(snapshots)].revision if what and snapshots else None
                name = f"mine-{number}"
                keep_snapshot(transaction, "s1", snapshot_id=name, revision=revision, at=at())
            elif snapshots:
                drop_snapshot(transaction, snapshots[what % len(snapshots)])

    def check(reading: Reading) -> None:
        revisions = {item.revision for item in list_snapshots(reading, "s1")}
        for revision in revisions | {len(model.states) - 1}:
            shown = list_data_at(reading, "s1", "echo-demo", "notes", revision=revision)
            assert {record.key: record.value for record in shown} == model.states[revision]
        for key, version, valid_to in old_rows(reading):
            if not any(version <= revision < valid_to for revision in revisions):
                # Since the last snapshot nothing is pruned; the next one does it.
                assert valid_to > max(revisions, default=-1), (key, version, valid_to)

    store.transaction_now(run)
    store.read_now(check)
