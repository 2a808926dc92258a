"""The journal as an execution freezes it."""

import asyncio
from pathlib import Path

from covel_host.models.messages import AssistantMessage, SystemMessage, UserMessage
from covel_host.store.messages import append_messages
from covel_host.store.records import MessageRecord, SessionRecord
from covel_host.store.sessions import advance_session, require_session
from covel_host.turn.admission import ManualRequest
from covel_host.turn.journal import read_journal
from tests.support.hosts import opened
from tests.support.packages import write_package
from tests.support.replies import say


def test_rows_keep_turn_role_and_package_and_players_are_counted(tmp_path: Path) -> None:
    write_package(tmp_path / "plugins" / "tale", io={"visibility": "story"})

    async def main() -> None:
        async with opened(tmp_path, say("Once.")) as host:
            report = await host.run(ManualRequest(target="tale", message="Begin."))
            store, at = host.ports.store, host.ports.clock.now()

            def frozen_session() -> SessionRecord:
                return store.read_now(lambda reading: require_session(reading, report.session_id))

            before = frozen_session()
            note = MessageRecord(
                message_id="m-note",
                session_id=report.session_id,
                turn_id="turn-2",
                revision=2,
                source="system",
                role="system",
                content="A note.",
                created_at=at,
            )

            def append(transaction: object) -> None:
                append_messages(transaction, [note])  # type: ignore[arg-type]
                advance_session(transaction, before, turn_id="turn-2", at=at)  # type: ignore[arg-type]

            store.transaction_now(append)
            after = frozen_session()
            journal = store.read_now(lambda reading: read_journal(reading, after))
            assert [row.message for row in journal.history] == [
                UserMessage("Begin."),
                AssistantMessage("Once."),
                SystemMessage("A note."),
            ]
            assert [row.plugin_id for row in journal.history] == [None, "tale", None]
            assert journal.history[0].turn_id == report.turn_id
            assert journal.player_messages == 1
            earlier = store.read_now(lambda reading: read_journal(reading, before))
            assert len(earlier.history) == 2

    asyncio.run(main())
