"""The character schema of each session."""

from covel_host.base.json_text import dump_json
from covel_host.store.records import CharacterSchemaRecord
from covel_host.store.tables import CHARACTER_SCHEMAS, CHARACTER_SCHEMAS_OLD
from covel_host.store.transaction import Reading, Transaction
from covel_host.store.values import parsed_object, parsed_time
from covel_host.store.versioned_rows import VersionedRows

_ROWS = VersionedRows(CHARACTER_SCHEMAS, CHARACTER_SCHEMAS_OLD)


def get_character_schema(
    reading: Reading, session_id: str, *, revision: int | None = None
) -> CharacterSchemaRecord | None:
    """The session's schema, or the one `revision` left; None when there is none."""
    row = _ROWS.get(reading, session_id, revision=revision)
    if row is None:
        return None
    schema = parsed_object(row[2])
    types, attributes = schema["types"], schema["attributes"]
    assert isinstance(types, list)
    assert isinstance(attributes, list)
    return CharacterSchemaRecord(
        session_id=row[0],
        version=int(str(schema["version"])),
        types=tuple(str(name) for name in types),
        attributes=tuple(item for item in attributes if isinstance(item, dict)),
        updated_at=parsed_time(str(schema["updatedAt"])),
    )


def put_character_schema(
    transaction: Transaction, record: CharacterSchemaRecord, *, revision: int
) -> None:
    """Replace the session's schema.

    Raises:
        RowConflictError: the session does not exist.
    """
    row = {"session_id": record.session_id, "record": dump_json(record.schema())}
    _ROWS.put(transaction, row, revision=revision)
