"""Rows of characters: the complete record of each, its given creation time included.

A record has `id`, `name`, `type`, `version` and, where they are not empty, `aliases`,
`description`, `fields`, `createdAt`, `updatedAt` (spec/world.md 2.1).
"""

from covel_host.base.json_text import dump_json
from covel_host.store.tables import CHARACTERS, CHARACTERS_OLD
from covel_host.store.transaction import Reading, Row, Transaction
from covel_host.store.values import parsed_object
from covel_host.store.versioned_rows import VersionedRows
from plugin_sdk.values import JsonObject

_ROWS = VersionedRows(CHARACTERS, CHARACTERS_OLD)


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
