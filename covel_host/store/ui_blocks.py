"""Rows of interface blocks, placed in the conversation by the message they stand behind."""

from sqlalchemy import bindparam, func, select

from covel_host.base.json_text import dump_json
from covel_host.store.appended_rows import AppendedRows
from covel_host.store.committed_from import FIRST_OWN_COLUMN, source_columns, source_of
from covel_host.store.limits import DEFAULT_LIMIT
from covel_host.store.records import CommittedFrom, UiBlockRecord
from covel_host.store.statements import Statement
from covel_host.store.tables import MESSAGES, UI_BLOCKS
from covel_host.store.transaction import Reading, Row, Transaction
from covel_host.store.values import parsed_object
from plugin_sdk.values import JsonObject

_ROWS = AppendedRows(UI_BLOCKS)
_LAST_MESSAGE = Statement(
    select(func.coalesce(func.max(MESSAGES.c.sequence), 0)).where(
        MESSAGES.c.session_id == bindparam("session_id")
    )
)


def append_ui_block(
    transaction: Transaction, source: CommittedFrom, *, block_id: str, render: JsonObject
) -> UiBlockRecord:
    """Put a block behind the newest message of its session.

    Raises:
        RowConflictError: the session does not exist.
    """
    newest = transaction.row(_LAST_MESSAGE, {"session_id": source.session_id})
    after_message = 0 if newest is None else newest[0]
    own = {"block_id": block_id, "after_message": after_message, "render": dump_json(render)}
    _ROWS.append(transaction, {**source_columns(source), **own})
    return UiBlockRecord(
        source=source, block_id=block_id, after_message=after_message, render=render
    )


def list_ui_blocks(
    reading: Reading,
    session_id: str,
    *,
    limit: int = DEFAULT_LIMIT,
    before: int | None = None,
    at_revision: int | None = None,
) -> list[UiBlockRecord]:
    """The newest `limit` blocks, oldest of them first; see `AppendedRows.newest`."""
    rows = _ROWS.newest(reading, session_id, limit=limit, before=before, at_revision=at_revision)
    return [_record(row) for row in rows]


def _record(row: Row) -> UiBlockRecord:
    block_id, after_message, render = row[FIRST_OWN_COLUMN : FIRST_OWN_COLUMN + 3]
    return UiBlockRecord(
        source=source_of(row),
        block_id=block_id,
        after_message=after_message,
        render=parsed_object(render),
    )
