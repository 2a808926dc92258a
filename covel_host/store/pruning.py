"""Superseded rows that no kept revision needs any more, deleted by range."""

from functools import cache

from sqlalchemy import ColumnElement, Table, bindparam, delete, exists, func, select

from covel_host.store.statements import Statement
from covel_host.store.tables import SNAPSHOTS
from covel_host.store.transaction import Transaction
from covel_host.store.versioned import VersionedTable, versioned_tables

_OF_SESSION = SNAPSHOTS.c.session_id == bindparam("session_id")
_NEIGHBOURS = Statement(
    select(
        select(func.max(SNAPSHOTS.c.revision))
        .where(_OF_SESSION, SNAPSHOTS.c.revision <= bindparam("revision"))
        .scalar_subquery(),
        select(func.min(SNAPSHOTS.c.revision))
        .where(_OF_SESSION, SNAPSHOTS.c.revision > bindparam("revision"))
        .scalar_subquery(),
    )
)

BEFORE_ALL = -1
"""Smaller than any revision."""


def prune_after(
    transaction: Transaction, session_id: str, revision: int, *, newest_revision: int
) -> int:
    """Delete the rows superseded after `revision`, up to the next kept one, that nobody can read.

    To be called for a revision that is no longer kept, and for the newest kept one when commits
    without a snapshot followed it. `newest_revision` is the session's; it is always readable.
    Each superseded row is looked at once per kept revision that it outlives, never by a scan.

    Returns: the number of rows deleted.
    """
    row = transaction.row(_NEIGHBOURS, {"session_id": session_id, "revision": revision})
    low, high = (None, None) if row is None else row
    # A superseded row is needed when a kept revision lies in `written <= r < valid_to`; between
    # two kept revisions next to each other that is decided by the lower one.
    bounds = {
        "session_id": session_id,
        "after": revision,
        "to": newest_revision if high is None else high,
        "low": BEFORE_ALL if low is None else low,
    }
    # Most commits touch few of the tables: one look at all of them spares the others a statement.
    is_there, statements = _prune_statements()
    found = transaction.row(is_there, bounds) or ()
    return sum(
        transaction.run(statement, bounds)
        for statement, has_rows in zip(statements, found, strict=True)
        if has_rows
    )


@cache
def _prune_statements() -> tuple[Statement, tuple[Statement, ...]]:
    pairs = versioned_tables()
    is_there = select(*[exists().where(*_superseded(pair.old)) for pair in pairs])
    return Statement(is_there), tuple(_prune_statement(pair) for pair in pairs)


def _prune_statement(pair: VersionedTable) -> Statement:
    old = pair.old
    return Statement(delete(old).where(*_superseded(old), pair.written(old) > bindparam("low")))


def _superseded(old: Table) -> list[ColumnElement[bool]]:
    return [
        old.c.session_id == bindparam("session_id"),
        old.c.valid_to > bindparam("after"),
        old.c.valid_to <= bindparam("to"),
    ]
