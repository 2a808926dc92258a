"""What a body gets: `Reading` for a consistent view, `Transaction` for a view that also writes."""

import inspect
from collections.abc import Callable, Sequence
from operator import attrgetter, methodcaller
from typing import Any, TypeVar

from sqlalchemy.engine import Dialect

from covel_host.store.errors import RowConflictError, StoreBusyError, StoreClosedError, StoreError
from covel_host.store.statements import Parameters, Statement

Result = TypeVar("Result")
Row = tuple[Any, ...]

_NOTHING: Parameters = {}


class Reading:
    """One consistent state of the database, for the time of one body.

    Every read of a body sees the same state, whatever is committed meanwhile. The handle dies with
    its body.
    """

    def __init__(self, driver: Any, dialect: Dialect) -> None:
        self._driver = driver
        self._dialect = dialect
        self._errors: Any = dialect.loaded_dbapi
        # Besides the driver's own errors: lone surrogates, and integers beyond 64 bits.
        self._refusals: tuple[type[Exception], ...] = (
            self._errors.Error,
            UnicodeError,
            OverflowError,
        )
        self._ended: str | None = None

    def rows(self, statement: Statement, parameters: Parameters = _NOTHING) -> list[Row]:
        """All rows the statement gives, as tuples in the statement's column order."""
        rows: list[Row] = self._send(statement, parameters, methodcaller("fetchall"))
        return rows

    def row(self, statement: Statement, parameters: Parameters = _NOTHING) -> Row | None:
        """The first row the statement gives, or None."""
        row: Row | None = self._send(statement, parameters, methodcaller("fetchone"))
        return row

    def end(self, reason: str) -> None:
        """Make every later use of this handle fail with `reason`."""
        self._ended = reason

    def _send(
        self, statement: Statement, parameters: Parameters, take: Callable[[Any], Any]
    ) -> Any:
        self.check_alive()
        compiled = statement.compiled(self._dialect)
        values = compiled.values(parameters)
        try:
            return take(self._driver.execute(compiled.text, values))
        except self._refusals as error:
            raise self._failed(error) from error

    def check_alive(self) -> None:
        """Raise `StoreClosedError` when the body, or the whole transaction, has ended."""
        if self._ended is not None:
            raise StoreClosedError(
                f"This store handle was used after its end: {self._ended}.",
                code="store-closed",
                hint="Use the handle only inside the body it was given to.",
            )

    def _failed(self, error: Exception) -> StoreError:
        if not self._driver.in_transaction:
            # SQLite gave the whole transaction up (disk full, input/output error). Later
            # statements of this body would each commit by themselves: none may be sent.
            self.end("the database rolled the transaction back")
        return translated(error, self._errors)


class Transaction(Reading):
    """A `Reading` that also writes; all its writes become durable together or not at all.

    It reads its own writes. An exception that leaves the body rolls everything back.
    """

    def __init__(self, driver: Any, dialect: Dialect) -> None:
        super().__init__(driver, dialect)
        self._depth = 0

    def run(self, statement: Statement, parameters: Parameters = _NOTHING) -> int:
        """Execute a writing statement; the number of rows it changed.

        Raises:
            RowConflictError: a key exists or a referenced row is missing; nothing was changed.
        """
        changed: int = self._send(statement, parameters, attrgetter("rowcount"))
        return changed

    def run_many(self, statement: Statement, rows: Sequence[Parameters]) -> None:
        """Execute a writing statement once per item of `rows`, in order."""
        if not rows:
            return
        self.check_alive()
        compiled = statement.compiled(self._dialect)
        values = [compiled.values(row) for row in rows]
        try:
            self._driver.executemany(compiled.text, values)
        except self._refusals as error:
            raise self._failed(error) from error

    def savepoint(self, body: Callable[["Transaction"], Result]) -> Result:
        """What `body` returns; when it raises, its own writes are undone and the error goes on.

        Savepoints nest. Writes of a savepoint that returned still fall with the transaction.
        """
        self._depth += 1
        name = f"covel_{self._depth}"
        self._control(f"SAVEPOINT {name}")
        try:
            result = plain_result(body(self))
        except BaseException:
            if self._ended is None:
                self._control(f"ROLLBACK TO {name}")
                self._control(f"RELEASE {name}")
            raise
        else:
            self._control(f"RELEASE {name}")
            return result
        finally:
            self._depth -= 1

    def _control(self, text: str) -> None:
        self.check_alive()
        try:
            self._driver.execute(text)
        except self._refusals as error:
            raise self._failed(error) from error


def plain_result(result: Result) -> Result:
    """`result`, unless it is a coroutine: an async body would run after its transaction ended."""
    if inspect.iscoroutine(result):
        result.close()
        raise StoreError(
            "A store body is an async function, and bodies do not await.",
            code="store-body-async",
            hint="Make it a plain function of store statements; await before or after it.",
        )
    return result


def translated(error: Exception, errors: Any) -> StoreError:
    """The store's own error for a driver's; the driver's sentence is kept."""
    if isinstance(error, errors.IntegrityError):
        return RowConflictError(f"A row breaks a rule of its table: {error}.", code="row-conflict")
    if getattr(error, "sqlite_errorname", "").startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return StoreBusyError(
            f"Another process keeps the database locked: {error}.",
            code="store-busy",
            hint="Wait until it has finished, then try again.",
        )
    return StoreError(
        f"The database refused a statement: {error}.",
        code="store-failed",
        hint="`covel doctor` checks the file; a backup lies beside it after a migration.",
    )
