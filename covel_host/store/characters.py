"""Rows of characters: the complete record of each, its given creation time included.

A record has `id`, `name`, `type`, `version` and, where they are not empty, `aliases`,
`description`, `fields`, `createdAt`, `updatedAt` (spec/world.md 2.1).
"""

from collections.abc import Iterator

from covel_host.base.json_text import dump_json
from covel_host.store.changed_rows import ChangedRows
from covel_host.store.read_versions import RevisedText
from covel_host.store.tables import CHARACTERS, CHARACTERS_OLD
from covel_host.store.transaction import Reading, Row, Transaction
from covel_host.store.values import parsed_object
from covel_host.store.versioned_rows import VersionedRows
from plugin_sdk.values import JsonObject

_ROWS = VersionedRows(CHARACTERS, CHARACTERS_OLD)
_CHANGED = ChangedRows(CHARACTERS)


def get_character(
    reading: Reading, session_id: str, character_id: str, *, revision: int | None = None
) -> JsonObject | None:
    """The current record, or the one `revision` left; None when there is none."""
    row = _ROWS.get(reading, session_id, character_id, revision=revision)
    return None if row is None else _record(row)


def every_character(
    reading: Reading, session_id: str, *, revision: int | None = None
) -> list[JsonObject]:
    """All records of a session by ID in code-point order; as `revision` left them if given."""
    return [_record(row) for row in _ROWS.every(reading, session_id, revision=revision)]


def character_text(reading: Reading, session_id: str, character_id: str) -> RevisedText | None:
    """The current record, not parsed; None when there is none."""
    row = _ROWS.get(reading, session_id, character_id)
    return None if row is None else RevisedText(revision=row[2], text=row[3])


def character_texts(reading: Reading, session_id: str) -> dict[str, RevisedText]:
    """The current records by ID in code-point order, not parsed."""
    return {
        str(row[1]): RevisedText(revision=row[2], text=row[3])
        for row in _ROWS.every(reading, session_id)
    }


def characters_since(
    reading: Reading, session_id: str, *, revision: int
) -> Iterator[tuple[int, JsonObject]]:
    """The current records that later revisions wrote, each with its own, by revision and ID."""
    rows = _CHANGED.written(reading, session_id, since=revision)
    return ((row[2], _record(row)) for row in rows)


def characters_removed_since(reading: Reading, session_id: str, *, revision: int) -> list[str]:
    """IDs of characters that later revisions deleted; some may be written again."""
    removed = _CHANGED.removed(reading, session_id, since=revision)
    return [character_id for (character_id,) in removed]


def put_character(
    transaction: Transaction, session_id: str, record: JsonObject, *, revision: int
) -> None:
    """Write the complete record under its `id`.

    Raises:
        RowConflictError: the session does not exist.
    """
    row = {"session_id": session_id, "character_id": str(record["id"])}
    _ROWS.put(transaction, {**row, "record": dump_json(record)}, revision=revision)


def _record(row: Row) -> JsonObject:
    return parsed_object(row[3])
