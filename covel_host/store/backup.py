"""Backups that a person asks for, made while the database is in use."""

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from covel_host.store.copying import copy_database
from covel_host.store.errors import StoreError
from covel_host.store.schema import required_revision, unusable


class BackupTargetError(StoreError):
    """The file a backup was to be written to is there already, or cannot be written; `path`."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(
            f"The backup {str(path)!r} cannot be written: {problem}.",
            code="backup-target",
            hint="Name a file that does not exist, in a folder that does.",
        )
        self.path = path


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupReport:
    """What was written: a database of its own, without any further file."""

    path: Path
    size_bytes: int
    schema_revision: str


def back_up(source: Path, target: Path) -> BackupReport:
    """Copy the database to `target`, in one committed state, while others read and write it.

    The copy appears under its name only once it is whole and on the disk; a file that is there is
    never overwritten. A newer or older schema is copied as it is.

    Raises:
        StoreError: there is no database of ours at `source`.
        BackupTargetError: `target` exists or cannot be written.
    """
    revision = required_revision(source)
    try:
        copy_database(source, target)
        size_bytes = target.stat().st_size
    except OSError as error:
        raise BackupTargetError(target, error.strerror or str(error)) from error
    except sqlite3.Error as error:
        raise unusable(source, error) from error
    return BackupReport(path=target, size_bytes=size_bytes, schema_revision=revision)
