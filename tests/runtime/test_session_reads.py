"""Messages of a session as package code reads them: frozen, newest first or page by page."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from covel_host.runtime.session_reads import MAX_PAGE, SessionReads
from covel_host.store.messages import append_messages
from covel_host.store.options import StoreOptions
from covel_host.store.records import MessageRecord, SessionRecord
from covel_host.store.sessions import advance_session, insert_session, require_session
from covel_host.store.store import Store
from covel_host.store.transaction import Transaction
from plugin_sdk.errors import ToolError

AT = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store.open(StoreOptions(path=tmp_path / "covel.db"))
    session = SessionRecord(
        session_id="s1",
        incarnation="i1",
        created_at=AT,
        updated_at=AT,
        locale="en",
        active_packages=("demo",),
    )
    opened.transaction_now(lambda transaction: insert_session(transaction, session))
    yield opened
    opened.close()


def add(store: Store, count: int) -> SessionReads:
    """Commit `count` more messages in one turn; reads of the session as it is then."""

    def body(transaction: Transaction) -> SessionRecord:
        session = require_session(transaction, "s1")
        revision = session.revision + 1
        append_messages(
            transaction,
            [
                MessageRecord(
                    message_id=f"m{revision}-{number}",
                    session_id="s1",
                    turn_id=f"t{revision}",
                    revision=revision,
                    source="player",
                    role="user",
                    content=f"{revision}.{number}",
                    created_at=AT,
                )
                for number in range(count)
            ],
        )
        return advance_session(transaction, session, turn_id=f"t{revision}", at=AT)

    return SessionReads(store, store.transaction_now(body))


def newest(reads: SessionReads, limit: int | None) -> list[str]:
    return [message.content for message in asyncio.run(reads.newest(limit))]


def test_the_newest_messages_come_oldest_first(store: Store) -> None:
    reads = add(store, 3)
    assert newest(reads, None) == ["1.0", "1.1", "1.2"]
    assert newest(reads, 2) == ["1.1", "1.2"]
    assert newest(reads, 0) == []


def test_all_messages_are_read_however_many(store: Store) -> None:
    reads = add(store, 1203)
    found = newest(reads, None)
    assert (len(found), found[0], found[-1]) == (1203, "1.0", "1.1202")
    assert newest(reads, 700) == found[-700:]


def test_what_is_committed_later_is_not_seen(store: Store) -> None:
    before = add(store, 2)
    after = add(store, 2)
    assert newest(before, None) == ["1.0", "1.1"]
    assert newest(before, 1) == ["1.1"]
    assert newest(after, 3) == ["1.1", "2.0", "2.1"]
    page = asyncio.run(before.page(after=None, limit=10))
    assert ([m.content for m in page.messages], page.has_more) == (["1.0", "1.1"], False)


@pytest.mark.parametrize("limit", [1, 2, 3, 500])
def test_pages_follow_each_other_without_gap_or_overlap(store: Store, limit: int) -> None:
    reads = add(store, 7)

    async def main() -> list[str]:
        found: list[str] = []
        cursor, has_more = None, True
        while has_more:
            page = await reads.page(after=cursor, limit=limit)
            assert len(page.messages) <= limit
            found += [message.content for message in page.messages]
            cursor, has_more = page.cursor, page.has_more
        again = await reads.page(after=cursor, limit=limit)
        assert (again.messages, again.cursor, again.has_more) == ((), cursor, False)
        return found

    assert asyncio.run(main()) == [f"1.{number}" for number in range(7)]


def test_an_empty_session_has_an_empty_page(store: Store) -> None:
    reads = add(store, 0)
    page = asyncio.run(reads.page(after=None, limit=5))
    assert (page.messages, page.cursor, page.has_more) == ((), None, False)


@pytest.mark.parametrize(
    ("after", "limit"), [(None, 0), (None, MAX_PAGE + 1), ("x", 5), ("-1", 5), ("9" * 30, 5)]
)
def test_wrong_pages_are_refused(store: Store, after: str | None, limit: int) -> None:
    reads = add(store, 1)
    with pytest.raises(ToolError) as caught:
        asyncio.run(reads.page(after=after, limit=limit))
    assert caught.value.code == "invalid-input"
    with pytest.raises(ToolError):
        asyncio.run(reads.newest(-1))
