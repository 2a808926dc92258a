"""Rows versioned by revision: every earlier state can be read back."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from covel_host.base.json_text import dump_json
from covel_host.store.messages import append_messages, list_messages
from covel_host.store.plugin_data import (
    delete_data,
    get_data,
    get_data_at,
    list_data,
    list_data_at,
    put_all_data,
    put_data,
)
from covel_host.store.sessions import delete_session, insert_session
from covel_host.store.store import Store
from covel_host.store.transaction import Reading, Transaction
from covel_host.store.turns import list_turns, put_turn
from tests.store.builders import at, data_key, message, options, session, turn

KEYS = ("a", "b", "c")
changes = st.lists(st.tuples(st.sampled_from(KEYS), st.none() | st.integers(0, 9)), max_size=5)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store.open(options(tmp_path))
    opened.transaction_now(lambda transaction: insert_session(transaction, session()))
    yield opened
    opened.close()


@given(commits=st.lists(changes, max_size=6))
@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_every_revision_reads_back_as_it_was(
    store: Store, commits: list[list[tuple[str, int | None]]]
) -> None:
    states = [dict[str, int]()]

    def write(transaction: Transaction) -> None:
        delete_session(transaction, "s1")
        insert_session(transaction, session())
        for revision, commit in enumerate(commits, start=1):
            state = dict(states[-1])
            for key, value in commit:
                if value is None:
                    assert delete_data(transaction, data_key(key), revision=revision) == (
                        key in state
                    )
                    state.pop(key, None)
                else:
                    put_data(
                        transaction,
                        data_key(key),
                        value_text=dump_json(value),
                        revision=revision,
                        at=at(revision),
                    )
                    state[key] = value
            states.append(state)

    def check(reading: Reading) -> None:
        current = list_data(reading, "s1", "echo-demo", "notes")
        assert {record.key: record.value for record in current} == states[-1]
        for revision, state in enumerate(states):
            listed = list_data_at(reading, "s1", "echo-demo", "notes", revision=revision)
            assert {record.key: record.value for record in listed} == state
            assert [record.key for record in listed] == sorted(state)
            for key in KEYS:
                record = get_data_at(reading, data_key(key), revision=revision)
                assert (None if record is None else record.value) == state.get(key)

    store.transaction_now(write)
    store.read_now(check)


def test_a_version_is_the_revision_that_wrote_it_and_creation_time_stays(store: Store) -> None:
    def write(transaction: Transaction) -> None:
        for revision in (3, 7):
            put_data(transaction, data_key(), value_text="1", revision=revision, at=at(revision))

    store.transaction_now(write)
    record = store.read_now(lambda reading: get_data(reading, data_key()))
    assert record is not None
    assert (record.version, record.created_at, record.updated_at) == (7, at(3), at(7))


def test_a_key_named_twice_in_one_call_ends_with_its_last_value(store: Store) -> None:
    def write(transaction: Transaction) -> None:
        put_data(transaction, data_key(), value_text="0", revision=1, at=at(1))
        twice = [(data_key(), "1"), (data_key(), "2")]
        put_all_data(transaction, twice, revision=2, at=at(2))

    def values(reading: Reading) -> list[object]:
        records = [get_data_at(reading, data_key(), revision=revision) for revision in (1, 2)]
        return [None if record is None else record.value for record in records]

    store.transaction_now(write)
    assert store.read_now(values) == [0, 2]


def test_history_pages_continue_after_a_key(store: Store) -> None:
    def write(transaction: Transaction) -> None:
        for revision, value in ((1, "1"), (2, "2")):
            values = [(data_key(key), value) for key in KEYS]
            put_all_data(transaction, values, revision=revision, at=at(revision))

    def pages(reading: Reading) -> list[str]:
        first = list_data_at(reading, "s1", "echo-demo", "notes", revision=1, limit=2)
        rest = list_data_at(
            reading, "s1", "echo-demo", "notes", revision=1, limit=2, after=first[-1].key
        )
        return [record.key for record in (*first, *rest)]

    store.transaction_now(write)
    assert store.read_now(pages) == list(KEYS)


def test_no_statement_scans_a_table(store: Store) -> None:
    sent: list[str] = []

    def write(transaction: Transaction) -> None:
        transaction._driver.set_trace_callback(sent.append)
        put_data(transaction, data_key(), value_text="1", revision=1, at=at())
        append_messages(transaction, [message()])
        put_turn(transaction, turn())
        get_data(transaction, data_key())
        get_data_at(transaction, data_key(), revision=1)
        list_data(transaction, "s1", "echo-demo", "notes")
        list_messages(transaction, "s1", before=9)
        list_turns(transaction, "s1", before=9)
        delete_data(transaction, data_key(), revision=2)
        transaction._driver.set_trace_callback(None)

    def plans(reading: Reading) -> list[tuple[str, str]]:
        return [
            (row[3], statement)
            for statement in sent
            for row in reading._driver.execute(f"EXPLAIN QUERY PLAN {statement}").fetchall()
        ]

    store.transaction_now(write)
    assert len(sent) >= 10
    for plan, statement in store.read_now(plans):
        assert "SCAN" not in plan, (plan, statement)
        assert "TEMP B-TREE" not in plan, (plan, statement)
