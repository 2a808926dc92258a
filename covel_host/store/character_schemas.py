"""The character schema of each session: `types`, `attributes`, `version` and `updatedAt`."""

from covel_host.base.json_text import dump_json
from covel_host.store.read_versions import RevisedText
from covel_host.store.tables import CHARACTER_SCHEMAS, CHARACTER_SCHEMAS_OLD
from covel_host.store.transaction import Reading, Transaction
from covel_host.store.values import parsed_object
from covel_host.store.versioned_rows import VersionedRows
from plugin_sdk.values import JsonObject

_ROWS = VersionedRows(CHARACTER_SCHEMAS, CHARACTER_SCHEMAS_OLD)


def get_character_schema(
    reading: Reading, session_id: str, *, revision: int | None = None
) -> JsonObject | None:
    """The session's schema, or the one `revision` left; None when there is none."""
    row = _ROWS.get(reading, session_id, revision=revision)
    return None if row is None else parsed_object(row[2])


def character_schema_text(reading: Reading, session_id: str) -> RevisedText | None:
    """The session's current schema, not parsed; None when there is none."""
    row = _ROWS.get(reading, session_id)
    return None if row is None else RevisedText(revision=row[1], text=row[2])


def put_character_schema(
    transaction: Transaction, session_id: str, schema: JsonObject, *, revision: int
) -> None:
    """Replace the session's schema.

    Raises:
        RowConflictError: the session does not exist.
    """
    row = {"session_id": session_id, "record": dump_json(schema)}
    _ROWS.put(transaction, row, revision=revision)
