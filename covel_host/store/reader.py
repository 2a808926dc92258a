"""Read-only access: beside a writing store, and alone for commands that only look."""

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Engine

from covel_host.store._nesting import body_of, refuse_nesting
from covel_host.store._threads import StoreThreads, closed_error
from covel_host.store.engines import empty_engine, reading_engine
from covel_host.store.options import StoreOptions
from covel_host.store.schema import has_rows_to_read
from covel_host.store.transaction import Reading, plain_result, translated

Result = TypeVar("Result")


class StoreReader:
    """Reads the database beside any writer and never creates or changes a file of rows.

    Each body sees one committed state; `StoreOptions.reader_count` threads serve `read`.
    """

    backend = "sqlite"

    def __init__(self, engine: Engine, *, path: Path, reader_count: int, owner: object) -> None:
        self._engine = engine
        self._path = path
        self._owner = owner
        self._closed = False
        self._threads = StoreThreads(reader_count, name="covel-store-read")

    @classmethod
    def open(cls, options: StoreOptions) -> "StoreReader":
        """A reader of the file at `options.path`; a missing file answers as an empty database.

        Raises:
            StoreTooNewError: a newer program wrote the file.
            StoreNeedsMigrationError: the file's schema is older than this program's.
            StoreError: the file is no database.
        """
        if has_rows_to_read(options.path):
            engine, readers = reading_engine(options), options.reader_count
        else:
            engine, readers = empty_engine(), 1
        return cls(engine, path=options.path, reader_count=readers, owner=engine)

    def read(self, body: Callable[[Reading], Result]) -> Coroutine[Any, Any, Result]:
        """What `body` returns, run in a reader thread on one committed state.

        Raises:
            NestedTransactionError: at once, when called inside a body of the same store.
        """
        self._admit()
        return self._threads.submit(lambda: self._run(body)).settled()

    def read_now(self, body: Callable[[Reading], Result]) -> Result:
        """Like `read`, in the calling thread, for code without an event loop."""
        self._admit()
        return self._run(body)

    def close(self) -> None:
        """Wait for running bodies and close the connections; a second call does nothing."""
        self._closed = True
        self._threads.close()
        self._engine.dispose()

    def _admit(self) -> None:
        if self._closed:
            raise closed_error()
        refuse_nesting(self._owner, wanted="reading", store=str(self._path), backend=self.backend)

    def _run(self, body: Callable[[Reading], Result]) -> Result:
        connection = self._connect()
        driver: Any = connection.driver_connection
        reading = Reading(driver, self._engine.dialect)
        try:
            with body_of(self._owner, kind="reading"):
                driver.execute("BEGIN")
                return plain_result(body(reading))
        except StopIteration as stop:
            # A future cannot carry StopIteration; its waiter would wait for ever.
            raise RuntimeError(f"The store body raised StopIteration: {stop}") from stop
        finally:
            reading.end("its body has returned")
            if driver.in_transaction:
                driver.rollback()
            connection.close()

    def _connect(self) -> Any:
        errors: Any = self._engine.dialect.loaded_dbapi
        try:
            return self._engine.raw_connection()
        except errors.Error as error:
            raise translated(error, errors) from error
