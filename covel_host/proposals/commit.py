"""The commit of one execution: one plain function of store statements, all or nothing."""

from dataclasses import replace

from covel_host.proposals.errors import CommitRefused, ProposalRefused
from covel_host.proposals.handlers import write_proposal
from covel_host.proposals.place import CommitPlace
from covel_host.proposals.plan import CommitReport, ExecutionCommit, NewMessage
from covel_host.store.messages import append_messages
from covel_host.store.records import (
    CommitStatus,
    MessageRecord,
    SessionRecord,
    TraceRecord,
    TurnRecord,
)
from covel_host.store.sessions import advance_session, require_session
from covel_host.store.snapshots import keep_auto_snapshot
from covel_host.store.tool_calls import insert_tool_calls
from covel_host.store.traces import insert_trace
from covel_host.store.transaction import Transaction
from covel_host.store.turns import count_logical_turn, put_turn
from covel_host.trace.events import SessionEvent
from plugin_sdk.values import JsonValue


def commit_execution(transaction: Transaction, commit: ExecutionCommit) -> CommitReport:
    """Write an execution and move its session to the next revision (spec/transactions.md 4.1).

    Order: turn row, host messages, proposals in execution order, host's extra writes, audit and
    trace, session clock, automatic snapshot. Only origin `player` counts, and one logical turn
    counts once. The report's events are to be sent after the transaction has committed, never
    before.

    Raises:
        CommitRefused: a proposal breaks a rule; the transaction rolls everything back.
        SessionNotFoundError: the session is gone, or is another incarnation by now.
        RowConflictError: the turn is committed already.
        ScopeConflictError: a message ID is taken.
    """
    session = require_session(transaction, commit.session_id, incarnation=commit.incarnation)
    place = CommitPlace(
        session_id=commit.session_id,
        turn_id=commit.turn_id,
        revision=session.revision + 1,
        at=commit.finished_at,
        locale=session.locale,
        dimension_provider_id=commit.dimension_provider_id,
    )
    put_turn(transaction, _turn(commit, "committed", revision=place.revision))
    append_messages(transaction, [_message(message, place) for message in commit.messages])
    events = _write_proposals(transaction, place, commit)
    if commit.extra_writes is not None:
        commit.extra_writes(transaction, place.revision)
    _write_audit(transaction, commit)
    is_counted = _count(transaction, commit, place.revision)
    advanced = advance_session(
        transaction,
        _clock_after(session, commit, is_counted=is_counted),
        turn_id=commit.turn_id,
        at=commit.finished_at,
    )
    keep_auto_snapshot(transaction, advanced, at=commit.finished_at)
    return CommitReport(
        turn_id=commit.turn_id,
        revision=advanced.revision,
        session=advanced,
        is_counted=is_counted,
        events=events,
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


def failure_event(commit: ExecutionCommit, refused: CommitRefused) -> SessionEvent:
    """The event that tells clients which proposal made a commit fail (spec/protocol.md 3.2)."""
    return SessionEvent(
        type="proposal.failed",
        session_id=commit.session_id,
        turn_id=commit.turn_id,
        payload={
            "proposalId": refused.proposal_id,
            "proposalType": refused.proposal_type,
            "runtimeId": refused.runtime_id,
            "pluginId": refused.plugin_id,
            "error": refused.message,
        },
    )


def _write_proposals(
    transaction: Transaction, place: CommitPlace, commit: ExecutionCommit
) -> tuple[SessionEvent, ...]:
    events: list[SessionEvent] = []
    for proposal in commit.proposals:
        try:
            events.extend(write_proposal(transaction, place, proposal))
        except ProposalRefused as refusal:
            raise CommitRefused(
                refusal, plugin_id=proposal.plugin_id, runtime_id=proposal.runtime_id
            ) from refusal
    return tuple(events)


def _write_audit(transaction: Transaction, commit: ExecutionCommit) -> None:
    insert_tool_calls(transaction, commit.tool_calls)
    insert_trace(
        transaction,
        [
            TraceRecord(
                session_id=commit.session_id,
                turn_id=commit.turn_id,
                position=event.position,
                type=event.type,
                at=event.at,
                run_id=event.run_id,
                parent_id=event.parent_id,
                data=event.data,
            )
            for event in commit.trace
        ],
    )


def _count(transaction: Transaction, commit: ExecutionCommit, revision: int) -> bool:
    return commit.origin == "player" and count_logical_turn(
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
        results=commit.results,
        started_at=commit.started_at,
        finished_at=commit.finished_at,
        duration_ms=commit.duration_ms,
    )


def _message(message: NewMessage, place: CommitPlace) -> MessageRecord:
    return MessageRecord(
        message_id=message.message_id,
        session_id=place.session_id,
        turn_id=place.turn_id,
        revision=place.revision,
        source=message.source,
        role=message.role,
        kind=message.kind,
        content=message.content,
        plugin_id=message.plugin_id,
        runtime_id=message.runtime_id,
        data=message.data,
        created_at=message.created_at,
    )
