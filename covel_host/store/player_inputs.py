"""Rows of accepted answers: what players said to the questions of committed turns."""

from typing import Any

from sqlalchemy import ColumnElement, bindparam, select

from covel_host.base.json_text import dump_json
from covel_host.store.appended_rows import AppendedRows
from covel_host.store.committed_from import FIRST_OWN_COLUMN, source_columns, source_of
from covel_host.store.errors import RowConflictError
from covel_host.store.limits import DEFAULT_LIMIT
from covel_host.store.records import PlayerInputRecord
from covel_host.store.statements import Statement
from covel_host.store.tables import PLAYER_INPUTS
from covel_host.store.transaction import Reading, Row, Transaction
from covel_host.store.values import parsed_object

_ROWS = AppendedRows(PLAYER_INPUTS)
_OF_SESSION: ColumnElement[bool] = PLAYER_INPUTS.c.session_id == bindparam("session_id")
_FIND = Statement(
    select(PLAYER_INPUTS).where(
        _OF_SESSION,
        PLAYER_INPUTS.c.turn_id == bindparam("turn_id"),
        PLAYER_INPUTS.c.interaction_id == bindparam("interaction_id"),
    )
)
_LAST = Statement(
    select(PLAYER_INPUTS)
    .where(_OF_SESSION, PLAYER_INPUTS.c.revision <= bindparam("revision"))
    .order_by(PLAYER_INPUTS.c.created_at.desc(), PLAYER_INPUTS.c.input_id.desc())
    .limit(bindparam("limit"))
)


def append_player_input(transaction: Transaction, record: PlayerInputRecord) -> None:
    """Add an answer.

    Raises:
        RowConflictError: the question is answered already, or the session does not exist.
    """
    own = {
        "input_id": record.input_id,
        "interaction_id": record.interaction_id,
        "input_values": dump_json(record.values),
        "narrative": record.narrative,
    }
    try:
        _ROWS.append(transaction, {**source_columns(record.source), **own})
    except RowConflictError as error:
        raise RowConflictError(
            f"The question {record.interaction_id!r} of turn {record.source.turn_id!r} is "
            "answered already, or its session does not exist.",
            code="player-input-conflict",
        ) from error


def find_player_input(
    reading: Reading, session_id: str, turn_id: str, interaction_id: str
) -> PlayerInputRecord | None:
    """The one answer to a question, or None."""
    names = {"session_id": session_id, "turn_id": turn_id, "interaction_id": interaction_id}
    row = reading.row(_FIND, names)
    return None if row is None else _record(row)


def last_player_input(
    reading: Reading, session_id: str, *, at_revision: int
) -> PlayerInputRecord | None:
    """The latest answer by time, ties by ID, as a revision left them; None before the first."""
    row = reading.row(_LAST, {"session_id": session_id, "revision": at_revision, "limit": 1})
    return None if row is None else _record(row)


def list_player_inputs(
    reading: Reading,
    session_id: str,
    *,
    limit: int = DEFAULT_LIMIT,
    before: int | None = None,
    at_revision: int | None = None,
) -> list[PlayerInputRecord]:
    """The newest `limit` answers, oldest of them first; see `AppendedRows.newest`."""
    rows = _ROWS.newest(reading, session_id, limit=limit, before=before, at_revision=at_revision)
    return [_record(row) for row in rows]


def _record(row: Row) -> PlayerInputRecord:
    own: tuple[Any, ...] = row[FIRST_OWN_COLUMN : FIRST_OWN_COLUMN + 4]
    input_id, interaction_id, values, narrative = own
    return PlayerInputRecord(
        source=source_of(row),
        input_id=input_id,
        interaction_id=interaction_id,
        values=parsed_object(values),
        narrative=narrative,
    )
