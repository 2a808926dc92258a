"""The one table of proposal types: how each is written, and which events tell of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from covel_host.proposals.asset_writes import record_asset
from covel_host.proposals.character_writes import set_character_schema, upsert_character
from covel_host.proposals.dimension_writes import initialize_dimensions, update_dimensions
from covel_host.proposals.event_writes import emit_event
from covel_host.proposals.interface_writes import render_ui, request_interaction
from covel_host.proposals.lorebook_writes import upsert_lorebook
from covel_host.proposals.media_refs import media_problem
from covel_host.proposals.narrative_writes import append_narrative
from covel_host.proposals.place import CommitPlace
from covel_host.proposals.plugin_data_writes import write_plugin_data
from covel_host.proposals.staged import StagedProposal
from covel_host.store.transaction import Reading, Transaction
from covel_host.trace.events import SessionEvent
from plugin_sdk.proposals import ProposalType

Write = Callable[[Transaction, CommitPlace, StagedProposal], tuple[SessionEvent, ...]]


@dataclass(frozen=True, slots=True)
class Handler:
    """How one type is written; `events` are the names of the events that its commit sends."""

    write: Write
    events: tuple[str, ...]


def write_proposal(
    transaction: Transaction, place: CommitPlace, proposal: StagedProposal
) -> tuple[SessionEvent, ...]:
    """Write one staged proposal; the events that tell clients of it once it is committed.

    Raises:
        ProposalRefused: a media reference that the session may not use, or a rule of its type that
            it breaks in the state it is written on.
    """
    _assert_media_usable(transaction, place, proposal)
    return HANDLERS[proposal.type].write(transaction, place, proposal)


def _assert_media_usable(reading: Reading, place: CommitPlace, proposal: StagedProposal) -> None:
    for use in proposal.media:
        problem = media_problem(reading, place.session_id, use)
        if problem is not None:
            raise proposal.refusal(problem.code, problem.message)


_PLUGIN_DATA = Handler(write_plugin_data, ("plugin-data.changed",))

HANDLERS: Mapping[ProposalType, Handler] = MappingProxyType(
    {
        "narrative.append": Handler(append_narrative, ("narrative.completed",)),
        "event.emit": Handler(emit_event, ("event.emitted",)),
        "interaction.request": Handler(request_interaction, ("interaction.requested",)),
        "ui.render": Handler(render_ui, ("ui.rendered", "ui.part.update")),
        "asset.generate": Handler(record_asset, ("asset.generated",)),
        "plugin.data": _PLUGIN_DATA,
        "plugin.data.batch": _PLUGIN_DATA,
        "plugin.data.delete": _PLUGIN_DATA,
        "plugin.data.update": _PLUGIN_DATA,
        "character.upsert": Handler(upsert_character, ("character.upserted",)),
        "character.schema.set": Handler(set_character_schema, ("character-schema.changed",)),
        "dimension.initialize": Handler(initialize_dimensions, ("dimensions.changed",)),
        "dimension.update": Handler(
            update_dimensions, ("dimensions.changed", "dimensions.settlement.changed")
        ),
        "lorebook.upsert": Handler(upsert_lorebook, ("record.updated",)),
    }
)
"""The handler of each type; a test keeps it equal to the SDK's types, models and event names."""
