"""The committed history as the agents of one execution are shown it."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from covel_host.models.messages import AssistantMessage, SystemMessage, UserMessage
from covel_host.runtime.session_history import SessionHistory
from covel_host.store.messages import append_messages
from covel_host.store.records import MessageRecord, SessionRecord
from covel_host.store.sessions import advance_session, require_session
from covel_host.store.store import Store
from covel_host.store.transaction import Reading, Row, Transaction
from covel_host.turn.admission import ManualRequest
from covel_host.turn.journal import read_journal
from tests.support.extension_packages import fill_journal
from tests.support.hosts import opened
from tests.support.packages import write_package
from tests.support.replies import say


async def same(records: Sequence[MessageRecord]) -> Sequence[MessageRecord]:
    return records


def session_of(store: Store, session_id: str) -> SessionRecord:
    return store.read_now(lambda reading: require_session(reading, session_id))


def test_rows_keep_turn_role_and_package_as_the_revision_left_them(tmp_path: Path) -> None:
    write_package(tmp_path / "plugins" / "tale", io={"visibility": "story"})

    async def main() -> None:
        async with opened(tmp_path, say("Once.")) as host:
            report = await host.run(ManualRequest(target="tale", message="Begin."))
            store, at = host.ports.store, host.ports.clock.now()
            before = session_of(store, report.session_id)
            added = [
                MessageRecord(
                    message_id=f"m-{kind}",
                    session_id=report.session_id,
                    turn_id="turn-2",
                    revision=2,
                    source="system" if kind == "note" else "runtime",
                    role="system" if kind == "note" else "assistant",
                    kind=kind,
                    content=f"A {kind}.",
                    plugin_id=None if kind == "note" else "tale",
                    created_at=at,
                )
                for kind in ("note", "image", "data")
            ]

            def append(transaction: Transaction) -> None:
                append_messages(transaction, added)
                advance_session(transaction, before, turn_id="turn-2", at=at)

            store.transaction_now(append)
            after = session_of(store, report.session_id)
            rows = (await SessionHistory(store, after).whole(same)).shown.rows
            assert [row.message for row in rows] == [
                UserMessage("Begin."),
                AssistantMessage("Once."),
                SystemMessage("A note."),
                AssistantMessage("A image."),
                AssistantMessage("A data."),
            ]
            assert [row.plugin_id for row in rows] == [None, "tale", None, "tale", "tale"]
            # What is neither told nor shown is data, for its own package only.
            assert [row.is_structured for row in rows] == [False] * 4 + [True]
            assert rows[0].turn_id == report.turn_id
            assert len((await SessionHistory(store, before).whole(same)).records) == 2

    asyncio.run(main())


@pytest.mark.parametrize("max_turns", [0, 1, 2, 20, 299, 300, 1000])
def test_a_window_reads_the_newest_turns_whole(tmp_path: Path, max_turns: int) -> None:
    async def main() -> None:
        async with opened(tmp_path) as host:
            session_id = await host.open_session([])
            store, at = host.ports.store, host.ports.clock.now()
            rows = [
                MessageRecord(
                    message_id=f"m-{turn}-{number}",
                    session_id=session_id,
                    turn_id=f"turn-{turn}",
                    revision=1,
                    source="player" if number == 0 else "runtime",
                    role="user" if number == 0 else "assistant",
                    content=f"Text {turn}.",
                    created_at=at,
                )
                for turn in range(300)
                for number in range(1 + turn % 40)
            ]
            session = session_of(store, session_id)

            def append(transaction: Transaction) -> None:
                append_messages(transaction, rows)
                advance_session(transaction, session, turn_id="turn-0", at=at)

            await store.transaction(append)
            history = SessionHistory(store, session_of(store, session_id))
            shown = await history.window(max_turns, same, with_summaries=False)
            expected = [
                row.turn_id for row in rows if int(row.turn_id.split("-")[1]) >= 300 - max_turns
            ]
            assert [row.turn_id for row in shown.rows] == expected

    asyncio.run(main())


def test_what_a_window_reads_does_not_grow_with_the_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    rows_of = Reading.rows

    def counted(self: Reading, *args: Any) -> list[Row]:
        rows = rows_of(self, *args)
        read.append(len(rows))
        return rows

    async def rows_read(turns: int) -> int:
        async with opened(tmp_path / str(turns)) as host:
            session_id = await host.open_session([])
            fill_journal(host, session_id, turns)
            store = host.ports.store
            session = session_of(store, session_id)
            read.clear()
            store.read_now(lambda reading: read_journal(reading, session))
            await SessionHistory(store, session).window(20, same, with_summaries=False)
            return sum(read)

    monkeypatch.setattr(Reading, "rows", counted)
    young, old = asyncio.run(rows_read(60)), asyncio.run(rows_read(2_000))
    assert young == old <= 100


def test_agents_at_once_read_one_history(tmp_path: Path) -> None:
    projected: list[int] = []

    async def count(records: Sequence[MessageRecord]) -> Sequence[MessageRecord]:
        await asyncio.sleep(0)
        projected.append(len(records))
        return records

    async def main() -> None:
        async with opened(tmp_path) as host:
            session_id = await host.open_session([])
            fill_journal(host, session_id, 10)
            history = SessionHistory(host.ports.store, session_of(host.ports.store, session_id))
            async with asyncio.TaskGroup() as group:
                for _ in range(5):
                    group.create_task(history.whole(count))
                    group.create_task(history.window(3, count, with_summaries=False))
            assert sorted(projected) == [6, 20]

    asyncio.run(main())
