"""Fault injection: a transaction that fails after a given number of statements."""

from collections.abc import Callable
from typing import Any

from covel_host.proposals.commit import commit_execution
from covel_host.proposals.plan import ExecutionCommit
from covel_host.store.store import Store
from covel_host.store.transaction import Transaction


class Interrupted(Exception):
    """What the fault injection raises."""


class FailingTransaction:
    """Passes statements on and raises after the given number of them."""

    def __init__(self, transaction: Transaction, *, after: int) -> None:
        self._transaction = transaction
        self._after = after
        self.sent = 0

    def __getattr__(self, name: str) -> Any:
        method: Callable[..., Any] = getattr(self._transaction, name)

        def counted(*arguments: Any, **options: Any) -> Any:
            outcome = method(*arguments, **options)
            # Rows that are kept back for company go now: the failure comes after they were sent.
            self._transaction.flush()
            self.sent += 1
            if self.sent == self._after:
                raise Interrupted
            return outcome

        return counted


def commit_with_every_fault(
    store: Store, execution: ExecutionCommit, check: Callable[[int], None]
) -> int:
    """Commit with a failure after each statement, `check` after each, and at last without one.

    Returns the number of statements the commit sends.
    """

    def body(transaction: Transaction, after: int) -> int:
        failing = FailingTransaction(transaction, after=after)
        commit_execution(failing, execution)  # type: ignore[arg-type]
        return failing.sent

    after = 0
    while True:
        after += 1
        try:
            return store.transaction_now(lambda transaction: body(transaction, after))  # noqa: B023
        except Interrupted:
            check(after)
