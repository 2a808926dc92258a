"""The store contract of spec/transactions.md 1 as tests that any backend can run.

A backend derives a class from `StoreConformance` whose `store` fixture gives a fresh, empty store
with the members of `covel_host.store.store.Store`. Nothing here names a table, a file or SQL.
"""

import asyncio
import concurrent.futures
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from covel_host.base.json_text import dump_json
from covel_host.store.compare_and_set import ExpectedWrite, compare_and_set_data
from covel_host.store.errors import (
    NestedTransactionError,
    RevisionNotKeptError,
    RowConflictError,
    ScopeConflictError,
    SessionNotFoundError,
    StoreClosedError,
    StoreError,
    ValueTooLargeError,
)
from covel_host.store.forks import ForkIds, fork_session
from covel_host.store.messages import append_messages, get_message, list_messages
from covel_host.store.plugin_data import (
    delete_data,
    get_data,
    get_data_at,
    list_data,
    list_data_at,
    put_all_data,
    put_data,
)
from covel_host.store.sessions import (
    advance_session,
    delete_session,
    get_revision,
    get_session,
    insert_session,
    list_sessions,
    require_session,
    update_session,
)
from covel_host.store.snapshots import (
    get_snapshot,
    keep_auto_snapshot,
    keep_snapshot,
    list_snapshots,
    session_at_revision,
)
from covel_host.store.store import Store
from covel_host.store.tool_calls import insert_tool_calls, list_tool_calls
from covel_host.store.traces import insert_trace, list_trace
from covel_host.store.transaction import Reading, Transaction
from covel_host.store.turns import count_logical_turn, get_turn, list_turns, put_turn
from plugin_sdk.rules.plugin_data import MAX_PLUGIN_DATA_VALUE_BYTES
from tests.store.builders import at, data_key, message, session, tool_call, trace_event, turn


class BodyError(Exception):
    """What a body of these tests raises."""


def put_note(transaction: Transaction, key: str, value: object, *, revision: int = 1) -> None:
    put_data(
        transaction, data_key(key), value_text=dump_json(value), revision=revision, at=at(revision)
    )


def note(reading: Reading, key: str) -> Any:
    record = get_data(reading, data_key(key))
    return None if record is None else record.value


def play(transaction: Transaction, value: object, *, is_counted: bool = True) -> int:
    """One kept commit with a message and a changed note; the new revision."""
    before = require_session(transaction, "s1")
    revision = before.revision + 1
    append_messages(transaction, [message(f"m{revision}", revision=revision)])
    put_note(transaction, "lamp", value, revision=revision)
    turns = before.completed_player_turns + int(is_counted)
    counted = replace(before, completed_player_turns=turns)
    after = advance_session(transaction, counted, turn_id=f"t{revision}", at=at(revision))
    keep_auto_snapshot(transaction, after, at=at(revision))
    return revision


def count_up(transaction: Transaction) -> int:
    number = (note(transaction, "count") or 0) + 1
    put_note(transaction, "count", number)
    return number


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=4)
    ),
    max_leaves=12,
)


class StoreConformance:
    """Derive from it and give `store`."""

    @pytest.fixture
    def store(self, tmp_path: Any) -> Any:
        raise NotImplementedError

    @pytest.fixture
    def notes(self, store: Store) -> Store:
        store.transaction_now(lambda transaction: insert_session(transaction, session()))
        return store

    # Transactions

    def test_a_returning_body_commits_and_its_value_is_passed_on(self, notes: Store) -> None:
        def body(transaction: Transaction) -> str:
            put_note(transaction, "lamp", {"lit": True})
            return "value"

        assert asyncio.run(notes.transaction(body)) == "value"
        assert notes.read_now(lambda reading: note(reading, "lamp")) == {"lit": True}

    def test_a_raising_body_rolls_back_and_its_error_reaches_the_caller(self, notes: Store) -> None:
        error = BodyError("stop")

        def body(transaction: Transaction) -> None:
            put_note(transaction, "lamp", 2, revision=2)
            delete_session(transaction, "s1")
            raise error

        notes.transaction_now(lambda transaction: put_note(transaction, "lamp", 1))
        before = notes.read_now(lambda reading: get_data(reading, data_key()))
        with pytest.raises(BodyError) as caught:
            asyncio.run(notes.transaction(body))
        assert caught.value is error
        assert notes.read_now(lambda reading: get_data(reading, data_key())) == before
        assert notes.transaction_now(count_up) == 1

    def test_a_body_reads_its_own_writes(self, notes: Store) -> None:
        def body(transaction: Transaction) -> object:
            put_note(transaction, "lamp", [1])
            return note(transaction, "lamp")

        assert notes.transaction_now(body) == [1]

    def test_nothing_is_visible_outside_before_the_transaction_settles(self, notes: Store) -> None:
        written, go_on = threading.Event(), threading.Event()

        def body(transaction: Transaction) -> None:
            put_note(transaction, "lamp", 1)
            written.set()
            assert go_on.wait(10)

        async def scene() -> tuple[object, object]:
            running = asyncio.create_task(notes.transaction(body))
            await asyncio.to_thread(written.wait, 10)
            meanwhile = await notes.read(lambda reading: note(reading, "lamp"))
            go_on.set()
            await running
            return meanwhile, await notes.read(lambda reading: note(reading, "lamp"))

        assert asyncio.run(scene()) == (None, 1)

    def test_a_reading_keeps_one_state_while_others_commit(self, notes: Store) -> None:
        looked, go_on = threading.Event(), threading.Event()

        def body(reading: Reading) -> tuple[object, object]:
            first = note(reading, "lamp")
            looked.set()
            assert go_on.wait(10)
            return first, note(reading, "lamp")

        async def scene() -> tuple[object, object]:
            running = asyncio.create_task(notes.read(body))
            await asyncio.to_thread(looked.wait, 10)
            await notes.transaction(lambda transaction: put_note(transaction, "lamp", 1))
            go_on.set()
            return await running

        assert asyncio.run(scene()) == (None, None)

    def test_concurrent_transactions_lose_no_writes(self, notes: Store) -> None:
        async def scene() -> list[int]:
            return await asyncio.gather(*(notes.transaction(count_up) for _ in range(40)))

        assert sorted(asyncio.run(scene())) == list(range(1, 41))

    def test_threads_lose_no_writes(self, notes: Store) -> None:
        def many() -> None:
            for _ in range(20):
                notes.transaction_now(count_up)

        with concurrent.futures.ThreadPoolExecutor(4) as threads:
            for done in [threads.submit(many) for _ in range(4)]:
                done.result(30)
        assert notes.read_now(lambda reading: note(reading, "count")) == 80

    def test_a_failing_concurrent_transaction_rolls_back_alone(self, notes: Store) -> None:
        def failing(transaction: Transaction) -> None:
            count_up(transaction)
            raise BodyError

        async def scene() -> list[object]:
            bodies: list[Callable[[Transaction], object]] = [count_up, failing] * 10
            return await asyncio.gather(
                *(notes.transaction(body) for body in bodies), return_exceptions=True
            )

        outcomes = asyncio.run(scene())
        assert [type(outcome) for outcome in outcomes] == [int, BodyError] * 10
        assert notes.read_now(lambda reading: note(reading, "count")) == 10

    # Savepoints

    def test_a_failed_savepoint_rolls_back_alone(self, notes: Store) -> None:
        def inner(transaction: Transaction) -> None:
            put_note(transaction, "inner", 1)
            raise BodyError

        def body(transaction: Transaction) -> None:
            put_note(transaction, "before", 1)
            with pytest.raises(BodyError):
                transaction.savepoint(inner)
            put_note(transaction, "after", 1)

        notes.transaction_now(body)
        keys = notes.read_now(lambda reading: list_data(reading, "s1", "echo-demo", "notes"))
        assert [record.key for record in keys] == ["after", "before"]

    def test_savepoint_writes_fall_with_the_outer_transaction(self, notes: Store) -> None:
        def body(transaction: Transaction) -> None:
            assert transaction.savepoint(count_up) == 1
            raise BodyError

        with pytest.raises(BodyError):
            notes.transaction_now(body)
        assert notes.read_now(lambda reading: note(reading, "count")) is None

    def test_writes_kept_back_belong_to_the_savepoint_they_were_made_in(self, notes: Store) -> None:
        def inner(transaction: Transaction) -> None:
            put_note(transaction, "inner", 1)
            raise BodyError

        def orphan(transaction: Transaction) -> None:
            key = data_key(session_id="nobody")
            put_data(transaction, key, value_text="1", revision=1, at=at())

        def body(transaction: Transaction) -> list[str]:
            put_note(transaction, "before", 1)
            with pytest.raises(BodyError):
                transaction.savepoint(inner)
            with pytest.raises(RowConflictError):
                transaction.savepoint(orphan)
            records = list_data(transaction, "s1", "echo-demo", "notes")
            return [record.key for record in records]

        assert notes.transaction_now(body) == ["before"]

    def test_savepoints_nest(self, notes: Store) -> None:
        def innermost(transaction: Transaction) -> None:
            put_note(transaction, "innermost", 1)
            raise BodyError

        def inner(transaction: Transaction) -> None:
            put_note(transaction, "inner", 1)
            with pytest.raises(BodyError):
                transaction.savepoint(innermost)

        notes.transaction_now(lambda transaction: transaction.savepoint(inner))
        assert notes.read_now(lambda reading: note(reading, "inner")) == 1
        assert notes.read_now(lambda reading: note(reading, "innermost")) is None

    # Nesting

    @pytest.mark.parametrize("nested", ["transaction", "transaction_now", "read", "read_now"])
    def test_a_nested_call_is_refused_at_once_and_both_go_on(
        self, notes: Store, nested: str
    ) -> None:
        def body(transaction: Transaction) -> str:
            put_note(transaction, "lamp", 1)
            with pytest.raises(NestedTransactionError) as refused:
                getattr(notes, nested)(count_up)
            put_note(transaction, "after", 1)
            return str(refused.value)

        text = asyncio.run(notes.transaction(body))
        assert notes.name in text
        assert notes.backend in text
        assert "do not nest" in text
        assert notes.transaction_now(count_up) == 1
        assert notes.read_now(lambda reading: note(reading, "after")) == 1

    def test_a_nested_call_through_the_event_loop_is_refused_not_dead_locked(
        self, notes: Store
    ) -> None:
        async def scene() -> None:
            loop = asyncio.get_running_loop()

            async def nested() -> int:
                return await notes.transaction(count_up)

            def body(_transaction: Transaction) -> int:
                return asyncio.run_coroutine_threadsafe(nested(), loop).result(10)

            with pytest.raises(NestedTransactionError):
                await notes.transaction(body)

        asyncio.run(scene())
        assert notes.transaction_now(count_up) == 1

    def test_a_transaction_inside_a_reading_is_refused(self, notes: Store) -> None:
        with pytest.raises(NestedTransactionError):
            notes.read_now(lambda _reading: notes.transaction_now(count_up))

    def test_an_independent_caller_at_the_same_time_is_not_misjudged(self, notes: Store) -> None:
        inside, go_on = threading.Event(), threading.Event()

        def body(transaction: Transaction) -> int:
            inside.set()
            assert go_on.wait(10)
            return count_up(transaction)

        async def scene() -> list[int]:
            first = asyncio.create_task(notes.transaction(body))
            await asyncio.to_thread(inside.wait, 10)
            second = asyncio.create_task(notes.transaction(count_up))
            await asyncio.sleep(0)
            go_on.set()
            return [await first, await second]

        assert asyncio.run(scene()) == [1, 2]

    def test_a_task_that_outlives_its_body_may_use_the_store(self, notes: Store) -> None:
        async def scene() -> int:
            loop = asyncio.get_running_loop()
            ended = asyncio.Event()

            async def later() -> int:
                await ended.wait()
                return await notes.transaction(count_up)

            started = await notes.transaction(
                lambda _transaction: asyncio.run_coroutine_threadsafe(later(), loop)
            )
            ended.set()
            return await asyncio.wrap_future(started)

        assert asyncio.run(scene()) == 1

    # Handles and bodies

    def test_a_handle_dies_with_its_body(self, notes: Store) -> None:
        kept = notes.transaction_now(lambda transaction: transaction)
        with pytest.raises(StoreClosedError):
            count_up(kept)
        read = notes.read_now(lambda reading: reading)
        with pytest.raises(StoreClosedError):
            note(read, "lamp")

    def test_an_async_body_is_refused_and_nothing_is_written(self, notes: Store) -> None:
        async def body(transaction: Transaction) -> None:
            count_up(transaction)

        with pytest.raises(StoreError, match="async function"):
            asyncio.run(notes.transaction(body))
        assert notes.read_now(lambda reading: note(reading, "count")) is None

    def test_a_body_that_raises_stop_iteration_is_no_endless_wait(self, notes: Store) -> None:
        def body(transaction: Transaction) -> None:
            count_up(transaction)
            next(iter(()))

        with pytest.raises(RuntimeError, match="StopIteration"):
            asyncio.run(asyncio.wait_for(notes.transaction(body), 10))
        assert notes.transaction_now(count_up) == 1

    def test_a_closed_store_says_so(self, notes: Store) -> None:
        notes.close()
        notes.close()
        with pytest.raises(StoreClosedError):
            notes.transaction_now(count_up)
        with pytest.raises(StoreClosedError):
            notes.read_now(lambda reading: note(reading, "lamp"))

    # Cancellation

    def test_a_cancelled_caller_leaves_only_after_its_body_settled(self, notes: Store) -> None:
        inside, go_on = threading.Event(), threading.Event()

        def body(transaction: Transaction) -> None:
            inside.set()
            assert go_on.wait(10)
            count_up(transaction)

        async def scene() -> tuple[bool, object]:
            running = asyncio.create_task(notes.transaction(body))
            await asyncio.to_thread(inside.wait, 10)
            running.cancel()
            await asyncio.sleep(0)
            running.cancel()
            await asyncio.sleep(0)
            was_waiting = not running.done()
            go_on.set()
            with pytest.raises(asyncio.CancelledError):
                await running
            return was_waiting, await notes.read(lambda reading: note(reading, "count"))

        assert asyncio.run(scene()) == (True, 1)

    def test_a_queued_body_of_a_cancelled_caller_never_runs(self, notes: Store) -> None:
        inside, go_on = threading.Event(), threading.Event()

        def blocking(_transaction: Transaction) -> None:
            inside.set()
            assert go_on.wait(10)

        async def scene() -> object:
            first = asyncio.create_task(notes.transaction(blocking))
            await asyncio.to_thread(inside.wait, 10)
            queued = asyncio.create_task(notes.transaction(count_up))
            await asyncio.sleep(0)
            queued.cancel()
            with pytest.raises(asyncio.CancelledError):
                await queued
            go_on.set()
            await first
            return await notes.read(lambda reading: note(reading, "count"))

        assert asyncio.run(scene()) is None

    # Identity

    def test_a_taken_session_id_is_refused(self, notes: Store) -> None:
        with pytest.raises(ScopeConflictError) as refused:
            notes.transaction_now(
                lambda transaction: insert_session(transaction, session(incarnation="other"))
            )
        assert refused.value.code == "session-exists"
        kept = notes.read_now(lambda reading: get_session(reading, "s1"))
        assert kept == session()

    def test_a_taken_message_id_is_refused_in_any_session_and_changes_nothing(
        self, notes: Store
    ) -> None:
        def other_session(transaction: Transaction) -> None:
            insert_session(transaction, session("s2"))
            append_messages(transaction, [message("m2", "s2")])
            with pytest.raises(ScopeConflictError):
                append_messages(transaction, [message("m1", "s2", content="stolen")])

        notes.transaction_now(lambda transaction: append_messages(transaction, [message()]))
        notes.transaction_now(other_session)
        kept = notes.read_now(lambda reading: get_message(reading, "m1"))
        assert kept is not None
        assert (kept.session_id, kept.content) == ("s1", "content of m1")

    def test_rows_of_an_unknown_session_are_refused(self, notes: Store) -> None:
        with pytest.raises(RowConflictError):
            notes.transaction_now(
                lambda transaction: put_data(
                    transaction,
                    data_key(session_id="nobody"),
                    value_text="1",
                    revision=1,
                    at=at(),
                )
            )

    def test_a_missing_or_replaced_session_is_told_apart(self, notes: Store) -> None:
        with pytest.raises(SessionNotFoundError, match="does not exist"):
            notes.read_now(lambda reading: require_session(reading, "nobody"))
        with pytest.raises(SessionNotFoundError, match="created anew"):
            notes.read_now(lambda reading: require_session(reading, "s1", incarnation="older"))

    def test_deleting_a_session_deletes_all_its_rows(self, notes: Store) -> None:
        def fill(transaction: Transaction) -> None:
            put_turn(transaction, turn())
            append_messages(transaction, [message()])
            insert_tool_calls(transaction, [tool_call()])
            insert_trace(transaction, [trace_event()])
            put_note(transaction, "lamp", 1)
            put_note(transaction, "lamp", 2, revision=2)
            count_logical_turn(transaction, "s1", "t1", turn_id="t1", revision=1)
            advance_session(transaction, session(), turn_id="t1", at=at(1))

        def again(transaction: Transaction) -> list[object]:
            assert delete_session(transaction, "s1")
            assert not delete_session(transaction, "s1")
            insert_session(transaction, session(incarnation="second"))
            return [
                get_turn(transaction, "s1", "t1"),
                get_message(transaction, "m1"),
                *list_tool_calls(transaction, "s1", "t1"),
                *list_trace(transaction, "s1", "t1"),
                note(transaction, "lamp"),
                get_revision(transaction, "s1", 1),
                None
                if count_logical_turn(transaction, "s1", "t1", turn_id="t9", revision=1)
                else "counted before",
            ]

        notes.transaction_now(fill)
        assert notes.transaction_now(again) == [None] * 5

    # Compare-and-set

    def test_a_batch_is_written_only_when_every_version_is_as_expected(self, notes: Store) -> None:
        def batch(*expected: tuple[str, int | None], revision: int) -> bool:
            writes = [
                ExpectedWrite(
                    namespace="notes", key=key, expected_version=old, value_text=str(revision)
                )
                for key, old in expected
            ]
            return notes.transaction_now(
                lambda transaction: compare_and_set_data(
                    transaction, "s1", "echo-demo", writes, revision=revision, at=at(revision)
                )
            )

        def values() -> list[Any]:
            return [notes.read_now(lambda reading: note(reading, key)) for key in ("a", "b")]  # noqa: B023

        assert batch(("a", None), ("b", None), revision=1)
        assert not batch(("a", 1), ("b", None), revision=2)
        assert not batch(("a", 2), revision=2)
        assert values() == [1, 1]
        assert batch(("a", 1), revision=2)
        assert batch(("a", 2), ("b", 1), revision=3)
        assert values() == [3, 3]

    def test_of_two_writers_with_one_expectation_one_wins(self, notes: Store) -> None:
        def body(transaction: Transaction) -> bool:
            revision = require_session(transaction, "s1").revision + 1
            advance_session(
                transaction, require_session(transaction, "s1"), turn_id=None, at=at(revision)
            )
            write = ExpectedWrite(namespace="notes", key="a", expected_version=None, value_text="1")
            return compare_and_set_data(
                transaction, "s1", "echo-demo", [write], revision=revision, at=at(revision)
            )

        async def scene() -> list[bool]:
            return await asyncio.gather(*(notes.transaction(body) for _ in range(8)))

        assert sorted(asyncio.run(scene())) == [False] * 7 + [True]

    def test_malformed_batches_and_missing_sessions_raise(self, notes: Store) -> None:
        def batch(*writes: ExpectedWrite, session_id: str = "s1") -> Any:
            return notes.transaction_now(
                lambda transaction: compare_and_set_data(
                    transaction, session_id, "echo-demo", writes, revision=1, at=at()
                )
            )

        one = ExpectedWrite(namespace="n", key="k", expected_version=None, value_text="1")
        with pytest.raises(ValueError, match="named twice"):
            batch(one, one)
        with pytest.raises(ValueError, match="positive integer"):
            batch(replace(one, expected_version=0))
        with pytest.raises(SessionNotFoundError):
            batch(session_id="nobody")
        assert batch() is True

    def test_a_value_over_its_limit_is_refused_on_every_path(self, notes: Store) -> None:
        fits = '"' + "é" * (MAX_PLUGIN_DATA_VALUE_BYTES // 2 - 1) + '"'
        assert len(fits.encode()) == MAX_PLUGIN_DATA_VALUE_BYTES
        write = ExpectedWrite(
            namespace="notes", key="set", expected_version=None, value_text=f"{fits} "
        )
        paths: list[Callable[[Transaction], object]] = [
            lambda transaction: put_data(
                transaction, data_key(), value_text=f"{fits} ", revision=1, at=at()
            ),
            lambda transaction: put_all_data(
                transaction,
                [(data_key("first"), "1"), (data_key(), f"{fits} ")],
                revision=1,
                at=at(),
            ),
            lambda transaction: compare_and_set_data(
                transaction, "s1", "echo-demo", [write], revision=1, at=at()
            ),
        ]

        def body(transaction: Transaction) -> None:
            for path in paths:
                with pytest.raises(ValueTooLargeError, match="262145 bytes"):
                    path(transaction)
            put_data(transaction, data_key("fits"), value_text=fits, revision=1, at=at())

        notes.transaction_now(body)
        stored = notes.read_now(lambda reading: list_data(reading, "s1", "echo-demo", "notes"))
        assert [record.key for record in stored] == ["fits"]

    # Snapshots and forks

    def test_a_kept_revision_reads_back_and_others_are_refused(self, notes: Store) -> None:
        def body(transaction: Transaction) -> None:
            for number in range(22):
                play(transaction, number)

        def at_revision(reading: Reading, revision: int) -> tuple[Any, ...]:
            kept = session_at_revision(reading, "s1", revision)
            record = get_data_at(reading, data_key(), revision=revision)
            listed = list_data_at(reading, "s1", "echo-demo", "notes", revision=revision)
            messages = list_messages(reading, "s1", at_revision=revision)
            assert record is not None
            assert listed == [record]
            return kept.completed_player_turns, record.value, len(messages)

        notes.transaction_now(body)
        for revision in (3, 10, 21, 22):
            shown = notes.read_now(lambda reading: at_revision(reading, revision))  # noqa: B023
            assert shown == (revision, revision - 1, revision)
        for revision in (0, 1, 2, 23):
            with pytest.raises(RevisionNotKeptError):
                notes.read_now(lambda reading: at_revision(reading, revision))  # noqa: B023

    def test_refreshing_a_snapshot_keeps_its_id_and_moves_the_rest(self, notes: Store) -> None:
        notes.transaction_now(lambda transaction: play(transaction, 1))
        (before,) = notes.read_now(lambda reading: list_snapshots(reading, "s1"))
        notes.transaction_now(lambda transaction: play(transaction, 2, is_counted=False))
        (after,) = notes.read_now(lambda reading: list_snapshots(reading, "s1"))
        assert after == replace(before, revision=2, created_at=at(2))

    def test_a_snapshot_id_belongs_to_one_session(self, notes: Store) -> None:
        def body(transaction: Transaction) -> None:
            insert_session(transaction, session("s2"))
            kept = keep_snapshot(transaction, "s1", snapshot_id="mine", at=at())
            with pytest.raises(ScopeConflictError):
                keep_snapshot(transaction, "s2", snapshot_id="mine", at=at())
            assert get_snapshot(transaction, "mine") == kept

        notes.transaction_now(body)

    def test_a_fork_shows_its_revision_and_is_made_as_a_whole_or_not_at_all(
        self, notes: Store
    ) -> None:
        new = ForkIds(session_id="s2", incarnation="second", snapshot_id="fork")

        def fork(transaction: Transaction) -> None:
            fork_session(transaction, "s1", 1, new=new, at=at(9))

        def failing(transaction: Transaction) -> None:
            fork(transaction)
            raise BodyError

        def body(transaction: Transaction) -> None:
            play(transaction, 1)
            play(transaction, 2)
            with pytest.raises(BodyError):
                transaction.savepoint(failing)
            assert get_session(transaction, "s2") is None
            fork(transaction)

        notes.transaction_now(body)
        forked = notes.read_now(lambda reading: require_session(reading, "s2"))
        assert (forked.revision, forked.completed_player_turns) == (1, 1)
        record = notes.read_now(lambda reading: get_data(reading, data_key(session_id="s2")))
        assert record is not None
        assert (record.value, record.version) == (1, 1)
        assert len(notes.read_now(lambda reading: list_messages(reading, "s2"))) == 1

    # Rows

    def test_records_come_back_as_they_were_stored(self, notes: Store) -> None:
        full = session(
            "s2",
            world_id="harbour",
            status="paused",
            phase="setup",
            locale="zh",
            active_packages=("a", "b"),
            metadata={"note": "灯"},
        )
        calls = [
            tool_call(0),
            tool_call(1, status="failed", result=None, error={"code": "timeout"}),
        ]
        events = [trace_event(0), trace_event(1, run_id=None, data={})]

        def fill(transaction: Transaction) -> None:
            insert_session(transaction, full)
            put_turn(transaction, turn(results=[1, {"a": None}]))
            insert_tool_calls(transaction, calls)
            insert_trace(transaction, events)

        notes.transaction_now(fill)
        assert notes.read_now(lambda reading: get_session(reading, "s2")) == full
        stored = notes.read_now(lambda reading: get_turn(reading, "s1", "t1"))
        assert stored == turn(results=[1, {"a": None}], sequence=1)
        assert notes.read_now(lambda reading: list_tool_calls(reading, "s1", "t1")) == calls
        assert notes.read_now(lambda reading: list_trace(reading, "s1", "t1")) == events

    def test_a_turn_settles_once_and_keeps_its_place(self, notes: Store) -> None:
        def body(transaction: Transaction) -> None:
            put_turn(transaction, turn("t1"))
            put_turn(transaction, turn("t2"))
            put_turn(transaction, turn("t1", commit_status="failed", failure={"code": "x"}))
            put_turn(transaction, turn("t1", commit_status="committed", revision=1))
            with pytest.raises(RowConflictError):
                put_turn(transaction, turn("t1", commit_status="failed"))

        notes.transaction_now(body)
        turns = notes.read_now(lambda reading: list_turns(reading, "s1"))
        assert [(item.turn_id, item.sequence, item.commit_status) for item in turns] == [
            ("t2", 2, "pending"),
            ("t1", 1, "committed"),
        ]

    def test_a_session_advances_from_the_revision_that_was_read(self, notes: Store) -> None:
        def body(transaction: Transaction) -> None:
            first = require_session(transaction, "s1")
            moved = advance_session(
                transaction, replace(first, completed_player_turns=1), turn_id="t1", at=at(5)
            )
            assert (moved.revision, moved.completed_player_turns) == (1, 1)
            with pytest.raises(RowConflictError):
                advance_session(transaction, first, turn_id="t2", at=at(6))

        notes.transaction_now(body)
        kept = notes.read_now(lambda reading: get_revision(reading, "s1", 1))
        assert kept is not None
        assert (kept.turn_id, kept.committed_at) == ("t1", at(5))
        assert kept.state["completedPlayerTurns"] == 1
        assert notes.read_now(lambda reading: get_revision(reading, "s1", 2)) is None

    def test_updating_a_session_leaves_its_clock_alone(self, notes: Store) -> None:
        changed = session(status="ended", completed_player_turns=9, revision=9, locale="zh")
        notes.transaction_now(lambda transaction: update_session(transaction, changed))
        stored = notes.read_now(lambda reading: require_session(reading, "s1"))
        assert (stored.status, stored.completed_player_turns, stored.revision) == ("ended", 0, 0)
        assert stored.locale == "en"
        with pytest.raises(SessionNotFoundError):
            notes.transaction_now(
                lambda transaction: update_session(transaction, session("nobody"))
            )

    def test_a_logical_turn_counts_once(self, notes: Store) -> None:
        def count(transaction: Transaction) -> bool:
            return count_logical_turn(transaction, "s1", "t1", turn_id="t1", revision=1)

        assert [notes.transaction_now(count), notes.transaction_now(count)] == [True, False]

    # Lists

    def test_lists_are_ordered_by_code_point(self, notes: Store) -> None:
        keys = ["b", "B", "ä", "a", "\uffff", "\U00010000", "Z", "灯", "a b", "a\x00"]

        def body(transaction: Transaction) -> None:
            put_all_data(transaction, [(data_key(key), "1") for key in keys], revision=1, at=at())

        notes.transaction_now(body)
        records = notes.read_now(lambda reading: list_data(reading, "s1", "echo-demo", "notes"))
        assert [record.key for record in records] == sorted(keys)

    def test_pages_join_to_the_whole_list(self, notes: Store) -> None:
        def fill(transaction: Transaction) -> None:
            for number in range(7):
                put_note(transaction, f"k{number}", number)
                put_turn(transaction, turn(f"t{number}"))
                append_messages(transaction, [message(f"m{number}")])
                insert_session(transaction, session(f"x{number}", updated_at=at(number // 2)))

        notes.transaction_now(fill)

        def pages(reading: Reading) -> list[list[str]]:
            keys, turns, messages, sessions = [], [], [], []
            after, before, bound, last = "", None, None, None
            for _ in range(4):
                data = list_data(reading, "s1", "echo-demo", "notes", limit=2, after=after)
                keys += [record.key for record in data]
                after = data[-1].key
                part = list_turns(reading, "s1", limit=2, before=before)
                turns += [item.turn_id for item in part]
                before = part[-1].sequence
                newest = list_messages(reading, "s1", limit=2, before=bound)
                messages = [item.message_id for item in newest] + messages
                bound = newest[0].sequence
                found = list_sessions(reading, limit=2, before=last)
                sessions += [item.session_id for item in found]
                last = found[-1]
            return [keys, turns, messages, sessions]

        keys, turns, messages, sessions = notes.read_now(pages)
        assert keys == [f"k{number}" for number in range(7)]
        assert turns == [f"t{number}" for number in reversed(range(7))]
        assert messages == [f"m{number}" for number in range(7)]
        assert sessions == ["x6", "x5", "x4", "x3", "x2", "x1", "x0", "s1"]

    @pytest.mark.parametrize("limit", [0, -1, 10_001])
    def test_no_list_is_unbounded(self, notes: Store, limit: int) -> None:
        with pytest.raises(ValueError, match="limit"):
            notes.read_now(lambda reading: list_sessions(reading, limit=limit))
        with pytest.raises(ValueError, match="limit"):
            notes.read_now(lambda reading: list_messages(reading, "s1", limit=limit))

    # Fidelity

    @given(value=json_values)
    @settings(
        max_examples=60,
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture],
    )
    def test_json_values_come_back_equal(self, notes: Store, value: object) -> None:
        notes.transaction_now(lambda transaction: put_note(transaction, "any", value))
        stored = notes.read_now(lambda reading: note(reading, "any"))
        assert dump_json(stored) == dump_json(value)

    def test_a_text_that_is_no_unicode_is_refused_and_nothing_is_written(
        self, notes: Store
    ) -> None:
        """The command line hands on undecodable bytes as lone surrogates."""
        messages = [message("m1"), message("m2", content="lone \udc80")]
        with pytest.raises(StoreError, match="surrogates not allowed"):
            notes.transaction_now(lambda transaction: append_messages(transaction, messages))
        assert notes.read_now(lambda reading: get_message(reading, "m1")) is None

    def test_a_deleted_record_is_gone_and_deleting_again_tells_so(self, notes: Store) -> None:
        notes.transaction_now(lambda transaction: put_note(transaction, "lamp", 1))

        def delete(transaction: Transaction) -> bool:
            return delete_data(transaction, data_key(), revision=2)

        assert [notes.transaction_now(delete), notes.transaction_now(delete)] == [True, False]
        assert notes.read_now(lambda reading: note(reading, "lamp")) is None
