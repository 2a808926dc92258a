"""The schema of a file: which revision it has, how it is brought up to date, what is refused.

Migrations go forward only (spec/decisions.md 6). alembic carries them out, and is imported only
when there is something to carry out: its import costs more than opening the store. A new file is
made at once, from `schema.sql`, which holds what all migrations together make.
"""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from covel_host.store.copying import copy_database
from covel_host.store.errors import StoreError, StoreNeedsMigrationError, StoreTooNewError
from covel_host.store.transaction import translated

REVISIONS = tuple(f"{number:04}" for number in range(1, 15))
"""Every schema revision, oldest first; a test keeps it equal to the scripts of `migrations/`."""

HEAD = REVISIONS[-1]

SCHEMA_FILE = Path(__file__).parent / "schema.sql"
"""The newest schema, by `scripts/write_schema.py`; a test compares it with the migrations."""

_SCRIPTS = Path(__file__).parent / "migrations"

_VERSION_TABLE = "alembic_version"

_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table'"


def bring_up_to_date(path: Path, engine: Engine) -> None:
    """Give the database of `engine` the newest schema; nothing to do costs one small read.

    An existing older file is first copied to `<name>.backup-<revision>` beside it, in a state
    that is consistent with its write-ahead log.

    Raises:
        StoreTooNewError: the file's revision is not one of `REVISIONS`; it is left untouched.
        StoreError: the file is no database, or cannot be opened.
    """
    found = _found_revision(path) if _exists(path) else None
    if found == HEAD:
        return
    if found is not None:
        _refuse_newer(path, found)
        _back_up(path, found)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with engine.begin() as connection:
            _make_or_migrate(path, connection)
    except OSError as error:
        raise unusable(path, error) from error
    except DBAPIError as error:
        raise translated(_cause(error), engine.dialect.loaded_dbapi) from error


def has_rows_to_read(path: Path) -> bool:
    """Whether the file at `path` has the newest schema; False when nothing was stored there yet.

    Raises:
        StoreTooNewError: a newer program wrote it.
        StoreNeedsMigrationError: it has an older schema.
        StoreError: it is no database of ours, or cannot be opened.
    """
    found = _found_revision(path) if _exists(path) else None
    if found is None:
        return False
    _refuse_newer(path, found)
    if found != HEAD:
        raise StoreNeedsMigrationError(path, found=found, needed=HEAD)
    return True


def required_revision(path: Path) -> str:
    """The schema revision of the database at `path`, whichever it is; nothing is changed.

    Raises:
        StoreError: there is no database of ours there, or it cannot be opened.
    """
    found = _found_revision(path) if _exists(path) else None
    if found is None:
        raise StoreError(
            f"There is no database at {str(path)!r} yet.",
            code="store-missing",
            hint="Any command that runs a package, such as `covel run`, makes it; COVEL_HOME says "
            "where.",
        )
    return found


def unusable(path: Path, error: Exception) -> StoreError:
    """The error of a database that cannot be read or written, with what SQLite said."""
    return StoreError(
        f"The database {str(path)!r} cannot be used: {error}.",
        code="store-unusable",
        hint="Check the file and the rights of its folder, or set COVEL_HOME to another folder.",
    )


def _make_or_migrate(path: Path, connection: Connection) -> None:
    # Inside the write lock: another process may have done it between the first look and now.
    found = _revision_in(path, connection.connection.driver_connection)
    if found == HEAD:
        return
    if found is None:
        _make(connection)
    else:
        _refuse_newer(path, found)
        migrate(connection)


def _make(connection: Connection) -> None:
    # One by one: `executescript` of sqlite3 would commit the transaction first.
    for statement in SCHEMA_FILE.read_text(encoding="utf-8").split(";\n\n"):
        if statement:
            connection.exec_driver_sql(statement)
    connection.exec_driver_sql(f"INSERT INTO {_VERSION_TABLE} VALUES ('{HEAD}')")


def migrate(connection: Connection) -> None:
    """Carry out what the database of `connection` lacks, in the caller's transaction."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_SCRIPTS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _refuse_newer(path: Path, found: str) -> None:
    if found not in REVISIONS:
        raise StoreTooNewError(path, found=found, known=HEAD)


def _exists(path: Path) -> bool:
    """Whether the database is there; what is there has to be a file.

    Raises:
        StoreError: a folder, a pipe, a device, or a link that leads nowhere.
    """
    if path.is_file():
        return True
    if path.exists():
        raise unusable(path, OSError("it is not a file"))
    if path.is_symlink():
        raise unusable(path, OSError("it is a symbolic link that leads nowhere"))
    return False


def _found_revision(path: Path) -> str | None:
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as driver:
            return _revision_in(path, driver)
    except sqlite3.Error as error:
        raise unusable(path, error) from error


def _revision_in(path: Path, driver: Any) -> str | None:
    tables = {row[0] for row in driver.execute(_TABLES)}
    if not tables:
        return None
    if _VERSION_TABLE not in tables:
        raise StoreError(
            f"The file {str(path)!r} is a database of another program (it has the table "
            f"{min(tables)!r} and none that states our schema revision).",
            code="store-unusable",
            hint="Set COVEL_HOME to another folder.",
        )
    row = driver.execute(f"SELECT version_num FROM {_VERSION_TABLE}").fetchone()
    return None if row is None else str(row[0])


def _back_up(path: Path, revision: str) -> Path:
    target = _free_name(path.with_name(f"{path.name}.backup-{revision}"))
    try:
        copy_database(path, target)
    except (OSError, sqlite3.Error) as error:
        raise unusable(path, error) from error
    return target


def _free_name(wanted: Path) -> Path:
    candidate, number = wanted, 1
    while candidate.exists():
        number += 1
        candidate = wanted.with_name(f"{wanted.name}-{number}")
    return candidate


def _cause(error: DBAPIError) -> Exception:
    return error.orig if isinstance(error.orig, Exception) else error
