"""Rows that tell of what came from outside a turn: begun before it acts, ended after it did."""

from sqlalchemy import bindparam, func, insert, literal_column, select, update

from covel_host.base.json_text import dump_json, parse_json
from covel_host.store.errors import RowConflictError, SessionNotFoundError
from covel_host.store.limits import DEFAULT_LIMIT, checked_limit
from covel_host.store.records import OutsideInputOutcome, OutsideInputRecord
from covel_host.store.statements import Parameters, Statement
from covel_host.store.tables import OUTSIDE_INPUTS
from covel_host.store.transaction import Reading, Row, Transaction
from covel_host.store.values import (
    json_text_or_null,
    parsed_object,
    parsed_or_null,
    parsed_time,
    time_text,
)
from plugin_sdk.values import JsonValue

_OF_SESSION = OUTSIDE_INPUTS.c.session_id == bindparam("session_id")
_NO_BOUND = 2**62
"""Larger than any sequence."""

_BEGIN = Statement(
    insert(OUTSIDE_INPUTS).from_select(
        [column.name for column in OUTSIDE_INPUTS.c],
        select(
            *[
                func.coalesce(func.max(OUTSIDE_INPUTS.c.sequence), 0) + literal_column("1")
                if column.name == "sequence"
                else bindparam(column.name, type_=column.type)
                for column in OUTSIDE_INPUTS.c
            ]
        ).where(_OF_SESSION),
    )
)
_SEQUENCE = Statement(
    select(OUTSIDE_INPUTS.c.sequence).where(
        _OF_SESSION, OUTSIDE_INPUTS.c.input_id == bindparam("input_id")
    )
)
_END = Statement(
    update(OUTSIDE_INPUTS)
    .where(
        OUTSIDE_INPUTS.c.session_id == bindparam("of_session"),
        OUTSIDE_INPUTS.c.input_id == bindparam("of_input"),
    )
    .values({name: bindparam(name) for name in ("outcome", "result", "error", "duration_ms")})
)
_NEWEST = Statement(
    select(OUTSIDE_INPUTS)
    .where(_OF_SESSION, OUTSIDE_INPUTS.c.sequence < bindparam("before"))
    .order_by(OUTSIDE_INPUTS.c.sequence.desc())
    .limit(bindparam("limit"))
)


def begin_outside_input(transaction: Transaction, record: OutsideInputRecord) -> int:
    """Add a row; its number among those of the session, from 1.

    Raises:
        SessionNotFoundError: the session does not exist.
    """
    try:
        transaction.run(_BEGIN, _parameters(record))
    except RowConflictError as error:
        raise SessionNotFoundError(record.session_id) from error
    row = transaction.row(_SEQUENCE, {"session_id": record.session_id, "input_id": record.input_id})
    assert row is not None
    return int(row[0])


def end_outside_input(
    transaction: Transaction,
    session_id: str,
    input_id: str,
    *,
    outcome: OutsideInputOutcome,
    duration_ms: int,
    result: JsonValue = None,
    error: dict[str, JsonValue] | None = None,
) -> None:
    """Say what became of a row that was begun; one that is gone is passed over."""
    transaction.run(
        _END,
        {
            "of_session": session_id,
            "of_input": input_id,
            "outcome": outcome,
            "result": json_text_or_null(result),
            "error": json_text_or_null(error),
            "duration_ms": duration_ms,
        },
    )


def list_outside_inputs(
    reading: Reading, session_id: str, *, limit: int = DEFAULT_LIMIT, before: int | None = None
) -> list[OutsideInputRecord]:
    """The newest `limit` rows, oldest of them first; `before` is a sequence to read back from."""
    parameters: Parameters = {
        "session_id": session_id,
        "before": _NO_BOUND if before is None else before,
        "limit": checked_limit(limit),
    }
    return [_record(row) for row in reversed(reading.rows(_NEWEST, parameters))]


def _parameters(record: OutsideInputRecord) -> Parameters:
    return {
        "session_id": record.session_id,
        "input_id": record.input_id,
        "type": record.type,
        "source": record.source,
        "channel": record.channel,
        "plugin_id": record.plugin_id,
        "target": record.target,
        "payload": dump_json(record.payload),
        "metadata": dump_json(record.metadata),
        "outcome": record.outcome,
        "result": json_text_or_null(record.result),
        "error": json_text_or_null(record.error),
        "started_at": time_text(record.started_at),
        "duration_ms": record.duration_ms,
    }


def _record(row: Row) -> OutsideInputRecord:
    return OutsideInputRecord(
        session_id=row[0],
        sequence=row[1],
        input_id=row[2],
        type=row[3],
        source=row[4],
        channel=row[5],
        plugin_id=row[6],
        target=row[7],
        payload=parse_json(row[8]),
        metadata=parsed_object(row[9]),
        outcome=row[10],
        result=parsed_or_null(row[11]),
        error=None if row[12] is None else parsed_object(row[12]),
        started_at=parsed_time(row[13]),
        duration_ms=row[14],
    )
