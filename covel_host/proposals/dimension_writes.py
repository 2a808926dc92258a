"""`dimension.initialize` and `dimension.update`: batches from the session's provider only."""

from covel_host.proposals.dimension_rules import (
    assert_provider,
    assert_versions,
    initialized_dimension,
    updated_dimension,
)
from covel_host.proposals.place import CommitPlace
from covel_host.proposals.settlement_rules import settled_receipt
from covel_host.proposals.staged import StagedProposal
from covel_host.store.dimension_settlements import get_settlement, put_settlement
from covel_host.store.dimensions import get_dimension, put_dimension
from covel_host.store.records import DimensionRecord, SettlementRecord
from covel_host.store.transaction import Transaction
from covel_host.trace.events import SessionEvent
from plugin_sdk.proposals import DimensionInitialize, DimensionUpdate
from plugin_sdk.values import JsonObject


def initialize_dimensions(
    transaction: Transaction, place: CommitPlace, proposal: StagedProposal
) -> tuple[SessionEvent, ...]:
    """Create the dimensions that do not exist; the same definition again changes nothing."""
    assert_provider(proposal, place.dimension_provider_id)
    model = proposal.model
    assert isinstance(model, DimensionInitialize)
    made = []
    for dimension_id, definition in model.definitions.items():
        record = initialized_dimension(
            proposal,
            dimension_id,
            definition,
            get_dimension(transaction, place.session_id, dimension_id),
            session_id=place.session_id,
            locale=place.locale,
        )
        if record is not None:
            made.append(record)
    return _written(transaction, place, proposal, made)


def update_dimensions(
    transaction: Transaction, place: CommitPlace, proposal: StagedProposal
) -> tuple[SessionEvent, ...]:
    """Set all values and the receipt of the narrative they settle, or refuse them together."""
    assert_provider(proposal, place.dimension_provider_id)
    update = proposal.model
    assert isinstance(update, DimensionUpdate)
    named = {*(change.id for change in update.updates), *(update.read_versions or {})}
    found = (get_dimension(transaction, place.session_id, name) for name in sorted(named))
    current = {record.dimension_id: record for record in found if record is not None}
    assert_versions(proposal, update, current)
    source = None if update.source is None else update.source.members()
    changed = [
        updated_dimension(proposal, change, current[change.id], source) for change in update.updates
    ]
    receipt = _receipt(transaction, place, proposal, update)
    return _written(transaction, place, proposal, changed, receipt)


def _receipt(
    transaction: Transaction,
    place: CommitPlace,
    proposal: StagedProposal,
    update: DimensionUpdate,
) -> SettlementRecord | None:
    if update.settlement is None:
        return None
    current = None
    if update.source is not None:
        current = get_settlement(transaction, place.session_id, update.source.result_id)
    return settled_receipt(
        proposal, update, current, session_id=place.session_id, turn_id=place.turn_id
    )


def _written(
    transaction: Transaction,
    place: CommitPlace,
    proposal: StagedProposal,
    records: list[DimensionRecord],
    receipt: SettlementRecord | None = None,
) -> tuple[SessionEvent, ...]:
    """Write what was decided, and the events that tell of it."""
    for record in records:
        put_dimension(transaction, record, revision=place.revision)
    events = []
    payload: JsonObject = {
        "providerPluginId": proposal.plugin_id,
        "dimensions": {record.dimension_id: record.public() for record in records},
    }
    if receipt is not None:
        put_settlement(transaction, receipt, revision=place.revision)
        payload["settlement"] = _settlement(receipt)
        events = [settlement_event(place, receipt)]
    if records:
        events.insert(0, place.event("dimensions.changed", payload))
    return tuple(events)


def settlement_event(place: CommitPlace, receipt: SettlementRecord) -> SessionEvent:
    """The event that tells of a receipt."""
    told: JsonObject = {"providerPluginId": receipt.plugin_id, **_settlement(receipt)}
    return place.event("dimensions.settlement.changed", told)


def _settlement(receipt: SettlementRecord) -> JsonObject:
    return {
        "source": {"resultId": receipt.result_id, "turnNumber": receipt.turn_number},
        "sourceTurnId": receipt.source_turn_id,
        "version": receipt.version,
        "status": receipt.status,
    }
