"""Rows of plugin data: the current ones, and the superseded ones that older revisions need.

A record's version is the revision that wrote it, so a plain set reads nothing
(design/traps.md, Store).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import BindParameter, ColumnElement, Table, bindparam, delete, select, union_all
from sqlalchemy.dialects.sqlite import insert

from covel_host.base.json_text import parse_json
from covel_host.store.changed_rows import ChangedRows, note_removed
from covel_host.store.errors import ValueTooLargeError
from covel_host.store.limits import DEFAULT_LIMIT, checked_limit
from covel_host.store.records import PluginDataRecord
from covel_host.store.statements import Parameters, Statement
from covel_host.store.tables import PLUGIN_DATA, PLUGIN_DATA_OLD
from covel_host.store.transaction import Reading, Row, Transaction
from covel_host.store.values import parsed_time, time_text
from plugin_sdk.rules.plugin_data import MAX_PLUGIN_DATA_VALUE_BYTES

_COLUMNS = [column.name for column in PLUGIN_DATA.c]
_KEPT_COLUMNS = [column.name for column in PLUGIN_DATA_OLD.c]


def _in_namespace(table: Table) -> list[ColumnElement[bool]]:
    return [table.c[name] == bindparam(name) for name in ("session_id", "plugin_id", "namespace")]


def _is_record(table: Table) -> list[ColumnElement[bool]]:
    return [*_in_namespace(table), table.c.key == bindparam("key")]


def _at_revision(*conditions: tuple[Table, list[ColumnElement[bool]]]) -> Any:
    revision: BindParameter[int] = bindparam("revision")
    parts = []
    for table, where in conditions:
        part = select(*[table.c[name] for name in _COLUMNS]).where(
            *where, table.c.version <= revision
        )
        parts.append(part.where(table.c.valid_to > revision) if "valid_to" in table.c else part)
    return union_all(*parts)


_GET = Statement(select(PLUGIN_DATA).where(*_is_record(PLUGIN_DATA)))
_LIST = Statement(
    select(PLUGIN_DATA)
    .where(*_in_namespace(PLUGIN_DATA), PLUGIN_DATA.c.key > bindparam("after"))
    .order_by(PLUGIN_DATA.c.key)
    .limit(bindparam("limit"))
)
_GET_AT = Statement(
    _at_revision(
        (PLUGIN_DATA, _is_record(PLUGIN_DATA)), (PLUGIN_DATA_OLD, _is_record(PLUGIN_DATA_OLD))
    )
)
_AFTER: BindParameter[str] = bindparam("after")
_LIST_AT = Statement(
    _at_revision(
        (PLUGIN_DATA, [*_in_namespace(PLUGIN_DATA), PLUGIN_DATA.c.key > _AFTER]),
        (PLUGIN_DATA_OLD, [*_in_namespace(PLUGIN_DATA_OLD), PLUGIN_DATA_OLD.c.key > _AFTER]),
    )
    .order_by("key")
    .limit(bindparam("limit"))
)
_KEEP_OLD = Statement(
    insert(PLUGIN_DATA_OLD)
    .from_select(
        _KEPT_COLUMNS,
        select(
            *[
                bindparam("revision", type_=PLUGIN_DATA.c.version.type)
                if name == "valid_to"
                else PLUGIN_DATA.c[name]
                for name in _KEPT_COLUMNS
            ]
        ).where(
            *_is_record(PLUGIN_DATA),
            # A row that this very revision wrote was never visible at any revision.
            PLUGIN_DATA.c.version < bindparam("revision"),
        ),
    )
    .on_conflict_do_nothing()
)
_UPSERT_VALUES = insert(PLUGIN_DATA)
_UPSERT = Statement(
    _UPSERT_VALUES.on_conflict_do_update(
        index_elements=["session_id", "plugin_id", "namespace", "key"],
        set_={name: _UPSERT_VALUES.excluded[name] for name in ("version", "value", "updated_at")},
    )
)
_PUT = (_KEEP_OLD, _UPSERT)
_DELETE = Statement(delete(PLUGIN_DATA).where(*_is_record(PLUGIN_DATA)))
_CHANGED = ChangedRows(PLUGIN_DATA, within=("plugin_id", "namespace"), written="version")


@dataclass(frozen=True, slots=True, kw_only=True)
class DataKey:
    """Which record: the key space is (session, plugin, namespace, key)."""

    session_id: str
    plugin_id: str
    namespace: str
    key: str

    def parameters(self) -> dict[str, str | int]:
        """The key as statement parameters, in a fresh dictionary."""
        return {
            "session_id": self.session_id,
            "plugin_id": self.plugin_id,
            "namespace": self.namespace,
            "key": self.key,
        }


def get_data(reading: Reading, key: DataKey) -> PluginDataRecord | None:
    """The current record, or None."""
    row = reading.row(_GET, key.parameters())
    return None if row is None else data_record(row)


def list_data(
    reading: Reading,
    session_id: str,
    plugin_id: str,
    namespace: str,
    *,
    limit: int = DEFAULT_LIMIT,
    after: str = "",
) -> list[PluginDataRecord]:
    """At most `limit` current records by key in code-point order; `after` is the last key read."""
    parameters = _namespace_page(session_id, plugin_id, namespace, limit=limit, after=after)
    return [data_record(row) for row in reading.rows(_LIST, parameters)]


def data_since(
    reading: Reading, session_id: str, plugin_id: str, namespace: str, *, revision: int
) -> Iterator[PluginDataRecord]:
    """The current records of a namespace that later revisions wrote, by version and key."""
    rows = _CHANGED.written(reading, session_id, plugin_id, namespace, since=revision)
    return map(data_record, rows)


def data_removed_since(
    reading: Reading, session_id: str, plugin_id: str, namespace: str, *, revision: int
) -> list[str]:
    """Keys that later revisions deleted; one that was written again is among `data_since`."""
    removed = _CHANGED.removed(reading, session_id, plugin_id, namespace, since=revision)
    return [key for (key,) in removed]


def get_data_at(reading: Reading, key: DataKey, *, revision: int) -> PluginDataRecord | None:
    """The record as the commit of `revision` left it, or None."""
    row = reading.row(_GET_AT, {**key.parameters(), "revision": revision})
    return None if row is None else data_record(row)


def list_data_at(
    reading: Reading,
    session_id: str,
    plugin_id: str,
    namespace: str,
    *,
    revision: int,
    limit: int = DEFAULT_LIMIT,
    after: str = "",
) -> list[PluginDataRecord]:
    """Like `list_data`, as the commit of `revision` left the namespace."""
    parameters = _namespace_page(session_id, plugin_id, namespace, limit=limit, after=after)
    rows = reading.rows(_LIST_AT, {**parameters, "revision": revision})
    return [data_record(row) for row in rows]


def put_data(
    transaction: Transaction, key: DataKey, *, value_text: str, revision: int, at: datetime
) -> None:
    """Set the record to the JSON text `value_text`; its creation time is kept.

    Neighbouring calls are sent together, so an error may arise at the next other use of the
    transaction.

    Raises:
        RowConflictError: the session does not exist.
        ValueTooLargeError: at once; nothing was changed.
    """
    parameters = _write_parameters(key, value_text, revision=revision, stamp=time_text(at))
    # Writes of one revision supersede only rows of older ones, so their order is no matter.
    transaction.run_together(_PUT, parameters, group=revision)


def put_all_data(
    transaction: Transaction,
    values: Sequence[tuple[DataKey, str]],
    *,
    revision: int,
    at: datetime,
) -> None:
    """Set several records in order; a key named twice ends with its last value.

    Raises:
        RowConflictError: a session does not exist.
        ValueTooLargeError: one of the values is; nothing was changed.
    """
    stamp = time_text(at)
    rows = [
        _write_parameters(key, value_text, revision=revision, stamp=stamp)
        for key, value_text in values
    ]
    for statement in _PUT:
        transaction.run_many(statement, rows)


def delete_data(transaction: Transaction, key: DataKey, *, revision: int) -> bool:
    """Delete the record; older revisions still show it. Whether it was there."""
    parameters: Parameters = {**key.parameters(), "revision": revision}
    transaction.run(_KEEP_OLD, parameters)
    was_there = transaction.run(_DELETE, parameters) > 0
    if was_there:
        keys = (key.plugin_id, key.namespace, key.key)
        note_removed(transaction, PLUGIN_DATA, key.session_id, keys, revision=revision)
    return was_there


def _write_parameters(key: DataKey, value_text: str, *, revision: int, stamp: str) -> Parameters:
    _refuse_large(key, value_text)
    return {
        **key.parameters(),
        "revision": revision,
        "version": revision,
        "value": value_text,
        "created_at": stamp,
        "updated_at": stamp,
    }


def _refuse_large(key: DataKey, value_text: str) -> None:
    # A character takes at most four bytes, so most texts need no measuring.
    if len(value_text) * 4 > MAX_PLUGIN_DATA_VALUE_BYTES:
        size_bytes = len(value_text.encode("utf-8", "surrogatepass"))
        if size_bytes > MAX_PLUGIN_DATA_VALUE_BYTES:
            raise ValueTooLargeError(
                f"{key.plugin_id}/{key.namespace}/{key.key}",
                size_bytes=size_bytes,
                limit_bytes=MAX_PLUGIN_DATA_VALUE_BYTES,
            )


def _namespace_page(
    session_id: str, plugin_id: str, namespace: str, *, limit: int, after: str
) -> dict[str, str | int]:
    return {
        "session_id": session_id,
        "plugin_id": plugin_id,
        "namespace": namespace,
        "limit": checked_limit(limit),
        "after": after,
    }


def data_record(row: Row) -> PluginDataRecord:
    """The record of a row with all columns of the table, in their order."""
    return PluginDataRecord(
        session_id=row[0],
        plugin_id=row[1],
        namespace=row[2],
        key=row[3],
        version=row[4],
        value=parse_json(row[5]),
        created_at=parsed_time(row[6]),
        updated_at=parsed_time(row[7]),
    )
