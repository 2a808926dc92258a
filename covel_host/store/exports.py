"""Rows of exports: outputs kept for later executions (`io.output.recordAs`, spec/storage.md 2).

A consumer reads the newest one as of its execution's start, so superseded ones are kept only as
long as a snapshot needs them.
"""

from covel_host.base.json_text import parse_json
from covel_host.store.records import ExportRecord
from covel_host.store.statements import Parameters
from covel_host.store.tables import RUNTIME_EXPORTS, RUNTIME_EXPORTS_OLD
from covel_host.store.transaction import Reading, Row, Transaction
from covel_host.store.values import parsed_time, time_text
from covel_host.store.versioned_rows import VersionedRows

_ROWS = VersionedRows(RUNTIME_EXPORTS, RUNTIME_EXPORTS_OLD)


def get_export(
    reading: Reading, session_id: str, producer_id: str, name: str, *, revision: int | None = None
) -> ExportRecord | None:
    """The newest export of that producer and name, or as `revision` left it; None without one."""
    row = _ROWS.get(reading, session_id, producer_id, name, revision=revision)
    return None if row is None else _record(row)


def put_export(transaction: Transaction, record: ExportRecord, *, value_text: str) -> None:
    """Make `record` the newest export of its producer and name, with the JSON text of its value.

    Raises:
        RowConflictError: the session does not exist.
    """
    row: Parameters = {
        "session_id": record.session_id,
        "producer_id": record.producer_id,
        "name": record.name,
        "number": record.number,
        "turn_id": record.turn_id,
        "run_id": record.run_id,
        "value": value_text,
        "created_at": time_text(record.created_at),
    }
    _ROWS.put(transaction, row, revision=record.revision)


def _record(row: Row) -> ExportRecord:
    return ExportRecord(
        session_id=row[0],
        producer_id=row[1],
        name=row[2],
        revision=row[3],
        number=row[4],
        turn_id=row[5],
        run_id=row[6],
        value=parse_json(row[7]),
        created_at=parsed_time(row[8]),
    )
