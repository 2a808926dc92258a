"""Rows of lorebook entries, each the entry of one owner: the world, the player or a package."""

from covel_host.base.json_text import dump_json
from covel_host.store.records import LorebookOwner, LorebookRecord
from covel_host.store.tables import LOREBOOK_ENTRIES, LOREBOOK_ENTRIES_OLD
from covel_host.store.transaction import Reading, Row, Transaction
from covel_host.store.values import parsed_object, parsed_time, time_text
from covel_host.store.versioned_rows import VersionedRows

_ROWS = VersionedRows(LOREBOOK_ENTRIES, LOREBOOK_ENTRIES_OLD, kept=("created_at",))


def get_lorebook_entry(
    reading: Reading,
    session_id: str,
    owner: LorebookOwner,
    entry_id: str,
    *,
    revision: int | None = None,
) -> LorebookRecord | None:
    """The owner's entry, or as `revision` left it; None when the owner has none of that ID."""
    keys = (owner.kind, owner.plugin_id or "", entry_id)
    row = _ROWS.get(reading, session_id, *keys, revision=revision)
    return None if row is None else _record(row)


def every_lorebook_entry(
    reading: Reading, session_id: str, *, revision: int | None = None
) -> list[LorebookRecord]:
    """All entries of a session by owner and ID; as `revision` left them if given."""
    return [_record(row) for row in _ROWS.every(reading, session_id, revision=revision)]


def put_lorebook_entry(transaction: Transaction, record: LorebookRecord, *, revision: int) -> None:
    """Write an entry; the creation time of one that exists is kept (seed: lorebook.upsert).

    Raises:
        RowConflictError: the session does not exist.
    """
    row = {
        "session_id": record.session_id,
        "owner_kind": record.owner.kind,
        "owner_plugin_id": record.owner.plugin_id or "",
        "entry_id": record.entry_id,
        "entry": dump_json(record.entry),
        "created_at": time_text(record.created_at),
        "updated_at": time_text(record.updated_at),
    }
    _ROWS.put(transaction, row, revision=revision)


def _record(row: Row) -> LorebookRecord:
    return LorebookRecord(
        session_id=row[0],
        owner=LorebookOwner(kind=row[1], plugin_id=row[2] or None),
        entry_id=row[3],
        entry=parsed_object(row[5]),
        created_at=parsed_time(row[6]),
        updated_at=parsed_time(row[7]),
    )
