"""A disk that is full: the turn fails as a whole and the store works on afterwards."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from covel_host.store.errors import StoreClosedError, StoreError
from covel_host.store.sessions import insert_session, list_sessions
from covel_host.store.store import Store
from covel_host.store.transaction import Transaction
from tests.store.builders import options, session

HUGE = {"text": "x" * 4_000_000}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store.open(options(tmp_path))
    yield opened
    opened.close()


def fill_the_disk(transaction: Transaction) -> None:
    pages = transaction._driver.execute("PRAGMA page_count").fetchone()[0]
    transaction._driver.execute(f"PRAGMA max_page_count={pages + 8}")


def free_the_disk(transaction: Transaction) -> None:
    transaction._driver.execute("PRAGMA max_page_count=1000000")


def test_a_full_disk_is_an_error_and_nothing_of_the_body_stays(store: Store) -> None:
    def body(transaction: Transaction) -> None:
        fill_the_disk(transaction)
        insert_session(transaction, session("before"))
        insert_session(transaction, session("huge", metadata=HUGE))

    with pytest.raises(StoreError, match="full"):
        store.transaction_now(body)
    store.transaction_now(free_the_disk)
    store.transaction_now(lambda transaction: insert_session(transaction, session("later")))
    assert store.read_now(list_sessions) == [session("later")]


@pytest.mark.parametrize("is_in_savepoint", [False, True])
def test_a_body_that_goes_on_after_it_cannot_write_by_itself(
    store: Store, is_in_savepoint: bool
) -> None:
    """SQLite has ended the transaction by then: the next statement would commit alone."""

    def huge(transaction: Transaction) -> None:
        insert_session(transaction, session("huge", metadata=HUGE))

    def body(transaction: Transaction) -> None:
        fill_the_disk(transaction)
        attempt = transaction.savepoint if is_in_savepoint else lambda part: part(transaction)
        with pytest.raises(StoreError, match="full"):
            attempt(huge)
        insert_session(transaction, session("after"))

    with pytest.raises(StoreClosedError, match="rolled the transaction back"):
        store.transaction_now(body)
    assert store.read_now(list_sessions) == []


def test_a_body_that_swallows_it_is_not_reported_as_committed(store: Store) -> None:
    def body(transaction: Transaction) -> str:
        fill_the_disk(transaction)
        insert_session(transaction, session("before"))
        with pytest.raises(StoreError, match="full"):
            insert_session(transaction, session("huge", metadata=HUGE))
        return "done"

    with pytest.raises(StoreClosedError, match="rolled the transaction back"):
        store.transaction_now(body)
    assert store.read_now(list_sessions) == []
