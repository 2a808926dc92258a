"""Rows of turn results, and the ledger that counts a logical turn once."""

from sqlalchemy import bindparam, func, literal_column, select, update
from sqlalchemy.dialects.sqlite import insert

from covel_host.base.json_text import dump_json
from covel_host.store.errors import RowConflictError
from covel_host.store.limits import DEFAULT_LIMIT, checked_limit
from covel_host.store.records import TurnRecord
from covel_host.store.statements import Parameters, Statement
from covel_host.store.tables import LOGICAL_TURNS, TURNS
from covel_host.store.transaction import Reading, Row, Transaction
from covel_host.store.values import (
    json_text_or_null,
    parsed_json,
    parsed_object,
    parsed_time,
    parsed_time_or_null,
    time_text,
    time_text_or_null,
)
from plugin_sdk.values import JsonValue

_SETTLING = ("commit_status", "revision", "results", "failure", "finished_at", "duration_ms")
_OF_SESSION = TURNS.c.session_id == bindparam("session_id")

_NEXT_SEQUENCE = select(
    *[
        func.coalesce(func.max(TURNS.c.sequence), 0) + literal_column("1")
        if column.name == "sequence"
        else bindparam(column.name, type_=column.type)
        for column in TURNS.c
    ]
).where(_OF_SESSION)
_INSERT = insert(TURNS).from_select([column.name for column in TURNS.c], _NEXT_SEQUENCE)
_PUT = Statement(
    _INSERT.on_conflict_do_update(
        index_elements=["session_id", "turn_id"],
        set_={name: _INSERT.excluded[name] for name in _SETTLING},
        where=TURNS.c.commit_status != "committed",
    )
)
_GET = Statement(select(TURNS).where(_OF_SESSION, TURNS.c.turn_id == bindparam("turn_id")))
_NEWEST_FIRST = (
    select(TURNS).where(_OF_SESSION).order_by(TURNS.c.sequence.desc()).limit(bindparam("limit"))
)
_LIST = Statement(_NEWEST_FIRST)
_LIST_BEFORE = Statement(_NEWEST_FIRST.where(TURNS.c.sequence < bindparam("before")))
_SET_RESULTS = Statement(
    update(TURNS)
    .where(TURNS.c.session_id == bindparam("of_session"), TURNS.c.turn_id == bindparam("of_turn"))
    .values(results=bindparam("results"))
)
_COUNT = Statement(insert(LOGICAL_TURNS).on_conflict_do_nothing())


def put_turn(transaction: Transaction, turn: TurnRecord) -> None:
    """Store a turn's result: a new row, or the settling of the pending row it already has.

    Raises:
        RowConflictError: the turn is committed already, or its session does not exist.
    """
    if transaction.run(_PUT, _parameters(turn)) == 0:
        raise RowConflictError(
            f"The turn {turn.turn_id!r} of session {turn.session_id!r} is committed already.",
            code="turn-committed",
        )


def set_turn_results(
    transaction: Transaction, session_id: str, turn_id: str, results: JsonValue
) -> None:
    """Replace the results of a stored turn; nothing else of it changes."""
    transaction.run(
        _SET_RESULTS,
        {"of_session": session_id, "of_turn": turn_id, "results": dump_json(results)},
    )


def get_turn(reading: Reading, session_id: str, turn_id: str) -> TurnRecord | None:
    """The turn's result, or None."""
    row = reading.row(_GET, {"session_id": session_id, "turn_id": turn_id})
    return None if row is None else _record(row)


def list_turns(
    reading: Reading, session_id: str, *, limit: int = DEFAULT_LIMIT, before: int | None = None
) -> list[TurnRecord]:
    """At most `limit` turns, newest first; `before` is a `sequence` to continue after."""
    parameters: dict[str, str | int] = {"session_id": session_id, "limit": checked_limit(limit)}
    if before is None:
        rows = reading.rows(_LIST, parameters)
    else:
        rows = reading.rows(_LIST_BEFORE, {**parameters, "before": before})
    return [_record(row) for row in rows]


def count_logical_turn(
    transaction: Transaction, session_id: str, logical_turn_id: str, *, turn_id: str, revision: int
) -> bool:
    """Enter a logical turn into the ledger; False when an earlier commit has counted it."""
    return (
        transaction.run(
            _COUNT,
            {
                "session_id": session_id,
                "logical_turn_id": logical_turn_id,
                "turn_id": turn_id,
                "revision": revision,
            },
        )
        > 0
    )


def _parameters(turn: TurnRecord) -> Parameters:
    return {
        "session_id": turn.session_id,
        "turn_id": turn.turn_id,
        "parent_turn_id": turn.parent_turn_id,
        "origin": turn.origin,
        "logical_turn_id": turn.logical_turn_id,
        "logical_turn": turn.logical_turn,
        "commit_status": turn.commit_status,
        "revision": turn.revision,
        "results": dump_json(turn.results),
        "failure": json_text_or_null(turn.failure),
        "started_at": time_text(turn.started_at),
        "finished_at": time_text_or_null(turn.finished_at),
        "duration_ms": turn.duration_ms,
    }


def _record(row: Row) -> TurnRecord:
    return TurnRecord(
        session_id=row[0],
        turn_id=row[1],
        sequence=row[2],
        parent_turn_id=row[3],
        origin=row[4],
        logical_turn_id=row[5],
        logical_turn=row[6],
        commit_status=row[7],
        revision=row[8],
        results=parsed_json(row[9]),
        failure=None if row[10] is None else parsed_object(row[10]),
        started_at=parsed_time(row[11]),
        finished_at=parsed_time_or_null(row[12]),
        duration_ms=row[13],
    )
