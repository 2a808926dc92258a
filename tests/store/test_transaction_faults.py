"""A savepoint that cannot be rolled back ends its transaction: nothing of it is committed."""

import sqlite3
from pathlib import Path

import pytest

from covel_host.store.errors import StoreClosedError, StoreError
from covel_host.store.sessions import insert_session, list_sessions
from covel_host.store.store import Store
from covel_host.store.transaction import Transaction
from tests.proposals.faults import FailingDriver
from tests.store.builders import options, session


class Undone(Exception):
    """What the body of the savepoint raises."""


class NoRollback(FailingDriver):
    """A connection that refuses to roll a savepoint back."""

    def execute(self, text: str, values: tuple[object, ...] = ()) -> object:
        if text.startswith("ROLLBACK TO"):
            raise sqlite3.OperationalError("disk I/O error")
        return super().execute(text, values)


def test_nothing_is_committed_after_a_savepoint_that_could_not_be_rolled_back(
    tmp_path: Path,
) -> None:
    store = Store.open(options(tmp_path))

    def inner(transaction: Transaction) -> None:
        insert_session(transaction, session("s1"))
        raise Undone

    def body(transaction: Transaction) -> None:
        broken = Transaction(
            NoRollback(transaction._driver, at=0, fault="after"), transaction._dialect
        )
        with pytest.raises(StoreError, match="disk I/O error"):
            broken.savepoint(inner)
        with pytest.raises(StoreClosedError, match="could not be rolled back"):
            insert_session(broken, session("s2"))
        broken.flush()

    with pytest.raises(StoreClosedError):
        store.transaction_now(body)
    assert store.read_now(lambda reading: list_sessions(reading)) == []
    store.close()


def test_a_savepoint_that_cannot_begin_leaves_the_next_one_its_name(tmp_path: Path) -> None:
    store = Store.open(options(tmp_path))

    def body(transaction: Transaction) -> None:
        failing = Transaction(
            FailingDriver(transaction._driver, at=1, fault="refused"), transaction._dialect
        )
        with pytest.raises(StoreError):
            failing.savepoint(lambda inner: None)
        failing.savepoint(lambda inner: insert_session(inner, session("s1")))

    store.transaction_now(body)
    assert len(store.read_now(lambda reading: list_sessions(reading))) == 1
    store.close()
