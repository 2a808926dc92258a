"""What an execution reads of its session, once and from one committed state."""

from collections.abc import Mapping
from dataclasses import dataclass

from covel_host.proposals.world_snapshot import WorldSnapshot, read_world
from covel_host.runtime.prompt_inputs import InputBinding
from covel_host.runtime.session_reads import player_input
from covel_host.store.player_inputs import last_player_input
from covel_host.store.records import SessionRecord
from covel_host.store.store import Store
from covel_host.store.transaction import Reading
from covel_host.turn.exports import WantedExport, read_exports
from covel_host.turn.journal import FrozenJournal, read_journal
from plugin_sdk.records import PlayerInput


@dataclass(frozen=True, slots=True, kw_only=True)
class FrozenSession:
    """The session as an execution sees it to its end.

    `exports` are the committed inputs, `last_input` is the players' latest answer.
    """

    journal: FrozenJournal
    world: WorldSnapshot
    exports: Mapping[str, InputBinding]
    last_input: PlayerInput | None


async def freeze_session(
    store: Store, session: SessionRecord, *, exports: Mapping[str, WantedExport]
) -> FrozenSession:
    """The session's journal, world, answers and `exports` as its revision left them."""
    return await store.read(
        lambda reading: FrozenSession(
            journal=read_journal(reading, session),
            world=read_world(reading, session),
            exports=read_exports(reading, session, exports),
            last_input=_last_input(reading, session),
        )
    )


def _last_input(reading: Reading, session: SessionRecord) -> PlayerInput | None:
    found = last_player_input(reading, session.session_id, at_revision=session.revision)
    return None if found is None else player_input(found)
