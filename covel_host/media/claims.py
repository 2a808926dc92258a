"""Who is at work with the files of a media folder, among all processes.

Bytes are stored before their rows. Whoever is between the two holds a shared claim; whoever removes
bytes that no row names holds the exclusive one, so it never takes what is about to be named.
"""

import asyncio
import contextlib
import fcntl
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from covel_host.media.errors import MediaUnusable

LIMIT_S = 10.0
_POLL_S = 0.01
_NAME = ".claims"


@asynccontextmanager
async def claimed(
    root: Path, *, is_exclusive: bool = False, limit_s: float = LIMIT_S
) -> AsyncIterator[None]:
    """Hold a claim on the folder `root` for the time of the block; waiting blocks no loop.

    The death of a process ends its claims.

    Raises:
        MediaUnusable: others held the folder for longer than `limit_s`, or it cannot be written.
    """
    kind = fcntl.LOCK_EX if is_exclusive else fcntl.LOCK_SH
    try:
        root.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(root / _NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise _unusable(root, str(error)) from error
    try:
        await _take(descriptor, kind, root, limit_s)
        yield
    finally:
        # Closing the file gives the lock back.
        os.close(descriptor)


async def _take(descriptor: int, kind: int, root: Path, limit_s: float) -> None:
    until = time.monotonic() + limit_s
    while True:
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
            return
        if time.monotonic() >= until:
            raise _unusable(root, f"it was in use for more than {limit_s:g} s")
        await asyncio.sleep(_POLL_S)


def _unusable(root: Path, reason: str) -> MediaUnusable:
    return MediaUnusable(
        f"The media folder {str(root)!r} cannot be used: {reason}.",
        code="media-unusable",
        hint="Check its rights and the free space, or set COVEL_HOME to another folder.",
    )
