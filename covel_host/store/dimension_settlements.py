"""Receipts of dimension settlements, one per committed narrative (spec/world.md 3.8)."""

from covel_host.base.json_text import dump_json
from covel_host.store.records import SettlementRecord
from covel_host.store.statements import Parameters
from covel_host.store.tables import DIMENSION_SETTLEMENTS, DIMENSION_SETTLEMENTS_OLD
from covel_host.store.transaction import Reading, Row, Transaction
from covel_host.store.values import parsed_object
from covel_host.store.versioned_rows import VersionedRows

KEPT_RECEIPTS = 20
"""Receipts that are not pending any more; older ones are pruned, pending ones never."""

_ROWS = VersionedRows(DIMENSION_SETTLEMENTS, DIMENSION_SETTLEMENTS_OLD)


def get_settlement(reading: Reading, session_id: str, result_id: str) -> SettlementRecord | None:
    """The receipt of that narrative; None when there is none."""
    row = _ROWS.get(reading, session_id, result_id)
    return None if row is None else _record(row)


def every_settlement(reading: Reading, session_id: str) -> list[SettlementRecord]:
    """The receipts of a session from the oldest turn to the newest."""
    return sorted((_record(row) for row in _ROWS.every(reading, session_id)), key=_age)


def put_settlement(transaction: Transaction, record: SettlementRecord, *, revision: int) -> None:
    """Write a receipt, and prune the oldest settled ones of its session over `KEPT_RECEIPTS`.

    Raises:
        RowConflictError: the session does not exist.
    """
    row: Parameters = {
        "session_id": record.session_id,
        "result_id": record.result_id,
        "plugin_id": record.plugin_id,
        "turn_number": record.turn_number,
        "source_turn_id": record.source_turn_id,
        "version": record.version,
        "status": record.status,
        "frozen": None if record.frozen is None else dump_json(record.frozen),
    }
    _ROWS.put(transaction, row, revision=revision)
    receipts = every_settlement(transaction, record.session_id)
    settled = [receipt for receipt in receipts if receipt.status != "pending-settlement"]
    for receipt in settled[:-KEPT_RECEIPTS]:
        _ROWS.delete(transaction, record.session_id, receipt.result_id, revision=revision)


def _age(record: SettlementRecord) -> tuple[int, str]:
    return record.turn_number, record.result_id


def _record(row: Row) -> SettlementRecord:
    return SettlementRecord(
        session_id=row[0],
        result_id=row[1],
        plugin_id=row[3],
        turn_number=row[4],
        source_turn_id=row[5],
        version=row[6],
        status=row[7],
        frozen=None if row[8] is None else parsed_object(row[8]),
    )
