"""What a committed narrative owes: dimensions with a rule are to be settled from it.

A debt is registered whatever becomes of the runtime that settles, and its receipt takes its place
(spec/transactions.md 8, spec/world.md 3.8).
"""

from collections.abc import Sequence

from covel_host.proposals.dimension_writes import settlement_event
from covel_host.proposals.place import CommitPlace
from covel_host.proposals.plan import RunWrites
from covel_host.store.dimension_settlements import get_settlement, put_settlement
from covel_host.store.dimensions import every_dimension
from covel_host.store.records import DimensionRecord, SettlementRecord
from covel_host.store.transaction import Transaction
from covel_host.trace.events import SessionEvent
from plugin_sdk.values import JsonObject


def ruled_dimensions(
    transaction: Transaction, place: CommitPlace, runs: Sequence[RunWrites]
) -> tuple[DimensionRecord, ...]:
    """The dimensions that have a rule, as they stand now; none when no run tells a story.

    To be asked before the runs are written: these are the versions that the story was told on.
    """
    if place.dimension_provider_id is None or not any(_tells(run) for run in runs):
        return ()
    return tuple(
        record
        for record in every_dimension(transaction, place.session_id)
        if record.definition.get("updateRule")
    )


def register_debts(
    transaction: Transaction,
    place: CommitPlace,
    kept: Sequence[RunWrites],
    ruled: Sequence[DimensionRecord],
    *,
    logical_turn: int,
) -> tuple[SessionEvent, ...]:
    """Keep a pending receipt for each narrative that this very commit did not settle.

    A narrative's result ID is the ID of the run that told it.
    """
    if not ruled:
        return ()
    assert place.dimension_provider_id is not None
    frozen = _frozen(ruled)
    events = []
    for run in kept:
        if _tells(run) and get_settlement(transaction, place.session_id, run.run_id) is None:
            debt = SettlementRecord(
                session_id=place.session_id,
                result_id=run.run_id,
                plugin_id=place.dimension_provider_id,
                turn_number=logical_turn,
                source_turn_id=place.turn_id,
                version=1,
                status="pending-settlement",
                frozen=frozen,
            )
            put_settlement(transaction, debt, revision=place.revision)
            events.append(settlement_event(place, debt))
    return tuple(events)


def _tells(run: RunWrites) -> bool:
    return run.role == "story" and any(
        proposal.type == "narrative.append" for proposal in run.proposals
    )


def _frozen(ruled: Sequence[DimensionRecord]) -> JsonObject:
    return {
        "definitions": {record.dimension_id: record.definition for record in ruled},
        "readVersions": {record.dimension_id: record.version for record in ruled},
    }
