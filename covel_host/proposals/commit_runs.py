"""Writing what runs handed in, unit by unit: what is refused falls alone where it may.

Spec/transactions.md 4.1 to 4.3. A store error is no refusal: it ends the whole transaction.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from covel_host.proposals.commit_units import core_run_ids, fallen_with
from covel_host.proposals.errors import CommitRefused, FailedProposal, ProposalRefused
from covel_host.proposals.handlers import write_proposal
from covel_host.proposals.place import CommitPlace
from covel_host.proposals.plan import DroppedRun, RunWrites
from covel_host.store.transaction import Transaction
from covel_host.trace.events import SessionEvent

UPSTREAM_DROPPED = "upstream-dropped"
"""The code of a run that falls with one it rests on."""


@dataclass(slots=True)
class WrittenRuns:
    """What came of the runs so far; `kept` and `events` in execution order."""

    events: list[SessionEvent] = field(default_factory=list)
    kept: list[RunWrites] = field(default_factory=list)
    dropped: dict[str, DroppedRun] = field(default_factory=dict)
    failed: list[FailedProposal] = field(default_factory=list)


def write_runs(
    transaction: Transaction, place: CommitPlace, runs: Sequence[RunWrites]
) -> WrittenRuns:
    """Write the proposals of `runs` in execution order.

    Runs of the core unit write directly, each other one in a savepoint of its own, so that an
    execution of one unit pays for none.

    Raises:
        CommitRefused: the core unit lost a proposal, or a run that it rests on.
    """
    written = WrittenRuns()
    core = core_run_ids(runs)
    for run in runs:
        upstream = fallen_with(run, written.dropped)
        if upstream is not None:
            _drop_with(written, run, written.dropped[upstream], is_core=run.run_id in core)
        elif run.run_id in core:
            _write_core(transaction, place, run, written)
        else:
            _write_optional(transaction, place, run, written)
    return written


def _write_core(
    transaction: Transaction, place: CommitPlace, run: RunWrites, written: WrittenRuns
) -> None:
    try:
        events = _write_proposals(transaction, place, run)
    except ProposalRefused as refusal:
        raise CommitRefused(
            refusal.message,
            code=refusal.code,
            hint=refusal.hint,
            failed=(*written.failed, _failed(run, refusal)),
        ) from refusal
    _keep(written, run, events)


def _write_optional(
    transaction: Transaction, place: CommitPlace, run: RunWrites, written: WrittenRuns
) -> None:
    if not run.proposals:
        _keep(written, run, [])
        return
    try:
        events = transaction.savepoint(lambda inner: _write_proposals(inner, place, run))
    except ProposalRefused as refusal:
        written.failed.append(_failed(run, refusal))
        written.dropped[run.run_id] = DroppedRun(
            run_id=run.run_id,
            runtime_id=run.runtime_id,
            code=refusal.code,
            message=refusal.message,
        )
        return
    _keep(written, run, events)


def _write_proposals(
    transaction: Transaction, place: CommitPlace, run: RunWrites
) -> list[SessionEvent]:
    if run.veto is not None:
        raise run.veto
    events: list[SessionEvent] = []
    for proposal in run.proposals:
        events.extend(write_proposal(transaction, place, proposal))
    return events


def _keep(written: WrittenRuns, run: RunWrites, events: list[SessionEvent]) -> None:
    written.kept.append(run)
    written.events += events


def _drop_with(
    written: WrittenRuns, run: RunWrites, upstream: DroppedRun, *, is_core: bool
) -> None:
    message = (
        f"{run.runtime_id!r} rests on {upstream.runtime_id!r}, which was not committed: "
        f"{upstream.message}"
    )
    if is_core:
        raise CommitRefused(message, code=upstream.code, failed=tuple(written.failed))
    written.dropped[run.run_id] = DroppedRun(
        run_id=run.run_id,
        runtime_id=run.runtime_id,
        code=UPSTREAM_DROPPED,
        message=message,
        because_of=upstream.run_id,
    )


def _failed(run: RunWrites, refusal: ProposalRefused) -> FailedProposal:
    # Services of other packages write in the run's unit, too.
    owners = (one.plugin_id for one in run.proposals if one.proposal_id == refusal.proposal_id)
    return FailedProposal(
        proposal_id=refusal.proposal_id,
        proposal_type=refusal.proposal_type,
        plugin_id=next(owners, run.plugin_id),
        runtime_id=run.runtime_id,
        run_id=run.run_id,
        code=refusal.code,
        message=refusal.message,
    )
