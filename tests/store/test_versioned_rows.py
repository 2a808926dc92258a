"""Every revision of every versioned table reads back as it was."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from covel_host.store.errors import RowConflictError
from covel_host.store.sessions import delete_session, insert_session
from covel_host.store.store import Store
from covel_host.store.tables import LOREBOOK_ENTRIES, LOREBOOK_ENTRIES_OLD, METADATA
from covel_host.store.transaction import Reading, Transaction
from covel_host.store.versioned_rows import VersionedRows
from tests.store.builders import options, session

ROWS = VersionedRows(LOREBOOK_ENTRIES, LOREBOOK_ENTRIES_OLD, kept=("created_at",))
KEYS = [("plugin", "a", "x"), ("plugin", "a", "y"), ("plugin", "b", "x"), ("world", "", "x")]
changes = st.lists(st.tuples(st.sampled_from(KEYS), st.none() | st.integers(0, 9)), max_size=5)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store.open(options(tmp_path))
    opened.transaction_now(lambda transaction: insert_session(transaction, session()))
    yield opened
    opened.close()


def put(transaction: Transaction, key: tuple[str, str, str], value: int, revision: int) -> None:
    row = {
        "session_id": "s1",
        "owner_kind": key[0],
        "owner_plugin_id": key[1],
        "entry_id": key[2],
        "entry": f'{{"n":{value}}}',
        "created_at": f"made-{revision}",
        "updated_at": f"changed-{revision}",
    }
    ROWS.put(transaction, row, revision=revision)


State = dict[tuple[str, str, str], tuple[int, int, int]]
"""Value, revision of creation, revision of the last change."""


def shown(reading: Reading, revision: int | None = None) -> State:
    rows = ROWS.every(reading, "s1", revision=revision)
    return {
        (row[1], row[2], row[3]): (
            int(row[5].removeprefix('{"n":').removesuffix("}")),
            int(row[6].removeprefix("made-")),
            int(row[7].removeprefix("changed-")),
        )
        for row in rows
    }


@given(commits=st.lists(changes, max_size=6))
@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_every_revision_reads_back_as_it_was(
    store: Store, commits: list[list[tuple[tuple[str, str, str], int | None]]]
) -> None:
    states: list[State] = [{}]

    def write(transaction: Transaction) -> None:
        delete_session(transaction, "s1")
        insert_session(transaction, session())
        for revision, commit in enumerate(commits, start=1):
            state = dict(states[-1])
            for key, value in commit:
                if value is None:
                    was_there = ROWS.delete(transaction, "s1", *key, revision=revision)
                    assert was_there == (key in state)
                    state.pop(key, None)
                else:
                    put(transaction, key, value, revision)
                    made = state[key][1] if key in state else revision
                    state[key] = (value, made, revision)
            states.append(state)

    store.transaction_now(write)

    def check(reading: Reading) -> None:
        assert shown(reading) == states[-1]
        for revision, state in enumerate(states):
            assert shown(reading, revision) == state
            for key in KEYS:
                row = ROWS.get(reading, "s1", *key, revision=revision)
                assert (row is not None) == (key in state)

    store.read_now(check)


def test_rows_come_in_code_point_order_page_by_page(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("covel_host.store.versioned_rows.MAX_LIMIT", 2)
    keys = [("plugin", owner, f"{name}") for owner in ("b", "a", "ä") for name in ("2", "10", "1")]

    def write(transaction: Transaction) -> None:
        for key in keys:
            put(transaction, key, 1, 1)

    store.transaction_now(write)
    assert store.read_now(lambda reading: list(shown(reading))) == sorted(keys)
    assert store.read_now(lambda reading: list(shown(reading, 1))) == sorted(keys)


def test_a_row_of_no_session_is_refused(store: Store) -> None:
    def write(transaction: Transaction) -> None:
        delete_session(transaction, "s1")
        put(transaction, KEYS[0], 1, 1)

    with pytest.raises(RowConflictError):
        store.transaction_now(write)


@pytest.mark.parametrize(
    "name", [name for name in METADATA.tables if f"{name}_old" in METADATA.tables]
)
def test_a_twin_has_the_columns_of_its_table_and_valid_to(name: str) -> None:
    current, old = METADATA.tables[name], METADATA.tables[f"{name}_old"]
    assert {column.name for column in old.c} == {column.name for column in current.c} | {"valid_to"}
    keys = [column.name for column in old.primary_key]
    assert keys[:2] == ["session_id", "valid_to"]
    assert {*keys} == {column.name for column in current.primary_key} | {"valid_to"}


def test_all_versioned_tables_are_known() -> None:
    pairs = {name for name in METADATA.tables if f"{name}_old" in METADATA.tables}
    assert pairs == {
        "characters",
        "character_schemas",
        "dimensions",
        "dimension_settlements",
        "history_summaries",
        "suspensions",
        "lorebook_entries",
        "plugin_data",
        "runtime_exports",
        "seats",
    }
