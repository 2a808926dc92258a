"""`narrative.append`: story text becomes a message of the journal."""

from covel_host.proposals.place import CommitPlace, origin, own_id
from covel_host.proposals.staged import StagedProposal
from covel_host.store.messages import append_messages
from covel_host.store.records import MessageRecord
from covel_host.store.transaction import Transaction
from covel_host.trace.events import SessionEvent
from plugin_sdk.values import JsonObject

NARRATIVE = "narrative"


def append_narrative(
    transaction: Transaction, place: CommitPlace, proposal: StagedProposal
) -> tuple[SessionEvent, ...]:
    """Append the text, its segments beside it."""
    payload = proposal.payload
    data = {name: payload[name] for name in ("segments",) if payload.get(name) is not None}
    message = runtime_message(
        place, proposal, kind=NARRATIVE, content=str(payload["content"]), data=data
    )
    append_messages(transaction, [message])
    event: JsonObject = {
        "content": message.content,
        "kind": NARRATIVE,
        "messageId": message.message_id,
        **origin(proposal),
    }
    return (place.event("narrative.completed", event),)


def runtime_message(
    place: CommitPlace, proposal: StagedProposal, *, kind: str, content: str, data: JsonObject
) -> MessageRecord:
    """The one journal message that a proposal makes."""
    return MessageRecord(
        message_id=own_id("message", proposal),
        session_id=place.session_id,
        turn_id=place.turn_id,
        revision=place.revision,
        source="runtime",
        role="assistant",
        kind=kind,
        content=content,
        plugin_id=proposal.plugin_id,
        runtime_id=proposal.runtime_id,
        data=data,
        created_at=place.at,
    )
