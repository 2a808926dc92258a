"""Rows of the assets that packages generated in a session."""

from covel_host.base.json_text import dump_json
from covel_host.store.appended_rows import AppendedRows
from covel_host.store.committed_from import FIRST_OWN_COLUMN, source_columns, source_of
from covel_host.store.limits import DEFAULT_LIMIT
from covel_host.store.records import GeneratedAssetRecord
from covel_host.store.tables import GENERATED_ASSETS
from covel_host.store.transaction import Reading, Row, Transaction
from covel_host.store.values import parsed_object

_ROWS = AppendedRows(GENERATED_ASSETS)


def append_generated_asset(transaction: Transaction, record: GeneratedAssetRecord) -> None:
    """Add a generated asset.

    Raises:
        RowConflictError: the session does not exist.
    """
    own = {
        "media_id": record.media_id,
        "modality": record.modality,
        "meta": None if record.meta is None else dump_json(record.meta),
    }
    _ROWS.append(transaction, {**source_columns(record.source), **own})


def list_generated_assets(
    reading: Reading,
    session_id: str,
    *,
    limit: int = DEFAULT_LIMIT,
    before: int | None = None,
    at_revision: int | None = None,
) -> list[GeneratedAssetRecord]:
    """The newest `limit` assets, oldest of them first; see `AppendedRows.newest`."""
    rows = _ROWS.newest(reading, session_id, limit=limit, before=before, at_revision=at_revision)
    return [_record(row) for row in rows]


def _record(row: Row) -> GeneratedAssetRecord:
    media_id, modality, meta = row[FIRST_OWN_COLUMN : FIRST_OWN_COLUMN + 3]
    return GeneratedAssetRecord(
        source=source_of(row),
        media_id=media_id,
        modality=modality,
        meta=None if meta is None else parsed_object(meta),
    )
