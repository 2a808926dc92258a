"""Standard input and output, as a package's code finds them while it is loaded.

Standard output belongs to the command that runs: what an entry prints becomes lines of the
package's log. Standard input is at its end: an entry that reads it neither hangs nor takes what a
person types.
"""

import contextlib
import io
import sys
import threading
from collections.abc import Iterator
from typing import Any, Final, TextIO, cast

from covel_host.base.package_logger import PackageLogger

MAX_LINE: Final = 1_000


@contextlib.contextmanager
def entry_streams(logger: PackageLogger) -> Iterator[None]:
    """Inside, the current thread's `sys.stdout` writes to `logger` and its `sys.stdin` is empty.

    Other threads keep theirs, also while an entry hangs, and several entries may load at once.
    Standard error stays as it is.
    """
    printed = _LogLines(logger)
    with _replaced("stdout", printed), _replaced("stdin", io.StringIO()):
        try:
            yield
        finally:
            printed.close()


class _LogLines(io.TextIOBase):
    def __init__(self, logger: PackageLogger) -> None:
        self._logger = logger
        self._line = ""

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        *lines, self._line = (self._line + text).split("\n")
        for line in lines:
            self._log(line)
        if len(self._line) > MAX_LINE:
            self._log(self._line)
            self._line = ""
        return len(text)

    def close(self) -> None:
        if self._line:
            self._log(self._line)
            self._line = ""
        super().close()

    def _log(self, line: str) -> None:
        if line.strip():
            self._logger.info(f"printed while loading: {line[:MAX_LINE]}")


class _ByThread:
    """A standard stream that is another one in some threads."""

    def __init__(self, usual: TextIO) -> None:
        self.usual = usual
        self.others: dict[int, io.TextIOBase] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self.others.get(threading.get_ident(), self.usual), name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.others.get(threading.get_ident(), self.usual))


_LOCK: Final = threading.Lock()
"""`sys.stdout` and `sys.stdin` belong to the process, and so does the lock of their replacing."""


@contextlib.contextmanager
def _replaced(name: str, stream: io.TextIOBase) -> Iterator[None]:
    thread = threading.get_ident()
    with _LOCK:
        current = getattr(sys, name)
        by_thread = current if isinstance(current, _ByThread) else _ByThread(cast(TextIO, current))
        by_thread.others[thread] = stream
        setattr(sys, name, by_thread)
    try:
        yield
    finally:
        with _LOCK:
            del by_thread.others[thread]
            if not by_thread.others and getattr(sys, name) is by_thread:
                setattr(sys, name, by_thread.usual)
