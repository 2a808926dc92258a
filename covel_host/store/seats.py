"""Rows of seats: the places at the table of a session, and whom each plays."""

from covel_host.store.records import SeatRecord
from covel_host.store.statements import Parameters
from covel_host.store.tables import SEATS, SEATS_OLD
from covel_host.store.transaction import Reading, Row, Transaction
from covel_host.store.versioned_rows import VersionedRows

_ROWS = VersionedRows(SEATS, SEATS_OLD)


def get_seat(
    reading: Reading, session_id: str, seat_id: str, *, revision: int | None = None
) -> SeatRecord | None:
    """The seat, or as `revision` left it; None when there is none."""
    row = _ROWS.get(reading, session_id, seat_id, revision=revision)
    return None if row is None else _record(row)


def every_seat(
    reading: Reading, session_id: str, *, revision: int | None = None
) -> list[SeatRecord]:
    """All seats of a session by ID; as `revision` left them if given."""
    return [_record(row) for row in _ROWS.every(reading, session_id, revision=revision)]


def put_seat(transaction: Transaction, record: SeatRecord, *, revision: int) -> None:
    """Write the seat.

    Raises:
        RowConflictError: the session does not exist.
    """
    row: Parameters = {
        "session_id": record.session_id,
        "seat_id": record.seat_id,
        "label": record.label,
        "character_id": record.character_id,
    }
    _ROWS.put(transaction, row, revision=revision)


def _record(row: Row) -> SeatRecord:
    return SeatRecord(session_id=row[0], seat_id=row[1], label=row[3], character_id=row[4])
