"""Rows that are only added: numbered, paged, and as a revision left them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from covel_host.store.errors import RowConflictError
from covel_host.store.events import append_event, list_events
from covel_host.store.records import CommittedFrom, EventRecord
from covel_host.store.sessions import delete_session, insert_session
from covel_host.store.store import Store
from covel_host.store.tables import APPENDED_TABLES
from tests.store.builders import START, options, session


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store.open(options(tmp_path))
    for session_id in ("s1", "s2"):
        opened.transaction_now(
            lambda transaction: insert_session(transaction, session(session_id))  # noqa: B023
        )
    yield opened
    opened.close()


def event(number: int, session_id: str = "s1", revision: int = 1) -> EventRecord:
    source = CommittedFrom(
        session_id=session_id,
        revision=revision,
        turn_id=f"t{revision}",
        plugin_id="echo-demo",
        runtime_id="echo-demo",
        proposal_id=f"proposal-{number}",
        created_at=START,
    )
    return EventRecord(source=source, topic=f"topic-{number}", data={"n": number})


def add(store: Store, *records: EventRecord) -> None:
    for record in records:
        store.transaction_now(lambda transaction: append_event(transaction, record))  # noqa: B023


def topics(records: list[EventRecord]) -> list[str]:
    return [record.topic for record in records]


def test_each_session_numbers_its_own_rows(store: Store) -> None:
    add(store, event(1), event(2, "s2"), event(3))
    for session_id, numbers in (("s1", [1, 3]), ("s2", [2])):
        records = store.read_now(lambda reading: list_events(reading, session_id))  # noqa: B023
        assert [record.source.sequence for record in records] == [*range(1, len(numbers) + 1)]
        assert topics(records) == [f"topic-{number}" for number in numbers]
        assert records[0].source.created_at == START


def test_rows_are_read_backwards_in_pages(store: Store) -> None:
    add(store, *(event(number) for number in range(1, 6)))
    newest = store.read_now(lambda reading: list_events(reading, "s1", limit=2))
    assert topics(newest) == ["topic-4", "topic-5"]
    before = newest[0].source.sequence
    older = store.read_now(lambda reading: list_events(reading, "s1", limit=2, before=before))
    assert topics(older) == ["topic-2", "topic-3"]


def test_a_revision_shows_what_was_there(store: Store) -> None:
    add(store, event(1), event(2, revision=2), event(3, revision=3))
    shown = store.read_now(lambda reading: list_events(reading, "s1", at_revision=2))
    assert topics(shown) == ["topic-1", "topic-2"]


def test_rows_go_with_their_session_and_none_come_without(store: Store) -> None:
    add(store, event(1))
    store.transaction_now(lambda transaction: delete_session(transaction, "s1"))
    assert store.read_now(lambda reading: list_events(reading, "s1")) == []
    with pytest.raises(RowConflictError):
        add(store, event(1))


@pytest.mark.parametrize("table", APPENDED_TABLES, ids=lambda table: table.name)
def test_appended_tables_share_their_first_columns_and_end_with_the_time(table: object) -> None:
    names = [column.name for column in table.c]  # type: ignore[attr-defined]
    assert names[:7] == [
        "session_id",
        "sequence",
        "revision",
        "turn_id",
        "plugin_id",
        "runtime_id",
        "proposal_id",
    ]
    assert names[-1] == "created_at"
