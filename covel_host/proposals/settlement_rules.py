"""Receipts of dimension settlements: a narrative is settled once (spec/world.md 3.8)."""

from covel_host.proposals.staged import StagedProposal
from covel_host.store.records import SettlementRecord
from plugin_sdk.proposals import DimensionUpdate


def settled_receipt(
    proposal: StagedProposal,
    update: DimensionUpdate,
    current: SettlementRecord | None,
    *,
    session_id: str,
    turn_id: str,
) -> SettlementRecord:
    """The receipt that an update with a settlement leaves; the frozen inputs of a debt go.

    Without a debt on record the narrative is of the turn that is being committed.

    Raises:
        ProposalRefused: `proposal-invalid` without a source, for changes under `no-change`, or for
            another turn than the debt is of; `dimension-already-settled`.
    """
    source, settlement = update.source, update.settlement
    assert settlement is not None
    if source is None:
        raise proposal.refusal("proposal-invalid", "a settlement needs the source it settles.")
    if settlement.status == "no-change" and update.updates:
        raise proposal.refusal(
            "proposal-invalid", "a settlement without changes holds changed values."
        )
    if current is not None:
        _assert_open(proposal, current, turn_number=source.turn_number)
    return SettlementRecord(
        session_id=session_id,
        result_id=source.result_id,
        plugin_id=proposal.plugin_id,
        turn_number=source.turn_number,
        source_turn_id=turn_id if current is None else current.source_turn_id,
        version=1 if current is None else current.version + 1,
        status=settlement.status,
    )


def _assert_open(proposal: StagedProposal, current: SettlementRecord, *, turn_number: int) -> None:
    if current.status != "pending-settlement":
        raise proposal.refusal(
            "dimension-already-settled",
            f"the narrative {current.result_id!r} is {current.status}, and receipts are final.",
        )
    if current.turn_number != turn_number:
        raise proposal.refusal(
            "proposal-invalid",
            f"the narrative {current.result_id!r} is of turn {current.turn_number}, not "
            f"{turn_number}.",
        )
