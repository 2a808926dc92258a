"""Fault injection: a transaction that fails at a given statement."""

import sqlite3
from collections.abc import Callable
from typing import Any, Literal

from covel_host.proposals.commit import commit_execution
from covel_host.proposals.plan import CommitReport, ExecutionCommit
from covel_host.store.errors import StoreError
from covel_host.store.store import Store
from covel_host.store.transaction import Transaction

Fault = Literal["after", "refused"]
"""`after`: the process is interrupted once the statement ran. `refused`: the database refuses it.
"""


class Interrupted(Exception):
    """What the fault injection raises."""


class FailingDriver:
    """Passes statements on to the driver's connection and fails at the one of that number."""

    def __init__(self, driver: Any, *, at: int, fault: Fault) -> None:
        self._driver = driver
        self._at = at
        self._fault = fault
        self.sent = 0

    @property
    def in_transaction(self) -> bool:
        return bool(self._driver.in_transaction)

    def execute(self, text: str, values: tuple[Any, ...] = ()) -> Any:
        return self._send(lambda: self._driver.execute(text, values))

    def executemany(self, text: str, rows: list[tuple[Any, ...]]) -> Any:
        return self._send(lambda: self._driver.executemany(text, rows))

    def _send(self, statement: Callable[[], Any]) -> Any:
        self.sent += 1
        if self.sent == self._at and self._fault == "refused":
            raise sqlite3.OperationalError("disk I/O error")
        outcome = statement()
        if self.sent == self._at:
            raise Interrupted
        return outcome


def commit_failing(
    store: Store, execution: ExecutionCommit, *, at: int, fault: Fault = "after"
) -> tuple[CommitReport, int]:
    """The report of a commit whose statement of that number fails, and how many were sent."""

    def body(transaction: Transaction) -> tuple[CommitReport, int]:
        driver = FailingDriver(transaction._driver, at=at, fault=fault)
        failing = Transaction(driver, transaction._dialect)
        report = commit_execution(failing, execution)
        failing.flush()
        return report, driver.sent

    return store.transaction_now(body)


def commit_with_every_fault(
    store: Store, execution: ExecutionCommit, check: Callable[[int], None], fault: Fault = "after"
) -> int:
    """Commit with a failure at each statement, `check` after each, and at last without one.

    Returns the number of statements the commit sends.
    """
    at = 0
    while True:
        at += 1
        try:
            report, sent = commit_failing(store, execution, at=at, fault=fault)
        except (Interrupted, StoreError):
            check(at)
            continue
        if sent < at:
            return sent
        raise AssertionError(f"The commit went on after statement {at} had failed: {report}")
