"""One process at a time changes what lies in a folder."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from covel_host.base.errors import HostError

LIMIT_S: Final = 10.0
_POLL_S: Final = 0.02


class FolderBusyError(HostError):
    """Another process kept changing the folder for longer than the limit."""


@contextmanager
def locked_folder(folder: Path, *, limit_s: float = LIMIT_S) -> Iterator[None]:
    """Hold `folder`, which is made when it is missing, for the time of the block.

    It is a lock of the operating system on the folder itself: no file is left behind, and the death
    of its owner frees it. It keeps out others that ask for it, and stops no one else.

    Raises:
        FolderBusyError: another process held it for longer than `limit_s`.
        OSError: the folder cannot be made or opened.
    """
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        _take(descriptor, folder, limit_s)
        yield
    finally:
        # Closing the only descriptor of it frees the lock.
        os.close(descriptor)


def _take(descriptor: int, folder: Path, limit_s: float) -> None:
    deadline = time.monotonic() + limit_s
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise FolderBusyError(
                    f"Another process is changing {str(folder)!r}, and was not done within "
                    f"{limit_s:g} s.",
                    code="folder-busy",
                    hint="Wait until it has finished, then repeat the command.",
                ) from None
            time.sleep(_POLL_S)
        else:
            return
