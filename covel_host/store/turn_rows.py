"""Rows that a turn keeps in the order of their positions, for failed turns too."""

from collections.abc import Sequence

from sqlalchemy import Table, bindparam, insert, select

from covel_host.store.limits import checked_limit
from covel_host.store.statements import Parameters, Statement
from covel_host.store.transaction import Reading, Row, Transaction


class TurnRows:
    """The rows of one table with the columns session_id, turn_id and position."""

    def __init__(self, table: Table) -> None:
        self._insert = Statement(insert(table))
        self._list = Statement(
            select(table)
            .where(
                table.c.session_id == bindparam("session_id"),
                table.c.turn_id == bindparam("turn_id"),
                table.c.position > bindparam("after"),
            )
            .order_by(table.c.position)
            .limit(bindparam("limit"))
        )

    def insert(self, transaction: Transaction, rows: Sequence[Parameters]) -> None:
        """Store rows of a turn, whose own row must be there.

        Raises:
            RowConflictError: a position of the turn is taken, or the turn has no row.
        """
        transaction.run_many(self._insert, rows)

    def listed(
        self, reading: Reading, session_id: str, turn_id: str, *, limit: int, after: int
    ) -> list[Row]:
        """At most `limit` rows of a turn in order; `after` is a position to continue after."""
        return reading.rows(
            self._list,
            {
                "session_id": session_id,
                "turn_id": turn_id,
                "limit": checked_limit(limit),
                "after": after,
            },
        )
