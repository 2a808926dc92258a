"""From the result of a run to what its execution commits, and why it may not."""

from collections.abc import Callable, Sequence
from datetime import datetime

from covel_host.proposals.commit_units import RunRole
from covel_host.proposals.errors import ProposalRefused
from covel_host.proposals.plan import ExecutionCommit, ExportWrite, NewMessage, RunWrites
from covel_host.proposals.read_sets import Read
from covel_host.runtime.completion_prose import sanitize_prose
from covel_host.runtime.result import RunFailure, RuntimeResult
from covel_host.trace.events import TraceEvent
from covel_host.turn.facts import ExecutionFacts
from covel_host.turn.providers import dimension_provider
from covel_host.turn.records import result_json, tool_call_records
from plugin_sdk.proposals import NarrativeAppend


def commit_obstacle(facts: ExecutionFacts, result: RuntimeResult) -> RunFailure | None:
    """Why an execution may not be committed, known before its transaction; None when it may.

    A run that failed or was aborted commits nothing; a story must have been told in prose that is
    not empty, and one that its guard skipped needs none (spec/transactions.md 4.4).
    """
    if result.failure is not None:
        return result.failure
    if _role(facts, result) == "story" and not _has_prose(result):
        return RunFailure(
            "story_without_prose",
            f"The story runtime {result.runtime_id!r} ended without any prose.",
        )
    return None


def execution_commit(
    facts: ExecutionFacts,
    result: RuntimeResult,
    trace: Sequence[TraceEvent],
    *,
    reads: Sequence[Read],
    veto: ProposalRefused | None,
    auto_snapshots_kept: int,
    finished_at: datetime,
    duration_ms: int,
    new_id: Callable[[str], str],
) -> ExecutionCommit:
    """Everything the transaction of this execution writes.

    `veto` is the refusal of one of the run's proposals, given before the commit.
    """
    return ExecutionCommit(
        session_id=facts.session.session_id,
        incarnation=facts.session.incarnation,
        turn_id=facts.turn_id,
        origin="manual",
        logical_turn_id=facts.turn_id,
        logical_turn=facts.logical_turn,
        started_at=facts.started_at,
        finished_at=finished_at,
        duration_ms=duration_ms,
        results=(result_json(result, reads),),
        messages=_player_message(facts, new_id),
        runs=(_writes(facts, result, veto),),
        tool_calls=tool_call_records([result], session_id=facts.session.session_id),
        trace=tuple(trace),
        dimension_provider_id=dimension_provider(facts.catalog, facts.session),
        policies=facts.policies,
        auto_snapshots_kept=auto_snapshots_kept,
    )


def _writes(
    facts: ExecutionFacts, result: RuntimeResult, veto: ProposalRefused | None
) -> RunWrites:
    return RunWrites(
        run_id=result.run_id,
        plugin_id=result.plugin_id,
        runtime_id=result.runtime_id,
        proposals=result.proposals,
        export=_export(facts, result),
        role=_role(facts, result),
        veto=veto,
    )


def _role(facts: ExecutionFacts, result: RuntimeResult) -> RunRole:
    manifest = facts.target.manifest
    if manifest.io.visibility == "story" and result.status == "success":
        return "story"
    return "setup" if manifest.schedule.stage == "setup" else "other"


def _has_prose(result: RuntimeResult) -> bool:
    return any(
        isinstance(proposal.model, NarrativeAppend) and sanitize_prose(proposal.model.content)
        for proposal in result.proposals
    )


def _export(facts: ExecutionFacts, result: RuntimeResult) -> ExportWrite | None:
    name = facts.target.manifest.io.output.record_as
    if name is None or not result.has_value:
        return None
    return ExportWrite(name=name, value=result.value, schema=facts.target.schemas.output)


def _player_message(facts: ExecutionFacts, new_id: Callable[[str], str]) -> tuple[NewMessage, ...]:
    request = facts.request
    if request.message is None:
        return ()
    return (
        NewMessage(
            message_id=request.input_message_id or new_id("message"),
            source="player",
            role="user",
            content=request.message,
            created_at=facts.started_at,
            may_be_posted=request.input_message_id is not None,
        ),
    )
