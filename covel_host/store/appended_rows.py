"""Rows that are only ever added, in a session's order, with the revision that added them."""

from collections.abc import Mapping

from sqlalchemy import Table, bindparam, func, insert, literal_column, select

from covel_host.store.limits import checked_limit
from covel_host.store.statements import SqlValue, Statement
from covel_host.store.transaction import Reading, Row, Transaction

_NO_BOUND = 2**62
"""Larger than any sequence or revision."""


class AppendedRows:
    """The rows of one table of `tables.APPENDED_TABLES`; tuples in its column order."""

    def __init__(self, table: Table) -> None:
        of_session = table.c.session_id == bindparam("session_id")
        next_sequence = func.coalesce(func.max(table.c.sequence), 0) + literal_column("1")
        values = [
            next_sequence
            if column.name == "sequence"
            else bindparam(column.name, type_=column.type)
            for column in table.c
        ]
        names = [column.name for column in table.c]
        self._append = Statement(
            insert(table).from_select(names, select(*values).where(of_session))
        )
        self._newest = Statement(
            select(table)
            .where(
                of_session,
                table.c.sequence < bindparam("before"),
                table.c.revision <= bindparam("revision"),
            )
            .order_by(table.c.sequence.desc())
            .limit(bindparam("limit"))
        )
        self._of_turn = Statement(
            select(table)
            .where(of_session, table.c.turn_id == bindparam("turn_id"))
            .order_by(table.c.sequence)
        )

    def append(self, transaction: Transaction, row: Mapping[str, SqlValue]) -> None:
        """Add a row, given by column without `sequence`; it gets the session's next one.

        Raises:
            RowConflictError: the session does not exist.
        """
        transaction.run(self._append, row)

    def newest(
        self,
        reading: Reading,
        session_id: str,
        *,
        limit: int,
        before: int | None = None,
        at_revision: int | None = None,
    ) -> list[Row]:
        """The newest `limit` rows, oldest of them first; `before` is a sequence to read back from.

        `at_revision` shows the rows as that revision left them.
        """
        rows = reading.rows(
            self._newest,
            {
                "session_id": session_id,
                "limit": checked_limit(limit),
                "before": _NO_BOUND if before is None else before,
                "revision": _NO_BOUND if at_revision is None else at_revision,
            },
        )
        rows.reverse()
        return rows

    def of_turn(self, reading: Reading, session_id: str, turn_id: str) -> list[Row]:
        """All rows of one turn, in order."""
        return reading.rows(self._of_turn, {"session_id": session_id, "turn_id": turn_id})
