"""Recordings of executions, and the snapshots that keep what they began with (docs/replay.md).

A recording belongs to the execution it is of: it is deleted with its session, and neither exported
nor copied into forks, like the traces.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, TypeAlias

from sqlalchemy import bindparam, delete, literal_column, select, update
from sqlalchemy.dialects.sqlite import insert

from covel_host.base.json_text import dump_json
from covel_host.store._recording_tables import RECORDINGS
from covel_host.store.snapshots import drop_snapshot, get_snapshot, keep_snapshot
from covel_host.store.statements import Statement
from covel_host.store.transaction import Reading, Row, Transaction
from covel_host.store.values import parsed_object, parsed_time, time_text
from plugin_sdk.values import JsonObject

MAX_RECORDING_BYTES: Final = 32 * 1024 * 1024
"""UTF-8 bytes of one recording."""

RecordingState: TypeAlias = Literal["open", "complete", "too-large"]
"""An open one is being made, or its process died."""

_PLACE = (
    RECORDINGS.c.session_id == bindparam("of_session"),
    RECORDINGS.c.turn_id == bindparam("of_turn"),
)
_FACTS = tuple(column for column in RECORDINGS.c if column.name != "content")
_INSERT = Statement(insert(RECORDINGS))
_END = Statement(
    update(RECORDINGS)
    .where(*_PLACE)
    .values({name: bindparam(name) for name in ("state", "size_bytes", "content", "snapshot_id")})
)
_GET = Statement(select(*_FACTS).where(*_PLACE))
_CONTENT = Statement(select(RECORDINGS.c.content).where(*_PLACE))
_LIST = Statement(
    select(*_FACTS)
    .where(RECORDINGS.c.session_id == bindparam("of_session"))
    .order_by(RECORDINGS.c.created_at, RECORDINGS.c.turn_id)
    .limit(literal_column("10000"))
)
_DELETE = Statement(delete(RECORDINGS).where(*_PLACE))


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordingRecord:
    """What is known of a recording; `revision` is the session's as the execution began."""

    session_id: str
    turn_id: str
    revision: int
    snapshot_id: str | None
    state: RecordingState
    created_at: datetime
    size_bytes: int


def begin_recording(
    transaction: Transaction,
    session_id: str,
    turn_id: str,
    *,
    snapshot_id: str,
    revision: int,
    at: datetime,
) -> None:
    """Keep the session's newest revision, and a place for the recording of an execution of it.

    Raises:
        SessionNotFoundError: there is no such session.
        RowConflictError: the turn has a recording.
    """
    keep_snapshot(transaction, session_id, snapshot_id=snapshot_id, at=at, kind="recording")
    transaction.run(
        _INSERT,
        {
            "session_id": session_id,
            "turn_id": turn_id,
            "revision": revision,
            "snapshot_id": snapshot_id,
            "state": "open",
            "created_at": time_text(at),
            "size_bytes": 0,
            "content": None,
        },
    )


def end_recording(
    transaction: Transaction,
    session_id: str,
    turn_id: str,
    content: JsonObject,
    *,
    max_bytes: int = MAX_RECORDING_BYTES,
) -> RecordingState:
    """Fill in a recording; one that is too large keeps its place alone, and no revision."""
    record = get_recording(transaction, session_id, turn_id)
    if record is None:
        # The session, or the recording, was deleted meanwhile.
        return "open"
    text = dump_json(content)
    size_bytes = len(text.encode())
    is_kept = size_bytes <= max_bytes
    if not is_kept:
        _let_go(transaction, record)
    transaction.run(
        _END,
        {
            "of_session": session_id,
            "of_turn": turn_id,
            "state": "complete" if is_kept else "too-large",
            "size_bytes": size_bytes,
            "content": text if is_kept else None,
            "snapshot_id": record.snapshot_id if is_kept else None,
        },
    )
    return "complete" if is_kept else "too-large"


def get_recording(reading: Reading, session_id: str, turn_id: str) -> RecordingRecord | None:
    """What is known of the recording of that turn, or None."""
    row = reading.row(_GET, {"of_session": session_id, "of_turn": turn_id})
    return None if row is None else _record(row)


def read_recording(reading: Reading, session_id: str, turn_id: str) -> JsonObject | None:
    """The content of a complete recording, or None."""
    row = reading.row(_CONTENT, {"of_session": session_id, "of_turn": turn_id})
    return None if row is None or row[0] is None else parsed_object(row[0])


def list_recordings(reading: Reading, session_id: str) -> list[RecordingRecord]:
    """The recordings of a session, oldest first."""
    return [_record(row) for row in reading.rows(_LIST, {"of_session": session_id})]


def delete_recording(transaction: Transaction, record: RecordingRecord) -> None:
    """Delete a recording, and let go of the revision that it kept."""
    _let_go(transaction, record)
    transaction.run(_DELETE, {"of_session": record.session_id, "of_turn": record.turn_id})


def _let_go(transaction: Transaction, record: RecordingRecord) -> None:
    snapshot = None if record.snapshot_id is None else get_snapshot(transaction, record.snapshot_id)
    if snapshot is not None:
        drop_snapshot(transaction, snapshot)


def _record(row: Row) -> RecordingRecord:
    return RecordingRecord(
        session_id=row[0],
        turn_id=row[1],
        revision=row[2],
        snapshot_id=row[3],
        state=row[4],
        created_at=parsed_time(row[5]),
        size_bytes=row[6],
    )
