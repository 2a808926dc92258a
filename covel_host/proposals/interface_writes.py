"""`interaction.request` and `ui.render`: what the player is asked and shown."""

from covel_host.proposals.place import CommitPlace, origin, own_id
from covel_host.proposals.staged import StagedProposal
from covel_host.store.interactions import append_interaction
from covel_host.store.records import InteractionRecord
from covel_host.store.transaction import Transaction
from covel_host.store.ui_blocks import append_ui_block
from covel_host.trace.events import SessionEvent
from plugin_sdk.errors import ToolValidationError
from plugin_sdk.proposals import InteractionRequest
from plugin_sdk.rules.forms import check_form_fields
from plugin_sdk.values import JsonObject

UI_SOURCE = "proposal"
"""Where a committed block comes from; `ui.slot.…` events have sources of their own."""


def request_interaction(
    transaction: Transaction, place: CommitPlace, proposal: StagedProposal
) -> tuple[SessionEvent, ...]:
    """Keep the question where its answer can find it."""
    interaction = proposal.payload["interaction"]
    assert isinstance(interaction, dict)
    _assert_answerable(proposal)
    record = InteractionRecord(
        source=place.source(proposal),
        interaction_id=str(interaction["interactionId"]),
        interaction=interaction,
    )
    append_interaction(transaction, record)
    block: JsonObject = {
        "id": record.interaction_id,
        "type": interaction["type"],
        "data": interaction,
        "meta": {"proposalId": proposal.proposal_id},
    }
    payload: JsonObject = {"block": block, **origin(proposal), "turnId": place.turn_id}
    return (place.event("interaction.requested", payload),)


def render_ui(
    transaction: Transaction, place: CommitPlace, proposal: StagedProposal
) -> tuple[SessionEvent, ...]:
    """Put the block behind the newest message; one event for it and one for each part."""
    render = proposal.payload
    record = append_ui_block(
        transaction,
        place.source(proposal),
        block_id=own_id("block", proposal),
        render=render,
    )
    common: JsonObject = {**origin(proposal), "proposalId": proposal.proposal_id}
    block: JsonObject = {"id": record.block_id, "afterMessage": record.after_message}
    rendered = {**common, "source": UI_SOURCE, "render": render, "block": block}
    parts = render["parts"]
    assert isinstance(parts, list)
    return (
        place.event("ui.rendered", rendered),
        *(
            place.event("ui.part.update", {**common, "blockId": record.block_id, "part": part})
            for part in parts
        ),
    )


def _assert_answerable(proposal: StagedProposal) -> None:
    """A form that no answer can satisfy is refused here, not when the player has filled it in."""
    request = proposal.model
    assert isinstance(request, InteractionRequest)
    if request.interaction.type != "form":
        return
    try:
        check_form_fields([field.members() for field in request.interaction.fields])
    except ToolValidationError as error:
        raise proposal.refusal("proposal-invalid", error.message, hint=error.hint) from error
