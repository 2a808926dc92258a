"""The log of commands that run packages: `logs/covel.log` in the home, never the terminal."""

import contextlib
import io
import logging
import os
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TextIO

from covel_host.cli.crash_log import without_keys
from covel_host.cli.log_levels import log_levels_set, parse_log_levels
from covel_host.cli.streams import output_apart
from covel_host.settings import Settings
from covel_host.trace.redaction import without_credentials

MAX_LOG_BYTES = 5 * 1024 * 1024
"""A log of this size is set aside as `covel.log.1`, in place of the one set aside before."""

MAX_PRINTED_LINE = 1_000
"""What is printed without a line end becomes a line of the log at this length."""

_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


@contextlib.contextmanager
def log_to_file(settings: Settings) -> Iterator[TextIO]:
    """Send log records and what packages print to the log; gives the real standard output.

    So do warnings, and errors that nobody can catch, such as those of a thread. The levels are
    those of `COVEL_LOG`, INFO without it. A home that cannot be written means no log.

    Raises:
        SettingsError: `COVEL_LOG` holds no levels.
    """
    levels = parse_log_levels(settings.environ.get("COVEL_LOG") or "")
    handler = _handler(settings.home / "logs")
    handler.setFormatter(_WithoutKeys(settings.environ))
    root = logging.getLogger()
    root.addHandler(handler)
    printed = _PrintedLines()
    try:
        with (
            log_levels_set(levels),
            output_apart(_stream(handler)) as real,
            contextlib.redirect_stdout(printed),
            _stray_errors_logged(),
        ):
            yield real
    finally:
        printed.end_line()
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


@contextlib.contextmanager
def _stray_errors_logged() -> Iterator[None]:
    """Inside, what Python would tell standard error of by itself goes to the log."""
    log = logging.getLogger("covel.packages")
    before = threading.excepthook, sys.unraisablehook

    def log_thread(raised: threading.ExceptHookArgs) -> None:
        name = raised.thread.name if raised.thread else "?"
        log.error("The thread %r failed.", name, exc_info=raised.exc_value)

    def log_unraisable(raised: "sys.UnraisableHookArgs") -> None:
        log.error("%s: %r", raised.err_msg or "Ignored", raised.object, exc_info=raised.exc_value)

    threading.excepthook, sys.unraisablehook = log_thread, log_unraisable
    logging.captureWarnings(True)
    try:
        yield
    finally:
        logging.captureWarnings(False)
        threading.excepthook, sys.unraisablehook = before


def _log_printed(line: str) -> None:
    if line.strip():
        logging.getLogger("covel.packages").info("printed: %s", line)


def _handler(folder: Path) -> logging.Handler:
    path = folder / "covel.log"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if path.exists() and path.stat().st_size > MAX_LOG_BYTES:
            os.replace(path, folder / "covel.log.1")
        if path.exists() and not path.is_file():
            # A pipe would wait for its reader.
            return logging.NullHandler()
        return _LogFile(path, encoding="utf-8", errors="backslashreplace")
    except OSError:
        return logging.NullHandler()


class _WithoutKeys(logging.Formatter):
    """Keys and what looks like a credential never reach the log, whoever writes them there."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        super().__init__(_FORMAT)
        self._environ = environ

    def format(self, record: logging.LogRecord) -> str:
        return without_credentials(without_keys(super().format(record), self._environ))


class _LogFile(logging.FileHandler):
    """A log that cannot take a record, as on a full disk, drops it; the terminal is not told."""

    def handleError(self, record: logging.LogRecord) -> None:
        return None


def _stream(handler: logging.Handler) -> TextIO | None:
    return handler.stream if isinstance(handler, logging.FileHandler) else None
