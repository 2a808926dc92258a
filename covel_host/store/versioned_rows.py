"""Rows with a revision: the current ones in one table, the superseded ones in its twin.

What `plugin_data` does for package records, for any other pair of tables (`versioned`): a commit
touches the rows it changes, and every earlier revision still reads as it was (spec/decisions.md 6).
"""

from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Table,
    bindparam,
    delete,
    select,
    tuple_,
    union_all,
)
from sqlalchemy.dialects.sqlite import insert

from covel_host.store.changed_rows import note_removed
from covel_host.store.limits import MAX_LIMIT
from covel_host.store.statements import Parameters, SqlValue, Statement
from covel_host.store.transaction import Reading, Row, Transaction


class VersionedRows:
    """The rows of one versioned table and its twin, keyed by session and the table's other keys.

    `kept` are columns that an update leaves as they are, such as a creation time. Rows come as
    tuples in the current table's column order.
    """

    def __init__(self, current: Table, old: Table, *, kept: tuple[str, ...] = ()) -> None:
        self._current = current
        self._keys = tuple(
            column.name for column in current.primary_key if column.name != "session_id"
        )
        self._get = Statement(select(current).where(*_is_row(current, self._keys)))
        self._page = Statement(_after(select(current).where(_of_session(current)), self._keys))
        self._get_at = Statement(_at(current, old, self._keys))
        self._page_at = Statement(_after(_at(current, old, ()), self._keys))
        self._keep = Statement(_keep(current, old, self._keys))
        self._upsert = Statement(_upsert(current, self._keys, kept))
        self._delete = Statement(delete(current).where(*_is_row(current, self._keys)))

    def get(
        self, reading: Reading, session_id: str, *keys: str, revision: int | None = None
    ) -> Row | None:
        """The current row of those keys, or the one `revision` left; None when there is none."""
        parameters = self._key(session_id, keys)
        if revision is None:
            return reading.row(self._get, parameters)
        return reading.row(self._get_at, {**parameters, "revision": revision})

    def every(
        self, reading: Reading, session_id: str, *, revision: int | None = None
    ) -> Iterator[Row]:
        """All rows of a session in key order, read page by page; as `revision` left them if given.

        For what a rule must see whole, such as the names of all characters.
        """
        statement = self._page if revision is None else self._page_at
        after = {f"after_{name}": "" for name in self._keys}
        while True:
            parameters: dict[str, SqlValue] = {**after, "session_id": session_id}
            parameters |= {"limit": MAX_LIMIT, "revision": revision}
            rows = reading.rows(statement, parameters)
            yield from rows
            if len(rows) < MAX_LIMIT or not self._keys:
                return
            # The keys follow the session's ID in every table.
            after = {f"after_{name}": rows[-1][place] for place, name in enumerate(self._keys, 1)}

    def put(self, transaction: Transaction, row: Mapping[str, SqlValue], *, revision: int) -> None:
        """Write the row, given by column without `revision`; what stood there is kept as old.

        Raises:
            RowConflictError: the session does not exist.
        """
        parameters: Parameters = {**row, "revision": revision}
        transaction.run(self._keep, parameters)
        transaction.run(self._upsert, parameters)

    def delete(self, transaction: Transaction, session_id: str, *keys: str, revision: int) -> bool:
        """Delete the row; older revisions still show it. Whether it was there."""
        parameters: Parameters = {**self._key(session_id, keys), "revision": revision}
        transaction.run(self._keep, parameters)
        was_there = transaction.run(self._delete, parameters) > 0
        if was_there:
            note_removed(transaction, self._current, session_id, keys, revision=revision)
        return was_there

    def _key(self, session_id: str, keys: tuple[str, ...]) -> dict[str, SqlValue]:
        return {"session_id": session_id, **dict(zip(self._keys, keys, strict=True))}


def _of_session(table: Table) -> ColumnElement[bool]:
    return table.c.session_id == bindparam("session_id")


def _is_row(table: Table, keys: tuple[str, ...]) -> list[ColumnElement[bool]]:
    return [_of_session(table), *[table.c[name] == bindparam(name) for name in keys]]


def _at(current: Table, old: Table, keys: tuple[str, ...]) -> Any:
    """The rows that a revision left: current ones old enough, and old ones not yet superseded."""
    revision: BindParameter[int] = bindparam("revision")
    names = [column.name for column in current.c]
    now = select(current).where(*_is_row(current, keys), current.c.revision <= revision)
    then = select(*[old.c[name] for name in names]).where(
        *_is_row(old, keys), old.c.revision <= revision, old.c.valid_to > revision
    )
    return select(union_all(now, then).subquery())


def _after(rows: Any, keys: tuple[str, ...]) -> Any:
    columns = [rows.selected_columns[name] for name in keys]
    if not columns:
        return rows.limit(bindparam("limit"))
    last: list[BindParameter[str]] = [bindparam(f"after_{name}") for name in keys]
    return rows.where(tuple_(*columns) > tuple_(*last)).order_by(*columns).limit(bindparam("limit"))


def _keep(current: Table, old: Table, keys: tuple[str, ...]) -> Any:
    names = [column.name for column in old.c]
    columns = [
        bindparam("revision", type_=old.c.valid_to.type) if name == "valid_to" else current.c[name]
        for name in names
    ]
    # A row that this very revision wrote was never visible at any revision.
    superseded = select(*columns).where(
        *_is_row(current, keys), current.c.revision < bindparam("revision")
    )
    return insert(old).from_select(names, superseded).on_conflict_do_nothing()


def _upsert(current: Table, keys: tuple[str, ...], kept: tuple[str, ...]) -> Any:
    values = insert(current)
    fixed = {"session_id", *keys, *kept}
    return values.on_conflict_do_update(
        index_elements=["session_id", *keys],
        set_={
            column.name: values.excluded[column.name]
            for column in current.c
            if column.name not in fixed
        },
    )
