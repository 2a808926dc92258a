"""Sessions as JSON."""

from collections.abc import Sequence

from covel_host.cli.session_facts import SessionFacts, TurnFacts
from covel_host.store.records import (
    MessageRecord,
    OutsideInputRecord,
    SessionRecord,
    TraceRecord,
)
from covel_host.store.values import time_text, time_text_or_null
from covel_host.turn.session_export_rows import seat_row, session_row, tool_call_row


def sessions_json(sessions: Sequence[SessionRecord]) -> dict[str, object]:
    """`{sessions: […]}`, last changed first."""
    return {"sessions": [session_row(session) for session in sessions]}


def session_json(facts: SessionFacts) -> dict[str, object]:
    """`{session, seats, packageFailures, messages, turns, inputs}`.

    `packageFailures` has the turns in a row in which a package failed, by its ID. The turn that is
    shown in full has a `trace`.
    """
    return {
        "session": session_row(facts.session),
        "seats": [seat_row(seat) for seat in facts.seats],
        "packageFailures": {row.plugin_id: row.in_a_row for row in facts.failures},
        "messages": [_message(message) for message in facts.messages],
        "turns": [_turn(turn, has_trace=turn is facts.traced) for turn in facts.turns],
        "inputs": [_input(given) for given in facts.inputs],
    }


def _message(message: MessageRecord) -> dict[str, object]:
    return {
        "messageId": message.message_id,
        "turnId": message.turn_id,
        "sequence": message.sequence,
        "revision": message.revision,
        "source": message.source,
        "role": message.role,
        "kind": message.kind,
        "pluginId": message.plugin_id,
        "runtimeId": message.runtime_id,
        "content": message.content,
        "createdAt": time_text(message.created_at),
    }


def _turn(facts: TurnFacts, *, has_trace: bool) -> dict[str, object]:
    turn = facts.turn
    document: dict[str, object] = {
        "turnId": turn.turn_id,
        "sequence": turn.sequence,
        "origin": turn.origin,
        "logicalTurn": turn.logical_turn,
        "commitStatus": turn.commit_status,
        "revision": turn.revision,
        "failure": turn.failure,
        "startedAt": time_text(turn.started_at),
        "finishedAt": time_text_or_null(turn.finished_at),
        "durationMs": turn.duration_ms,
        "results": turn.results,
        "toolCalls": [tool_call_row(call) for call in facts.calls],
    }
    if has_trace:
        document["trace"] = [_event(event) for event in facts.trace]
    return document


def _input(given: OutsideInputRecord) -> dict[str, object]:
    return {
        "inputId": given.input_id,
        "sequence": given.sequence,
        "type": given.type,
        "source": given.source,
        "channel": given.channel,
        "pluginId": given.plugin_id,
        "target": given.target,
        "payload": given.payload,
        "metadata": given.metadata,
        "outcome": given.outcome,
        "result": given.result,
        "error": given.error,
        "startedAt": time_text(given.started_at),
        "durationMs": given.duration_ms,
    }


def _event(event: TraceRecord) -> dict[str, object]:
    return {
        "position": event.position,
        "type": event.type,
        "at": time_text(event.at),
        "runId": event.run_id,
        "parentId": event.parent_id,
        "data": event.data,
    }
