"""Files read as a whole that nobody promised to be files."""

import errno
import os
import stat
from pathlib import Path

# Not waiting for the other end of a pipe.
_OPEN = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)


def read_regular_file(path: Path, *, limit_bytes: int = -1) -> bytes:
    """The bytes of the file at `path`, links followed; at most `limit_bytes`, all without it.

    Raises:
        OSError: it cannot be read. Also `EINVAL` for a pipe, a device or a socket, which reading
            would wait for.
    """
    descriptor = os.open(path, _OPEN)
    with open(descriptor, "rb") as stream:
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            kind = errno.EISDIR if stat.S_ISDIR(mode) else errno.EINVAL
            why = os.strerror(kind) if kind == errno.EISDIR else "it is no regular file"
            raise OSError(kind, why, str(path))
        return stream.read(limit_bytes)
