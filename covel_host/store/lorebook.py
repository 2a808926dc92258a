"""Rows of lorebook entries, each the entry of one owner: the world, the player or a package."""

from collections.abc import Iterator

from covel_host.base.json_text import dump_json
from covel_host.store.changed_rows import ChangedRows
from covel_host.store.records import LorebookOwner, LorebookRecord
from covel_host.store.tables import LOREBOOK_ENTRIES, LOREBOOK_ENTRIES_OLD
from covel_host.store.transaction import Reading, Row, Transaction
from covel_host.store.values import parsed_object, parsed_time, time_text
from covel_host.store.versioned_rows import VersionedRows

_ROWS = VersionedRows(LOREBOOK_ENTRIES, LOREBOOK_ENTRIES_OLD, kept=("created_at",))
_CHANGED = ChangedRows(LOREBOOK_ENTRIES)


def get_lorebook_entry(
    reading: Reading,
    session_id: str,
    owner: LorebookOwner,
    entry_id: str,
) -> LorebookRecord | None:
    """The owner's entry; None when the owner has none of that ID."""
    keys = (owner.kind, owner.plugin_id or "", entry_id)
    row = _ROWS.get(reading, session_id, *keys)
    return None if row is None else _record(row)


def every_lorebook_entry(
    reading: Reading, session_id: str, *, revision: int | None = None
) -> list[LorebookRecord]:
    """All entries of a session by owner and ID; as `revision` left them if given."""
    return [_record(row) for row in _ROWS.every(reading, session_id, revision=revision)]


def lorebook_since(
    reading: Reading, session_id: str, *, revision: int
) -> Iterator[tuple[int, LorebookRecord]]:
    """The current entries that later revisions wrote, each with its own, by revision and keys."""
    rows = _CHANGED.written(reading, session_id, since=revision)
    return ((row[4], _record(row)) for row in rows)


def lorebook_removed_since(
    reading: Reading, session_id: str, *, revision: int
) -> list[tuple[LorebookOwner, str]]:
    """Owner and ID of entries that later revisions deleted; some may be written again."""
    removed = _CHANGED.removed(reading, session_id, since=revision)
    return [(LorebookOwner.of(kind, plugin_id), entry_id) for kind, plugin_id, entry_id in removed]


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
        owner=LorebookOwner.of(row[1], row[2]),
        entry_id=row[3],
        entry=parsed_object(row[5]),
        created_at=parsed_time(row[6]),
        updated_at=parsed_time(row[7]),
    )
