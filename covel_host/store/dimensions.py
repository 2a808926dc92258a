"""Rows of world dimensions: definitions and public values, one version for both."""

from covel_host.base.json_text import dump_json, parse_json
from covel_host.store.records import DimensionRecord
from covel_host.store.statements import Parameters
from covel_host.store.tables import DIMENSIONS, DIMENSIONS_OLD
from covel_host.store.transaction import Reading, Row, Transaction
from covel_host.store.values import json_text_or_null, parsed_object, parsed_or_null
from covel_host.store.versioned_rows import VersionedRows

_ROWS = VersionedRows(DIMENSIONS, DIMENSIONS_OLD)


def get_dimension(reading: Reading, session_id: str, dimension_id: str) -> DimensionRecord | None:
    """The dimension; None when it was never initialised."""
    row = _ROWS.get(reading, session_id, dimension_id)
    return None if row is None else _record(row)


def every_dimension(
    reading: Reading, session_id: str, *, revision: int | None = None
) -> list[DimensionRecord]:
    """All dimensions of a session by ID in code-point order; as `revision` left them if given."""
    return [_record(row) for row in _ROWS.every(reading, session_id, revision=revision)]


def put_dimension(transaction: Transaction, record: DimensionRecord, *, revision: int) -> None:
    """Write the dimension.

    Raises:
        RowConflictError: the session does not exist.
    """
    row: Parameters = {
        "session_id": record.session_id,
        "dimension_id": record.dimension_id,
        "plugin_id": record.plugin_id,
        "version": record.version,
        "definition": dump_json(record.definition),
        "value": dump_json(record.value),
        "last_source": json_text_or_null(record.last_source),
    }
    _ROWS.put(transaction, row, revision=revision)


def _record(row: Row) -> DimensionRecord:
    return DimensionRecord(
        session_id=row[0],
        dimension_id=row[1],
        plugin_id=row[3],
        version=row[4],
        definition=parsed_object(row[5]),
        value=parse_json(row[6]),
        last_source=parsed_or_null(row[7]),
    )
