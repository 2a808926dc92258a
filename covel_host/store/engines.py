"""SQLite connections as the store needs them: one that writes, several that only read."""

import sqlite3
import time

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.pool import QueuePool
from sqlalchemy.schema import CreateTable

from covel_host.store.options import StoreOptions
from covel_host.store.tables import METADATA

CACHED_STATEMENTS = 256
"""Prepared statements kept per connection; the store has fewer distinct texts than that."""

_PAGE_CACHE_KIB = 16 * 1024

_WAL_RETRY_S = 0.01

_UNLIMITED = -1
"""Callers of `read_now` never wait for a connection; those beyond the pool's size are not kept."""


def writing_engine(options: StoreOptions) -> Engine:
    """An engine whose one connection writes: WAL, foreign keys on, the chosen `synchronous`."""

    def connect() -> sqlite3.Connection:
        driver = _connected(options, mode="rwc")
        _switch_to_wal(driver, timeout_ms=options.busy_timeout_ms)
        driver.execute(f"PRAGMA synchronous={options.synchronous}")
        driver.execute("PRAGMA foreign_keys=ON")
        driver.execute(f"PRAGMA cache_size=-{_PAGE_CACHE_KIB}")
        return driver

    engine = create_engine(
        "sqlite://", creator=connect, poolclass=QueuePool, pool_size=1, max_overflow=0
    )

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


def reading_engine(options: StoreOptions) -> Engine:
    """An engine whose connections cannot write, whatever they are sent; `reader_count` are kept."""

    def connect() -> sqlite3.Connection:
        driver = _connected(options, mode="ro")
        driver.execute("PRAGMA query_only=ON")
        return driver

    return create_engine(
        "sqlite://",
        creator=connect,
        poolclass=QueuePool,
        pool_size=options.reader_count,
        max_overflow=_UNLIMITED,
        pool_use_lifo=True,
    )


def empty_engine() -> Engine:
    """An engine whose connections each see an empty database: what a missing file answers."""

    def connect() -> sqlite3.Connection:
        driver = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        for table in METADATA.sorted_tables:
            driver.execute(str(CreateTable(table).compile(dialect=engine.dialect)))
        return driver

    engine = create_engine(
        "sqlite://", creator=connect, poolclass=QueuePool, pool_size=1, max_overflow=_UNLIMITED
    )
    return engine


def _connected(options: StoreOptions, *, mode: str) -> sqlite3.Connection:
    # As a URI, in which characters such as `?` and `#` of a folder's name are quoted.
    return sqlite3.connect(
        f"{options.path.resolve().as_uri()}?mode={mode}",
        uri=True,
        timeout=options.busy_timeout_ms / 1000,
        # The driver's own transaction control begins late and not IMMEDIATE: it is switched off.
        isolation_level=None,
        # A connection is used by one thread at a time, but opened and closed by others.
        check_same_thread=False,
        cached_statements=CACHED_STATEMENTS,
    )


def _switch_to_wal(driver: sqlite3.Connection, *, timeout_ms: int) -> None:
    # SQLite does not apply its busy timeout to this switch, which matters only while several
    # processes make the file at once; a file that has been switched stays so.
    deadline = time.monotonic() + timeout_ms / 1000
    while True:
        try:
            driver.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorname != "SQLITE_BUSY" or time.monotonic() > deadline:
                raise
            time.sleep(_WAL_RETRY_S)
        else:
            return
