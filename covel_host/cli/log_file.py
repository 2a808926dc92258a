"""The log of commands that run packages: `logs/covel.log` in the home, never the terminal."""

import contextlib
import io
import logging
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from covel_host.settings import Settings, SettingsError

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")
MAX_LOG_BYTES = 5 * 1024 * 1024
"""A log of this size is set aside as `covel.log.1`, in place of the one set aside before."""

MAX_PRINTED_LINE = 1_000
"""What is printed without a line end becomes a line of the log at this length."""

_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


@contextlib.contextmanager
def log_to_file(settings: Settings) -> Iterator[TextIO]:
    """Send log records and what packages print to the log; gives the real standard output.

    The level is `COVEL_LOG`, INFO without it. A home that cannot be written means no log.

    Raises:
        SettingsError: `COVEL_LOG` is no level.
    """
    level = _level(settings)
    handler = _handler(settings.home / "logs")
    handler.setFormatter(logging.Formatter(_FORMAT))
    root = logging.getLogger()
    before = root.level
    root.addHandler(handler)
    root.setLevel(level)
    real, printed = sys.stdout, _PrintedLines()
    try:
        with contextlib.redirect_stdout(printed):
            yield real
    finally:
        printed.end_line()
        root.setLevel(before)
        root.removeHandler(handler)
        handler.close()


class _PrintedLines(io.TextIOBase):
    """Standard output of package code, as log records of one line each."""

    def __init__(self) -> None:
        self._line = ""

    def writable(self) -> bool:
        return True

    def write(self, text: str, /) -> int:
        *lines, self._line = (self._line + text).split("\n")
        for line in lines:
            _log_printed(line)
        if len(self._line) > MAX_PRINTED_LINE:
            self.end_line()
        return len(text)

    def end_line(self) -> None:
        """Log what has no line end yet."""
        _log_printed(self._line)
        self._line = ""


def _log_printed(line: str) -> None:
    if line.strip():
        logging.getLogger("covel.packages").info("printed: %s", line)


def _level(settings: Settings) -> str:
    level = (settings.environ.get("COVEL_LOG") or "INFO").upper()
    if level not in LEVELS:
        raise SettingsError(
            f"COVEL_LOG is {settings.environ['COVEL_LOG']!r}; one of {', '.join(LEVELS)} is "
            "expected."
        )
    return level


def _handler(folder: Path) -> logging.Handler:
    path = folder / "covel.log"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if path.exists() and path.stat().st_size > MAX_LOG_BYTES:
            os.replace(path, folder / "covel.log.1")
        return logging.FileHandler(path, encoding="utf-8", errors="backslashreplace")
    except OSError:
        return logging.NullHandler()
