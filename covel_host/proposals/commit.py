"""The commit of one execution: one plain function of store statements, unit by unit."""

from collections.abc import Sequence
from dataclasses import replace

from covel_host.proposals.commit_messages import write_messages
from covel_host.proposals.commit_results import rewritten_results
from covel_host.proposals.commit_runs import write_runs
from covel_host.proposals.errors import FailedProposal
from covel_host.proposals.export_writes import write_exports
from covel_host.proposals.place import CommitPlace
from covel_host.proposals.plan import (
    CommitProgress,
    CommitReport,
    ExecutionCommit,
    HostWrites,
)
from covel_host.proposals.settlement_debts import register_debts, ruled_dimensions
from covel_host.store.prompt_parts import keep_prompt_parts
from covel_host.store.records import CommitStatus, SessionRecord, TraceRecord, TurnRecord
from covel_host.store.sessions import advance_session, require_session
from covel_host.store.snapshots import keep_auto_snapshot
from covel_host.store.tool_calls import insert_tool_calls
from covel_host.store.traces import insert_trace
from covel_host.store.transaction import Transaction
from covel_host.store.turns import count_logical_turn, put_turn, set_turn_results
from covel_host.trace.events import SessionEvent, TraceEvent
from plugin_sdk.values import JsonValue


def commit_execution(transaction: Transaction, commit: ExecutionCommit) -> CommitReport:
    """Write an execution and move its session to the next revision (spec/transactions.md 4.1).

    Order: turn row and what the player wrote, runs in execution order, exports, settlement debts,
    host's extra writes, audit and trace, session clock, automatic snapshot, results of runs that
    lost something. Only origin `player`, and what goes on with it, counts where `counts_turn` says
    so, and one logical turn counts once. The report's events are to be sent after the transaction
    has committed, never before.

    Raises:
        CommitRefused: nothing of the execution may be committed; the transaction rolls back.
        SessionNotFoundError: the session is gone, or is another incarnation by now.
        RowConflictError: the turn is committed already.
        ScopeConflictError: a message ID is taken.
    """
    session = require_session(transaction, commit.session_id, incarnation=commit.incarnation)
    place = _place(session, commit)
    # Told of a second commit of the same turn before anything else could be refused.
    put_turn(transaction, _turn(commit, "committed", revision=place.revision))
    # The journal's order is that of its rows, so what the player wrote goes before the story.
    write_messages(transaction, place, commit.messages)
    ruled = ruled_dimensions(transaction, place, commit.runs)
    written = write_runs(transaction, place, commit.runs)
    lost = write_exports(transaction, place, written.kept, failed=tuple(written.failed))
    written.events += register_debts(
        transaction, place, written.kept, ruled, logical_turn=commit.logical_turn
    )
    host = HostWrites()
    if commit.extra_writes is not None:
        progress = CommitProgress(revision=place.revision, dropped=tuple(written.dropped.values()))
        host = commit.extra_writes(transaction, progress)
    written.dropped |= {run.run_id: run for run in host.dropped}
    dropped = tuple(written.dropped.values())
    _write_audit(transaction, commit)
    counts = commit.counts_turn and not host.holds_turn_open
    is_counted = counts and _count(transaction, commit, place.revision)
    advanced = advance_session(
        transaction,
        _clock_after(session, commit, is_counted=is_counted),
        turn_id=commit.turn_id,
        at=commit.finished_at,
    )
    keep_auto_snapshot(
        transaction, advanced, at=commit.finished_at, limit=commit.auto_snapshots_kept
    )
    if dropped or lost:
        results = rewritten_results(commit.results, written.dropped, lost)
        set_turn_results(transaction, commit.session_id, commit.turn_id, results)
    return CommitReport(
        turn_id=commit.turn_id,
        revision=advanced.revision,
        session=advanced,
        is_counted=is_counted,
        events=(*written.events, *host.events),
        dropped=dropped,
        failed=tuple(written.failed),
        lost_exports=lost,
    )


def record_failure(
    transaction: Transaction, commit: ExecutionCommit, *, code: str, message: str
) -> None:
    """Keep what a failed or refused execution did, for people to read: turn row, audit, trace.

    Neither messages nor proposals are written, and the session's revision stays as it is.

    Raises:
        SessionNotFoundError: the session is gone, or is another incarnation by now.
        RowConflictError: the turn is committed already.
    """
    require_session(transaction, commit.session_id, incarnation=commit.incarnation)
    failure: dict[str, JsonValue] = {"code": code, "message": message}
    put_turn(transaction, replace(_turn(commit, "failed", revision=None), failure=failure))
    _write_audit(transaction, commit)


def append_trace(transaction: Transaction, session_id: str, events: Sequence[TraceEvent]) -> None:
    """Store trace events that a turn adds after its commit, such as those of its fan-out."""
    _write_trace(transaction, session_id, events)


def failure_events(
    commit: ExecutionCommit, failed: Sequence[FailedProposal]
) -> tuple[SessionEvent, ...]:
    """The events that tell clients which proposals were refused (spec/protocol.md 3.2)."""
    return tuple(
        SessionEvent(
            type="proposal.failed",
            session_id=commit.session_id,
            turn_id=commit.turn_id,
            payload={
                "proposalId": proposal.proposal_id,
                "proposalType": proposal.proposal_type,
                "runtimeId": proposal.runtime_id,
                "pluginId": proposal.plugin_id,
                "code": proposal.code,
                "error": proposal.message,
            },
        )
        for proposal in failed
    )


def _place(session: SessionRecord, commit: ExecutionCommit) -> CommitPlace:
    return CommitPlace(
        session_id=commit.session_id,
        turn_id=commit.turn_id,
        revision=session.revision + 1,
        at=commit.finished_at,
        locale=session.locale,
        dimension_provider_id=commit.dimension_provider_id,
        policies=commit.policies,
    )


def _write_audit(transaction: Transaction, commit: ExecutionCommit) -> None:
    insert_tool_calls(transaction, commit.tool_calls)
    _write_trace(transaction, commit.session_id, commit.trace)


def _write_trace(transaction: Transaction, session_id: str, events: Sequence[TraceEvent]) -> None:
    insert_trace(transaction, [_trace_row(session_id, event) for event in events])
    parts: dict[str, str] = {}
    for event in events:
        parts |= event.prompt_parts
    keep_prompt_parts(transaction, session_id, parts)


def _trace_row(session_id: str, event: TraceEvent) -> TraceRecord:
    return TraceRecord(
        session_id=session_id,
        turn_id=event.turn_id,
        position=event.position,
        type=event.type,
        at=event.at,
        run_id=event.run_id,
        parent_id=event.parent_id,
        data=event.data,
    )


def _count(transaction: Transaction, commit: ExecutionCommit, revision: int) -> bool:
    return commit.origin in ("player", "resume") and count_logical_turn(
        transaction,
        commit.session_id,
        commit.logical_turn_id,
        turn_id=commit.turn_id,
        revision=revision,
    )


def _clock_after(
    session: SessionRecord, commit: ExecutionCommit, *, is_counted: bool
) -> SessionRecord:
    return replace(
        session,
        phase=commit.phase or session.phase,
        completed_player_turns=session.completed_player_turns + int(is_counted),
    )


def _turn(commit: ExecutionCommit, status: CommitStatus, *, revision: int | None) -> TurnRecord:
    return TurnRecord(
        session_id=commit.session_id,
        turn_id=commit.turn_id,
        parent_turn_id=commit.parent_turn_id,
        origin=commit.origin,
        logical_turn_id=commit.logical_turn_id,
        logical_turn=commit.logical_turn,
        commit_status=status,
        revision=revision,
        results=list(commit.results),
        started_at=commit.started_at,
        finished_at=commit.finished_at,
        duration_ms=commit.duration_ms,
    )
