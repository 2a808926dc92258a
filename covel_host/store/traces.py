"""Rows of trace events, kept for failed turns too."""

from collections.abc import Sequence

from covel_host.base.json_text import dump_json
from covel_host.store.limits import DEFAULT_LIMIT
from covel_host.store.records import TraceRecord
from covel_host.store.statements import Parameters
from covel_host.store.tables import TRACE_EVENTS
from covel_host.store.transaction import Reading, Row, Transaction
from covel_host.store.turn_rows import TurnRows
from covel_host.store.values import parsed_object, parsed_time, time_text

_ROWS = TurnRows(TRACE_EVENTS)


def insert_trace(transaction: Transaction, events: Sequence[TraceRecord]) -> None:
    """Store trace events of a turn, whose row must be there.

    Raises:
        RowConflictError: a position of the turn is taken, or the turn has no row.
    """
    _ROWS.insert(transaction, [_parameters(event) for event in events])


def list_trace(
    reading: Reading, session_id: str, turn_id: str, *, limit: int = DEFAULT_LIMIT, after: int = -1
) -> list[TraceRecord]:
    """At most `limit` events of a turn in order; `after` is a `position` to continue after."""
    rows = _ROWS.listed(reading, session_id, turn_id, limit=limit, after=after)
    return [_record(row) for row in rows]


def _parameters(event: TraceRecord) -> Parameters:
    return {
        "session_id": event.session_id,
        "turn_id": event.turn_id,
        "position": event.position,
        "type": event.type,
        "at": time_text(event.at),
        "run_id": event.run_id,
        "parent_id": event.parent_id,
        "data": dump_json(event.data),
    }


def _record(row: Row) -> TraceRecord:
    return TraceRecord(
        session_id=row[0],
        turn_id=row[1],
        position=row[2],
        type=row[3],
        at=parsed_time(row[4]),
        run_id=row[5],
        parent_id=row[6],
        data=parsed_object(row[7]),
    )
