"""The open database: one writer thread, reader threads, transactions as plain functions."""

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Engine

from covel_host.store._nesting import body_of, refuse_nesting
from covel_host.store._threads import StoreThreads, closed_error
from covel_host.store.engines import reading_engine, writing_engine
from covel_host.store.options import StoreOptions
from covel_host.store.reader import StoreReader
from covel_host.store.schema import bring_up_to_date
from covel_host.store.transaction import Reading, Transaction, plain_result, translated

Result = TypeVar("Result")


class Store:
    """One database, written by one thread and read by several (spec/transactions.md 1).

    Transactions run one after the other in the order of the calls; readings run beside them and
    see the last committed state. Bodies are plain functions of store statements and run off the
    event loop. All methods may be called from any thread.
    """

    backend = "sqlite"

    def __init__(self, writer: Engine, reader: Engine, options: StoreOptions) -> None:
        self._path = options.path
        self._engine = writer
        self._connection = writer.raw_connection()
        self._thread = StoreThreads(1, name="covel-store-write")
        self._reader = StoreReader(
            reader, path=options.path, reader_count=options.reader_count, owner=self
        )
        self._closed = False

    @classmethod
    def open(cls, options: StoreOptions) -> "Store":
        """The store at `options.path`, made or brought up to date first, its folder included.

        Blocks; an existing file of an older schema is copied beside itself before it is changed.

        Raises:
            StoreTooNewError: a newer program wrote the file; it is left untouched.
            StoreError: the file is no database, or its folder cannot be written.
        """
        engine = writing_engine(options)
        try:
            bring_up_to_date(options.path, engine)
            return cls(engine, reading_engine(options), options)
        except BaseException:
            engine.dispose()
            raise

    @staticmethod
    def open_reader(options: StoreOptions) -> StoreReader:
        """A store that only reads, for commands that only look; see `StoreReader.open`."""
        return StoreReader.open(options)

    @property
    def path(self) -> Path:
        """The database file."""
        return self._path

    @property
    def name(self) -> str:
        """What errors call this store."""
        return str(self._path)

    def transaction(self, body: Callable[[Transaction], Result]) -> Coroutine[Any, Any, Result]:
        """What `body` returns, once everything it wrote is committed.

        An exception of the body rolls everything back and goes on to the caller. A caller
        cancelled while the body runs gets its `CancelledError` only after the body has settled;
        whether it was committed is then to be read.

        Raises:
            NestedTransactionError: at once, when called inside a body of this store.
            StoreBusyError: another process kept the database locked over the waiting limit.
        """
        self._admit()
        return self._thread.submit(lambda: self._run(body)).settled()

    def transaction_now(self, body: Callable[[Transaction], Result]) -> Result:
        """Like `transaction`, blocking the calling thread, for code without an event loop."""
        self._admit()
        return self._thread.submit(lambda: self._run(body)).outcome()

    def read(self, body: Callable[[Reading], Result]) -> Coroutine[Any, Any, Result]:
        """What `body` returns from one committed state; see `StoreReader.read`."""
        return self._reader.read(body)

    def read_now(self, body: Callable[[Reading], Result]) -> Result:
        """Like `read`, in the calling thread, for code without an event loop."""
        return self._reader.read_now(body)

    def close(self) -> None:
        """Finish what is queued and close the connections; a second call does nothing."""
        if self._closed:
            return
        self._closed = True
        self._thread.close()
        self._reader.close()
        self._connection.close()
        self._engine.dispose()

    def _admit(self) -> None:
        if self._closed:
            raise closed_error()
        refuse_nesting(self, wanted="transaction", store=self.name, backend=self.backend)

    def _run(self, body: Callable[[Transaction], Result]) -> Result:
        driver: Any = self._connection.driver_connection
        transaction = Transaction(driver, self._engine.dialect)
        try:
            with body_of(self, kind="transaction"):
                self._control("BEGIN IMMEDIATE")
                result = plain_result(body(transaction))
                # Besides the rows kept back: a body may have caught the error that ended its
                # transaction, and then must not be told that it was committed.
                transaction.flush()
            transaction.end("its body has returned")
            self._control("COMMIT")
        except StopIteration as stop:
            # A future cannot carry StopIteration; its waiter would wait for ever.
            raise RuntimeError(f"The store body raised StopIteration: {stop}") from stop
        else:
            return result
        finally:
            transaction.end("its body has returned")
            if driver.in_transaction:
                driver.rollback()

    def _control(self, text: str) -> None:
        driver: Any = self._connection.driver_connection
        errors: Any = self._engine.dialect.loaded_dbapi
        try:
            driver.execute(text)
        except errors.Error as error:
            raise translated(error, errors) from error
