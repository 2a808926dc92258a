"""From the runs of an execution to what it commits, and why it may not."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from covel_host.proposals.commit_units import RunRole
from covel_host.proposals.plan import (
    CommitProgress,
    ExecutionCommit,
    ExportWrite,
    HostWrites,
    NewMessage,
    RunWrites,
)
from covel_host.runtime.completion_prose import sanitize_prose
from covel_host.runtime.function_result import REPORTED_FAILURE
from covel_host.runtime.result import RunFailure, RuntimeResult
from covel_host.runtime.shown_result import shown_failure
from covel_host.store.package_failures import PackageFailures, put_package_failures
from covel_host.store.session_clock import write_clock
from covel_host.store.transaction import Transaction
from covel_host.trace.events import TraceEvent
from covel_host.turn.clock_changes import SetupChanges, setup_changes, trigger_rows
from covel_host.turn.facts import ExecutionFacts
from covel_host.turn.finished_runs import FinishedRun, FinishedRuns
from covel_host.turn.job_effects import refused_effect
from covel_host.turn.job_freezing import queue_deferred
from covel_host.turn.package_pauses import counted_failures
from covel_host.turn.providers import dimension_provider
from covel_host.turn.records import result_json, tool_call_records
from covel_host.turn.suspensions import suspension_writes
from plugin_sdk.values import JsonObject, JsonValue

EFFECTS_REFUSED = "effects-not-allowed"
DIMENSIONS_MISSING = "dimension-snapshot-unavailable"


def commit_obstacle(facts: ExecutionFacts, runs: Iterable[FinishedRun]) -> RunFailure | None:
    """Why an execution may not be committed, known before its transaction; None when it may.

    What was started by hand must not have failed. A story must have been told in prose that is not
    empty, unless its guard or a gate skipped it; one that waited for the world's dimensions in vain
    takes the execution with it (spec/transactions.md 4.4, spec/execution.md 13.2). Other runs that
    fail commit nothing themselves.
    """
    for run in runs:
        result = run.result
        is_target = facts.target is not None and facts.target.runtime.runtime_id == (
            run.runtime.runtime_id
        )
        if result.failure is not None and (is_target or run.runtime.declaration.is_story):
            if is_target and _is_told_failure(facts, result.failure):
                continue
            return shown_failure(result)
        refusal = _refused_effect(facts, run)
        if refusal is not None:
            return RunFailure(EFFECTS_REFUSED, refusal)
        if run.was_left_out and result.reason == DIMENSIONS_MISSING:
            return RunFailure(
                DIMENSIONS_MISSING,
                f"The story runtime {result.runtime_id!r} could not be told: the runtime that "
                "gives the world's dimensions failed.",
            )
        if run.is_told_story and not any(sanitize_prose(text) for text in run.prose):
            return RunFailure(
                "story_without_prose",
                f"The story runtime {result.runtime_id!r} ended without any prose.",
            )
    return None


def _is_told_failure(facts: ExecutionFacts, failure: RunFailure) -> bool:
    """Whether the job ends as failed by its runtime's own word, and is committed as that."""
    job = facts.job
    return (
        job is not None
        and job.lease.record.activation != "stage"
        and failure.code == REPORTED_FAILURE
    )


def _refused_effect(facts: ExecutionFacts, run: FinishedRun) -> str | None:
    """What a run of a job that the turn did not wait for changes and may not."""
    job = facts.job
    if job is None or job.lease.record.activation != "stage":
        return None
    return refused_effect(run.runtime.manifest, run.runtime.plugin_id, run.result.proposals)


def execution_commit(
    facts: ExecutionFacts,
    finished: FinishedRuns,
    trace: Sequence[TraceEvent],
    *,
    auto_snapshots_kept: int,
    secrets: Collection[str],
    finished_at: datetime,
    duration_ms: int,
    new_id: Callable[[str], str],
) -> ExecutionCommit:
    """Everything the transaction of this execution writes."""
    setup = setup_changes(facts, finished.runs, now=finished_at)
    return ExecutionCommit(
        session_id=facts.session.session_id,
        incarnation=facts.session.incarnation,
        turn_id=facts.turn_id,
        parent_turn_id=facts.parent_turn_id,
        origin=facts.origin,
        logical_turn_id=facts.logical_turn_id,
        logical_turn=facts.logical_turn,
        counts_turn=facts.counts_turn and (facts.continued is None or facts.continued.is_last),
        started_at=facts.started_at,
        finished_at=finished_at,
        duration_ms=duration_ms,
        results=tuple(_results(finished)),
        messages=(*_player_message(facts, new_id), *_interjections(finished.runs)),
        runs=tuple(_writes(run) for run in finished.runs if not run.was_left_out),
        tool_calls=tool_call_records(
            finished.results, session_id=facts.session.session_id, secrets=secrets
        ),
        trace=tuple(trace),
        phase=setup.phase,
        dimension_provider_id=dimension_provider(facts.catalog, facts.session),
        policies=facts.policies,
        auto_snapshots_kept=auto_snapshots_kept,
        extra_writes=_host_writes(facts, finished, setup, new_id=new_id, at=finished_at),
    )


def _results(finished: FinishedRuns) -> Iterable[dict[str, JsonValue]]:
    for run in finished.runs:
        yield _result(run.result)
        for nested in run.nested:
            origin: dict[str, JsonValue] = {
                "origin": nested.kind,
                "parentRunId": nested.parent_run_id,
            }
            yield {**_result(nested.result), **origin}


def _result(result: RuntimeResult) -> dict[str, JsonValue]:
    return result_json(result, () if result.reads is None else result.reads.reads)


def _host_writes(
    facts: ExecutionFacts,
    finished: FinishedRuns,
    setup: SetupChanges,
    *,
    new_id: Callable[[str], str],
    at: datetime,
) -> Callable[[Transaction, CommitProgress], HostWrites]:
    suspensions = suspension_writes(facts, finished.runs, new_id=new_id, at=at)
    runtime_of = {run.result.run_id: run.runtime.runtime_id for run in finished.runs}

    def write(transaction: Transaction, progress: CommitProgress) -> HostWrites:
        dropped = {run.run_id for run in progress.dropped}
        write_clock(
            transaction,
            facts.session.session_id,
            triggers=trigger_rows(facts, finished.runs, dropped=dropped),
            setup=setup.states,
            revision=progress.revision,
            at=at,
        )
        put_package_failures(
            transaction,
            facts.session.session_id,
            changed_failures(facts, finished.runs),
            revision=progress.revision,
            at=at,
        )
        held = suspensions.write(transaction, progress)
        dropped |= {run.run_id for run in held.dropped}
        queued = queue_deferred(
            transaction,
            facts,
            finished.deferred,
            dropped=dropped,
            runtime_of=runtime_of,
            at=at,
        )
        _end_job(transaction, facts, finished.runs)
        return replace(held, events=(*held.events, *queued))

    return write


def _end_job(transaction: Transaction, facts: ExecutionFacts, runs: Iterable[FinishedRun]) -> None:
    """The end of the job that the execution does, in its own commit."""
    if facts.job is None or facts.target is None:
        return
    target = facts.target.runtime.runtime_id
    failure = next(
        (shown_failure(run.result) for run in runs if run.runtime.runtime_id == target), None
    )
    if failure is None:
        facts.job.lease.move_in(transaction, "succeeded")
        return
    told: JsonObject = {"code": failure.code, "message": failure.message}
    facts.job.lease.move_in(transaction, "failed", failure=told)


def changed_failures(facts: ExecutionFacts, runs: Iterable[FinishedRun]) -> list[PackageFailures]:
    """The failures in a row that change; a run by hand counts neither way."""
    return [] if facts.is_by_hand else counted_failures(facts.frozen.failures, runs)


def _writes(run: FinishedRun) -> RunWrites:
    result = run.result
    return RunWrites(
        run_id=result.run_id,
        plugin_id=result.plugin_id,
        runtime_id=result.runtime_id,
        proposals=result.proposals,
        export=_export(run),
        role=_role(run),
        rests_on=run.rests_on,
        veto=run.veto,
    )


def _role(run: FinishedRun) -> RunRole:
    if run.is_told_story:
        return "story"
    return "setup" if run.runtime.declaration.stage == "setup" else "other"


def _export(run: FinishedRun) -> ExportWrite | None:
    name = run.runtime.manifest.io.output.record_as
    if name is None or not run.result.has_value:
        return None
    return ExportWrite(name=name, value=run.result.value, schema=run.runtime.schemas.output)


def _player_message(facts: ExecutionFacts, new_id: Callable[[str], str]) -> tuple[NewMessage, ...]:
    given = facts.input
    if given.message is None:
        return ()
    return (
        NewMessage(
            message_id=given.message_id or new_id("message"),
            source="player",
            role="user",
            content=given.message,
            created_at=facts.started_at,
            data={} if given.seat_id is None else {"seatId": given.seat_id},
            may_be_posted=given.message_id is not None,
        ),
    )


def _interjections(runs: Iterable[FinishedRun]) -> Iterable[NewMessage]:
    """What players added to stories that were told; it goes before the story in the journal."""
    for run in runs:
        if not run.is_told_story:
            continue
        for added in run.result.interjections:
            yield NewMessage(
                message_id=added.message_id,
                source="player",
                role="user",
                content=added.text,
                created_at=added.at,
                data={"isInterjection": True},
            )
