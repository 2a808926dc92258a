"""Rows of the tool-call audit, kept for failed turns too."""

from collections.abc import Sequence

from covel_host.base.json_text import dump_json, parse_json
from covel_host.store.limits import DEFAULT_LIMIT
from covel_host.store.records import ToolCallRecord
from covel_host.store.statements import Parameters
from covel_host.store.tables import TOOL_CALLS
from covel_host.store.transaction import Reading, Row, Transaction
from covel_host.store.turn_rows import TurnRows
from covel_host.store.values import (
    json_text_or_null,
    parsed_object,
    parsed_or_null,
    parsed_time,
    time_text,
)

_ROWS = TurnRows(TOOL_CALLS)


def insert_tool_calls(transaction: Transaction, calls: Sequence[ToolCallRecord]) -> None:
    """Store the calls of a turn, whose row must be there.

    Raises:
        RowConflictError: a position of the turn is taken, or the turn has no row.
    """
    _ROWS.insert(transaction, [_parameters(call) for call in calls])


def list_tool_calls(
    reading: Reading, session_id: str, turn_id: str, *, limit: int = DEFAULT_LIMIT, after: int = -1
) -> list[ToolCallRecord]:
    """At most `limit` calls of a turn in order; `after` is a `position` to continue after."""
    rows = _ROWS.listed(reading, session_id, turn_id, limit=limit, after=after)
    return [_record(row) for row in rows]


def _parameters(call: ToolCallRecord) -> Parameters:
    return {
        "session_id": call.session_id,
        "turn_id": call.turn_id,
        "position": call.position,
        "call_id": call.call_id,
        "run_id": call.run_id,
        "plugin_id": call.plugin_id,
        "runtime_id": call.runtime_id,
        "tool_name": call.tool_name,
        "status": call.status,
        "arguments": dump_json(call.arguments),
        "result": json_text_or_null(call.result),
        "error": json_text_or_null(call.error),
        "approval": call.approval,
        "started_at": time_text(call.started_at),
        "duration_ms": call.duration_ms,
    }


def _record(row: Row) -> ToolCallRecord:
    return ToolCallRecord(
        session_id=row[0],
        turn_id=row[1],
        position=row[2],
        call_id=row[3],
        run_id=row[4],
        plugin_id=row[5],
        runtime_id=row[6],
        tool_name=row[7],
        status=row[8],
        arguments=parse_json(row[9]),
        result=parsed_or_null(row[10]),
        error=None if row[11] is None else parsed_object(row[11]),
        approval=row[12],
        started_at=parsed_time(row[13]),
        duration_ms=row[14],
    )
