"""What an execution reads of its session, once and from one committed state."""

from collections.abc import Mapping
from dataclasses import dataclass

from covel_host.proposals.world_snapshot import WorldSnapshot, read_world
from covel_host.runtime.prompt_inputs import InputBinding
from covel_host.runtime.session_reads import player_input
from covel_host.store.package_failures import PackageFailures, read_package_failures
from covel_host.store.player_inputs import last_player_input
from covel_host.store.records import SessionRecord
from covel_host.store.session_choices import read_model_overrides
from covel_host.store.session_clock import SessionClock, read_clock
from covel_host.store.store import Store
from covel_host.store.transaction import Reading
from covel_host.turn.exports import WantedExport, read_exports
from covel_host.turn.journal import FrozenJournal, read_journal
from covel_host.turn.session_settings import SessionSettings, read_session_settings
from plugin_sdk.records import PlayerInput


@dataclass(frozen=True, slots=True, kw_only=True)
class FrozenSession:
    """The session as an execution sees it to its end.

    `exports` are the committed inputs by runtime ID, `clock` is the session's clock, `last_input`
    the players' latest answer. `settings` are what players and the world set, `model_slots` the
    slots that players chose, by runtime ID, `failures` those in a row of each package.
    """

    journal: FrozenJournal
    world: WorldSnapshot
    exports: Mapping[str, Mapping[str, InputBinding]]
    clock: SessionClock
    last_input: PlayerInput | None
    settings: SessionSettings
    model_slots: Mapping[str, str]
    failures: Mapping[str, PackageFailures]


async def freeze_session(
    store: Store,
    session: SessionRecord,
    *,
    exports: Mapping[str, Mapping[str, WantedExport]],
) -> FrozenSession:
    """The session's journal, world, clock, answers and `exports` as its revision left them.

    `exports` are the committed inputs that each runtime wants, by runtime ID and slot.
    """
    return await store.read(
        lambda reading: FrozenSession(
            journal=read_journal(reading, session),
            world=read_world(reading, session),
            exports={
                runtime_id: read_exports(reading, session, wanted)
                for runtime_id, wanted in exports.items()
            },
            clock=read_clock(reading, session.session_id),
            last_input=_last_input(reading, session),
            settings=read_session_settings(reading, session.session_id),
            model_slots=read_model_overrides(reading, session.session_id),
            failures=read_package_failures(reading, session.session_id),
        )
    )


def _last_input(reading: Reading, session: SessionRecord) -> PlayerInput | None:
    found = last_player_input(reading, session.session_id, at_revision=session.revision)
    return None if found is None else player_input(found)
