"""The world of each session, and the ledger of what was imported from it."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam, select
from sqlalchemy.dialects.sqlite import insert

from covel_host.base.json_text import dump_json
from covel_host.store.read_versions import RevisedText
from covel_host.store.statements import Statement
from covel_host.store.tables import SESSION_WORLDS, WORLD_IMPORT_LEDGER
from covel_host.store.transaction import Reading, Transaction
from plugin_sdk.values import JsonObject

_INSERT = Statement(insert(SESSION_WORLDS))
_GET = Statement(
    select(SESSION_WORLDS.c.record).where(SESSION_WORLDS.c.session_id == bindparam("session_id"))
)
_INSERT_ROW = Statement(insert(WORLD_IMPORT_LEDGER))


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRow:
    """One thing that was imported, what from, and the hash of its JSON text then.

    `plugin_id` and `namespace` are empty for what belongs to no package. What is `is_managed` a
    later import of the same world may change (spec/world.md 7.7).
    """

    session_id: str
    target: str
    key: str
    source_world_id: str
    source_id: str
    source_digest: str
    value_hash: str
    plugin_id: str = ""
    namespace: str = ""
    schema_ref: str | None = None
    is_managed: bool = True


def insert_session_world(transaction: Transaction, session_id: str, record: JsonObject) -> None:
    """Keep the record of the world that a new session plays in.

    Raises:
        RowConflictError: the session does not exist, or has a world.
    """
    transaction.run(_INSERT, {"session_id": session_id, "record": dump_json(record)})


def session_world_text(reading: Reading, session_id: str) -> RevisedText | None:
    """The session's world, not parsed; `None` for one without a world. It belongs to revision 0."""
    row = reading.row(_GET, {"session_id": session_id})
    return None if row is None else RevisedText(revision=0, text=row[0])


def insert_import_rows(transaction: Transaction, rows: Sequence[ImportRow]) -> None:
    """Add rows to the ledger, all of them or none.

    Raises:
        RowConflictError: the session does not exist, or one of the rows is there.
    """
    transaction.run_many(
        _INSERT_ROW,
        [
            {
                "session_id": row.session_id,
                "target": row.target,
                "plugin_id": row.plugin_id,
                "namespace": row.namespace,
                "key": row.key,
                "source_world_id": row.source_world_id,
                "source_id": row.source_id,
                "source_digest": row.source_digest,
                "value_hash": row.value_hash,
                "schema_ref": row.schema_ref,
                "managed": int(row.is_managed),
            }
            for row in rows
        ],
    )
