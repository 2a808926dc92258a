"""What an execution knows of the committed journal when it begins; agents read it later."""

from dataclasses import dataclass

from covel_host.store.messages import count_player_messages, list_messages
from covel_host.store.records import SessionRecord
from covel_host.store.transaction import Reading


@dataclass(frozen=True, slots=True)
class FrozenJournal:
    """How many messages players wrote, and whether the journal holds any message at all."""

    player_messages: int
    is_empty: bool


def read_journal(reading: Reading, session: SessionRecord) -> FrozenJournal:
    """The journal of `session` as its revision left it."""
    session_id, revision = session.session_id, session.revision
    return FrozenJournal(
        player_messages=count_player_messages(reading, session_id, at_revision=revision),
        is_empty=not list_messages(reading, session_id, limit=1, at_revision=revision),
    )
