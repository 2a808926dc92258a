"""The committed journal as a run reads it, frozen when its execution begins."""

from dataclasses import dataclass

from covel_host.models.messages import AssistantMessage, Message, SystemMessage, UserMessage
from covel_host.runtime.prompt_inputs import HistoryRow
from covel_host.store.limits import MAX_LIMIT
from covel_host.store.messages import list_messages
from covel_host.store.records import MessageRecord, SessionRecord
from covel_host.store.transaction import Reading


@dataclass(frozen=True, slots=True)
class FrozenJournal:
    """The newest committed messages; `player_messages` counts those a player wrote."""

    history: tuple[HistoryRow, ...]
    player_messages: int


def read_journal(reading: Reading, session: SessionRecord) -> FrozenJournal:
    """The journal of `session` as its revision left it, at most 10,000 messages."""
    records = list_messages(
        reading, session.session_id, limit=MAX_LIMIT, at_revision=session.revision
    )
    return FrozenJournal(
        history=tuple(_row(record) for record in records),
        player_messages=sum(record.source == "player" for record in records),
    )


def _row(record: MessageRecord) -> HistoryRow:
    return HistoryRow(turn_id=record.turn_id, message=_message(record), plugin_id=record.plugin_id)


def _message(record: MessageRecord) -> Message:
    if record.role == "assistant":
        return AssistantMessage(record.content)
    if record.role == "user":
        return UserMessage(record.content)
    return SystemMessage(record.content)
