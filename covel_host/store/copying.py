"""A whole database copied to a new file, in one committed state, while it is in use."""

import errno
import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

_NO_SECOND_NAMES = {errno.EPERM, errno.ENOTSUP, errno.EMLINK}
"""What a file system answers that cannot give one file two names."""


def copy_database(source: Path, target: Path) -> None:
    """Copy the database to `target`, which appears only once it is whole and on the disk.

    Writers of the source are not held up. A file that is there is never overwritten.

    Raises:
        FileExistsError: there is something of that name already.
        OSError: the target cannot be written.
        sqlite3.Error: the source cannot be read.
    """
    if target.exists() or target.is_symlink():
        raise FileExistsError(errno.EEXIST, "there is a file of that name already", str(target))
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    # Made by us and empty: SQLite would follow a link, or write into a file of someone else's.
    os.close(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    try:
        _copy(source, partial)
        _publish(partial, target)
    finally:
        for leftover in (partial, *(Path(f"{partial}{end}") for end in ("-wal", "-shm"))):
            with suppress(OSError):
                leftover.unlink()


def _copy(source: Path, partial: Path) -> None:
    with (
        closing(sqlite3.connect(f"{source.resolve().as_uri()}?mode=ro", uri=True)) as database,
        closing(sqlite3.connect(partial)) as copy,
    ):
        # All pages in one step: in steps, a writer in between would make it begin anew.
        database.backup(copy)
        # One file is easier to keep than three; whoever opens it as a store turns this on again.
        copy.execute("PRAGMA journal_mode=DELETE")


def _publish(partial: Path, target: Path) -> None:
    _to_disk(partial)
    try:
        # Unlike a renaming, a second name fails where the name has been taken meanwhile.
        os.link(partial, target)
    except OSError as error:
        if error.errno not in _NO_SECOND_NAMES:
            raise
        partial.rename(target)
    _to_disk(target.parent)


def _to_disk(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
