"""What changed in a versioned table since a revision, read without what did not change.

Written rows are found by an index over their revision. A deleted row leaves its key in
`removed_rows`: superseded rows are pruned, so they cannot tell what is gone.
"""

from collections.abc import Iterator, Sequence

from sqlalchemy import Table, bindparam, func, select, tuple_
from sqlalchemy.dialects.sqlite import insert

from covel_host.base.json_text import dump_json, parse_json
from covel_host.store.limits import MAX_LIMIT
from covel_host.store.statements import SqlValue, Statement
from covel_host.store.tables import REMOVED_ROWS
from covel_host.store.transaction import Reading, Row, Transaction

_KEYS = ("session_id", "table_name", "row_key")
_NOTE_VALUES = insert(REMOVED_ROWS)
_NOTE = Statement(
    _NOTE_VALUES.on_conflict_do_update(
        index_elements=_KEYS, set_={"revision": _NOTE_VALUES.excluded["revision"]}
    )
)
_LAST = Statement(
    select(func.max(REMOVED_ROWS.c.revision)).where(
        REMOVED_ROWS.c.session_id == bindparam("session_id")
    )
)
_REMOVED = Statement(
    select(REMOVED_ROWS.c.row_key)
    .where(
        REMOVED_ROWS.c.session_id == bindparam("session_id"),
        REMOVED_ROWS.c.table_name == bindparam("table_name"),
        REMOVED_ROWS.c.revision > bindparam("since"),
    )
    .order_by(REMOVED_ROWS.c.revision, REMOVED_ROWS.c.row_key)
)


def note_removed(
    transaction: Transaction, table: Table, session_id: str, keys: Sequence[str], *, revision: int
) -> None:
    """Keep the keys of a row that `revision` deletes, in the order of the table's key columns."""
    transaction.run(
        _NOTE,
        {
            "session_id": session_id,
            "table_name": table.name,
            "row_key": dump_json(list(keys)),
            "revision": revision,
        },
    )


def is_any_removed(reading: Reading, session_id: str, *, since: int) -> bool:
    """Whether a later revision than `since` deleted a row of any table."""
    row = reading.row(_LAST, {"session_id": session_id})
    last = None if row is None else row[0]
    return last is not None and bool(last > since)


class ChangedRows:
    """The changes of one versioned table, of its rows that share the leading keys `within`.

    `written` names the column with the revision that wrote a row; the table has an index over
    session, `within` and that column.
    """

    def __init__(
        self, table: Table, *, within: tuple[str, ...] = (), written: str = "revision"
    ) -> None:
        keys = [column.name for column in table.primary_key if column.name != "session_id"]
        self._table = table
        self._within = within
        self._order = (written, *keys[len(within) :])
        self._places = [[column.name for column in table.c].index(name) for name in self._order]
        fixed = ("session_id", *within)
        columns = [table.c[name] for name in self._order]
        after = [bindparam(f"after_{name}", type_=table.c[name].type) for name in self._order]
        self._page = Statement(
            select(table)
            .where(
                *[table.c[name] == bindparam(name) for name in fixed],
                tuple_(*columns) > tuple_(*after),
            )
            .order_by(*columns)
            .limit(bindparam("limit"))
        )

    def written(self, reading: Reading, session_id: str, *within: str, since: int) -> Iterator[Row]:
        """The current rows that a later revision than `since` wrote, by revision and key.

        They are read page by page; with -1 all of them.
        """
        fixed = {"session_id": session_id, **dict(zip(self._within, within, strict=True))}
        # No row has empty keys throughout, so this stands before every row of that revision.
        after: dict[str, SqlValue] = {f"after_{name}": "" for name in self._order}
        after[f"after_{self._order[0]}"] = since + 1
        while True:
            rows = reading.rows(self._page, {**fixed, **after, "limit": MAX_LIMIT})
            yield from rows
            if len(rows) < MAX_LIMIT:
                return
            last = rows[-1]
            after = {
                f"after_{name}": last[place]
                for name, place in zip(self._order, self._places, strict=True)
            }

    def removed(
        self, reading: Reading, session_id: str, *within: str, since: int
    ) -> list[tuple[str, ...]]:
        """Keys of rows that a later revision than `since` deleted; some may be written again.

        Without the leading `within`, in the order of the table's key columns.
        """
        rows = reading.rows(
            _REMOVED, {"session_id": session_id, "table_name": self._table.name, "since": since}
        )
        found = (_keys(text) for (text,) in rows)
        return [keys[len(within) :] for keys in found if keys[: len(within)] == within]


def _keys(text: str) -> tuple[str, ...]:
    keys = parse_json(text)
    assert isinstance(keys, list)
    return tuple(str(key) for key in keys)
