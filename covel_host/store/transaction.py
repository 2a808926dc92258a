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

_ALL = methodcaller("fetchall")
_FIRST = methodcaller("fetchone")
_CHANGED = attrgetter("rowcount")


class Reading:
    """One consistent state of the database, for the time of one body.

    Every read of a body sees the same state, whatever is committed meanwhile. The handle dies with
    its body.
    """

    def __init__(self, driver: Any, dialect: Dialect) -> None:
        self._driver = driver
        self._execute = driver.execute
        self._dialect = dialect
        self._errors: Any = dialect.loaded_dbapi
        # Besides the driver's own errors: lone surrogates, and integers beyond 64 bits.
        self._refusals: tuple[type[Exception], ...] = (
            self._errors.Error,
            UnicodeError,
            OverflowError,
        )
        self._ended: str | None = None
        self._together: Sequence[Statement] = ()
        self._group: object = None
        self._waiting: list[Parameters] = []

    def rows(self, statement: Statement, parameters: Parameters = _NOTHING) -> list[Row]:
        """All rows the statement gives, as tuples in the statement's column order."""
        rows: list[Row] = self._send(statement, parameters, _ALL)
        return rows

    def row(self, statement: Statement, parameters: Parameters = _NOTHING) -> Row | None:
        """The first row the statement gives, or None."""
        row: Row | None = self._send(statement, parameters, _FIRST)
        return row

    def flush(self) -> None:
        """Send the rows that `Transaction.run_together` keeps back; a reading has none.

        Raises:
            StoreClosedError: the body, or the whole transaction, has ended.
        """
        self.check_alive()
        rows, self._waiting = self._waiting, []
        if rows:
            for statement in self._together:
                self._send_many(statement, rows)

    def _send_many(self, statement: Statement, rows: Sequence[Parameters]) -> None:
        compiled = statement.compiled(self._dialect)
        try:
            self._driver.executemany(compiled.text, [compiled.values(row) for row in rows])
        except self._refusals as error:
            raise self._failed(error) from error

    def end(self, reason: str) -> None:
        """Make every later use of this handle fail with `reason`."""
        self._ended = reason

    def _send(
        self, statement: Statement, parameters: Parameters, take: Callable[[Any], Any]
    ) -> Any:
        # A turn sends some forty statements through here: every line of it counts.
        if self._ended is not None or self._waiting:
            self.flush()
        compiled = statement.compiled(self._dialect)
        try:
            return take(self._execute(compiled.text, compiled.values(parameters)))
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

    `memo` keeps what was worked out from its rows, for those who write them to keep current; it is
    emptied when writes of a savepoint are undone.
    """

    def __init__(self, driver: Any, dialect: Dialect) -> None:
        super().__init__(driver, dialect)
        self._depth = 0
        self.memo: dict[object, Any] = {}

    def run(self, statement: Statement, parameters: Parameters = _NOTHING) -> int:
        """Execute a writing statement; the number of rows it changed.

        Raises:
            RowConflictError: a key exists or a referenced row is missing; nothing was changed.
        """
        changed: int = self._send(statement, parameters, _CHANGED)
        return changed

    def run_many(self, statement: Statement, rows: Sequence[Parameters]) -> None:
        """Execute a writing statement once per item of `rows`, in order."""
        self.flush()
        if rows:
            self._send_many(statement, rows)

    def run_together(
        self, statements: Sequence[Statement], row: Parameters, *, group: object
    ) -> None:
        """Execute `statements` for `row`, with the rows of neighbouring calls of the same group.

        For writes of many small rows one after the other: sent alone, each costs more on the way
        to the database than in it. Each statement runs for all the rows before the next one does,
        so within a group it must not matter to one row where another is. They are sent when
        anything else is asked of the transaction, at the latest at its end; an error arises there.
        """
        if statements is not self._together or group != self._group:
            self.flush()
            self._together, self._group = statements, group
        self._waiting.append(row)

    def savepoint(self, body: Callable[["Transaction"], Result]) -> Result:
        """What `body` returns; when it raises, its own writes are undone and the error goes on.

        Savepoints nest. Writes of a savepoint that returned still fall with the transaction.
        """
        name = f"covel_{self._depth + 1}"
        self._control(f"SAVEPOINT {name}")
        self._depth += 1
        try:
            result = plain_result(body(self))
            self._control(f"RELEASE {name}")
        except BaseException:
            self._undo(name)
            raise
        finally:
            self._depth -= 1
        return result

    def _undo(self, savepoint: str) -> None:
        self._waiting.clear()
        self.memo.clear()
        if self._ended is not None:
            return
        try:
            self._control(f"ROLLBACK TO {savepoint}")
            self._control(f"RELEASE {savepoint}")
        except StoreError:
            # The body's writes may still be there: nothing of this transaction may be committed.
            self.end("a savepoint could not be rolled back")
            raise

    def _control(self, text: str) -> None:
        self.flush()
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
