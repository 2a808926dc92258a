"""The clock and the choices of sessions as tests that any backend can run; see `conformance`."""

from covel_host.store.forks import ForkIds, fork_session
from covel_host.store.plugin_data import DataKey, get_data
from covel_host.store.session_choices import (
    delete_model_override,
    delete_setting_value,
    put_model_override,
    put_setting_values,
    read_model_overrides,
    read_setting_values,
)
from covel_host.store.session_clock import (
    SessionClock,
    TriggerLedgerRow,
    read_clock,
    write_clock,
)
from covel_host.store.sessions import (
    advance_session,
    delete_session,
    insert_session,
    require_session,
)
from covel_host.store.setup_states import SetupBlocked, SetupDone, SetupPending, SetupState
from covel_host.store.snapshots import keep_auto_snapshot, keep_snapshot
from covel_host.store.store import Store
from covel_host.store.transaction import Transaction
from plugin_sdk.values import JsonValue
from tests.store.builders import at, session

STATES: tuple[SetupState, ...] = (
    SetupPending(plugin_version="1.0.0"),
    SetupPending(plugin_version="0.0.0", generation=3, attempts=2, last_error="no model: 𝄞"),
    SetupBlocked(plugin_version="1.0.0", reason="attempts-used-up", blocked_at=at(5), attempts=3),
    SetupBlocked(plugin_version="1", reason="x", blocked_at=at(5), last_error="broken"),
    SetupDone(plugin_version="1.0.0", completed_at=at(7), attempts=1),
    SetupDone(
        plugin_version="2", completed_at=at(7), resolution="waived", generation=2, warning="empty"
    ),
)


def ran(runtime_id: str, runs: int, last_turn: int) -> TriggerLedgerRow:
    return TriggerLedgerRow(runtime_id=runtime_id, runs=runs, last_turn=last_turn)


def commit(
    store: Store,
    *rows: TriggerLedgerRow,
    setup: dict[str, SetupState] | None = None,
) -> int:
    """Write rows as the session's next revision; its number."""

    def write(transaction: Transaction) -> int:
        found = require_session(transaction, "s1")
        revision = found.revision + 1
        write_clock(transaction, "s1", triggers=rows, setup=setup, revision=revision, at=at())
        keep_auto_snapshot(
            transaction, advance_session(transaction, found, turn_id=None, at=at()), at=at()
        )
        return revision

    return store.transaction_now(write)


class ClockConformance:
    def test_a_new_session_has_neither_runs_nor_setups(self, store: Store) -> None:
        store.transaction_now(lambda transaction: insert_session(transaction, session()))
        clock = store.read_now(lambda reading: read_clock(reading, "s1"))
        assert clock == SessionClock(phase="playing", completed_player_turns=0)

    def test_every_setup_state_reads_as_it_was_written(self, store: Store) -> None:
        store.transaction_now(lambda transaction: insert_session(transaction, session()))
        setup = {f"p{number}/r": state for number, state in enumerate(STATES)}
        commit(store, setup=setup)
        assert store.read_now(lambda reading: read_clock(reading, "s1")).setup == setup

    def test_each_snapshot_shows_its_own_clock(self, store: Store) -> None:
        store.transaction_now(lambda transaction: insert_session(transaction, session()))
        commit(store, ran("a", 1, 1), ran("b", 1, 1), setup={"s": STATES[0]})
        store.transaction_now(
            lambda transaction: keep_snapshot(transaction, "s1", snapshot_id="first", at=at())
        )
        commit(store, ran("b", 2, 2), setup={"s": STATES[2]})
        commit(store, ran("c", 1, 3), setup={"s": STATES[4]})
        first, now = store.read_now(
            lambda reading: (read_clock(reading, "s1", revision=1), read_clock(reading, "s1"))
        )
        assert dict(first.triggers) == {"a": ran("a", 1, 1), "b": ran("b", 1, 1)}
        assert first.setup == {"s": STATES[0]}
        assert now.triggers == {"a": ran("a", 1, 1), "b": ran("b", 2, 2), "c": ran("c", 1, 3)}
        assert now.setup == {"s": STATES[4]}

    def test_a_settlement_after_a_commit_belongs_to_that_commit(self, store: Store) -> None:
        store.transaction_now(lambda transaction: insert_session(transaction, session()))
        revision = commit(store, setup={"s": STATES[0]})
        store.transaction_now(
            lambda transaction: write_clock(
                transaction, "s1", setup={"s": STATES[1]}, revision=revision, at=at()
            )
        )
        found = store.read_now(lambda reading: read_clock(reading, "s1", revision=revision))
        assert found.setup == {"s": STATES[1]}

    def test_a_fork_has_the_clock_and_choices_of_its_revision(self, store: Store) -> None:
        store.transaction_now(lambda transaction: insert_session(transaction, session()))

        def choose(transaction: Transaction, slot: str, *, revision: int) -> None:
            put_model_override(transaction, "s1", "a", slot, revision=revision, at=at())
            put_setting_values(
                transaction, "s1", "echo", {"mood": slot}, revision=revision, at=at()
            )

        store.transaction_now(lambda transaction: choose(transaction, "fast", revision=1))
        commit(store, ran("a", 1, 1), setup={"s": STATES[5]})
        store.transaction_now(
            lambda transaction: keep_snapshot(transaction, "s1", snapshot_id="first", at=at())
        )
        store.transaction_now(lambda transaction: choose(transaction, "story", revision=2))
        commit(store, ran("a", 9, 9), setup={"s": STATES[0]})
        new = ForkIds(session_id="s2", incarnation="i2", snapshot_id="fork")
        store.transaction_now(
            lambda transaction: fork_session(transaction, "s1", 1, new=new, at=at())
        )
        again = ForkIds(session_id="s3", incarnation="i3", snapshot_id="fork-of-fork")
        store.transaction_now(
            lambda transaction: fork_session(transaction, "s2", 1, new=again, at=at())
        )
        store.transaction_now(lambda transaction: delete_session(transaction, "s2"))
        clock, slots, values = store.read_now(
            lambda reading: (
                read_clock(reading, "s3"),
                read_model_overrides(reading, "s3"),
                read_setting_values(reading, "s3"),
            )
        )
        assert dict(clock.triggers) == {"a": ran("a", 1, 1)}
        assert clock.setup == {"s": STATES[5]}
        assert slots == {"a": "fast"}
        assert values == {"echo": {"mood": "fast"}}

    def test_a_choice_taken_back_is_still_there_for_older_revisions(self, store: Store) -> None:
        store.transaction_now(lambda transaction: insert_session(transaction, session()))

        def first(transaction: Transaction) -> None:
            put_model_override(transaction, "s1", "a/b", "fast", revision=1, at=at())
            values: dict[str, JsonValue] = {"mood": "calm", "loud": False}
            put_setting_values(transaction, "s1", "echo", values, revision=1, at=at())

        def second(transaction: Transaction) -> tuple[bool, bool, bool]:
            return (
                delete_model_override(transaction, "s1", "a/b", revision=2),
                delete_setting_value(transaction, "s1", "echo", "mood", revision=2),
                delete_setting_value(transaction, "s1", "echo", "mood", revision=2),
            )

        store.transaction_now(first)
        commit(store)
        store.transaction_now(
            lambda transaction: keep_snapshot(transaction, "s1", snapshot_id="first", at=at())
        )
        assert store.transaction_now(second) == (True, True, False)
        commit(store)
        read = store.read_now(
            lambda reading: (
                read_model_overrides(reading, "s1"),
                read_setting_values(reading, "s1"),
                read_model_overrides(reading, "s1", revision=1),
                read_setting_values(reading, "s1", revision=1),
            )
        )
        was = {"echo": {"mood": "calm", "loud": False}}
        assert read == ({}, {"echo": {"loud": False}}, {"a/b": "fast"}, was)

    def test_the_rows_belong_to_no_package(self, store: Store) -> None:
        store.transaction_now(lambda transaction: insert_session(transaction, session()))
        commit(store, ran("a", 1, 1))
        key = DataKey(session_id="s1", plugin_id="__kernel:triggers", namespace="runs", key="a")
        found = store.read_now(lambda reading: get_data(reading, key))
        assert found is not None
        assert found.value == {"runs": 1, "lastTurn": 1}
