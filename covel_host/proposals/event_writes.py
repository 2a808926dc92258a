"""`event.emit`: a domain event that has been committed."""

from covel_host.proposals.place import CommitPlace
from covel_host.proposals.staged import StagedProposal
from covel_host.store.events import append_event
from covel_host.store.records import EventRecord
from covel_host.store.transaction import Transaction
from covel_host.trace.events import SessionEvent
from plugin_sdk.proposals import EventEmit
from plugin_sdk.values import JsonObject


def emit_event(
    transaction: Transaction, place: CommitPlace, proposal: StagedProposal
) -> tuple[SessionEvent, ...]:
    """Keep the event and tell clients of it; who it starts was decided while the turn ran."""
    emitted = proposal.model
    assert isinstance(emitted, EventEmit)
    record = EventRecord(source=place.source(proposal), topic=emitted.topic, data=emitted.data)
    append_event(transaction, record)
    payload: JsonObject = {
        "topic": record.topic,
        "data": record.data,
        "pluginId": proposal.plugin_id,
    }
    return (place.event("event.emitted", payload),)
