"""What an execution knows of the journal when it begins."""

import asyncio
from pathlib import Path

from covel_host.store.messages import append_messages
from covel_host.store.records import MessageRecord, SessionRecord
from covel_host.store.sessions import advance_session, require_session
from covel_host.store.transaction import Transaction
from covel_host.turn.journal import FrozenJournal, read_journal
from tests.support.hosts import opened
from tests.support.packages import write_package


def test_player_messages_are_counted_as_the_revision_left_them(tmp_path: Path) -> None:
    write_package(tmp_path / "plugins" / "tale", io={"visibility": "story"})

    async def main() -> list[FrozenJournal]:
        async with opened(tmp_path) as host:
            session_id = await host.open_session(["tale"])
            store, at = host.ports.store, host.ports.clock.now()

            def session() -> SessionRecord:
                return store.read_now(lambda reading: require_session(reading, session_id))

            def frozen(of: SessionRecord) -> FrozenJournal:
                return store.read_now(lambda reading: read_journal(reading, of))

            before = session()
            rows = [
                MessageRecord(
                    message_id=f"m-{turn}-{source}",
                    session_id=session_id,
                    turn_id=f"turn-{turn}",
                    revision=1,
                    source=source,
                    role="user" if source == "player" else "assistant",
                    content="Text.",
                    created_at=at,
                )
                for turn in range(3)
                for source in ("player", "runtime")
            ]

            def append(transaction: Transaction) -> None:
                append_messages(transaction, rows)
                advance_session(transaction, before, turn_id="turn-0", at=at)

            await store.transaction(append)
            return [frozen(before), frozen(session())]

    assert asyncio.run(main()) == [
        FrozenJournal(player_messages=0, is_empty=True),
        FrozenJournal(player_messages=3, is_empty=False),
    ]
