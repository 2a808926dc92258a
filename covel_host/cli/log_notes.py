"""What the log is told, told to people as well: where code of a package failed, what it prints."""

import contextlib
import logging
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from covel_host.base.error_texts import error_text
from covel_host.catalog.namespace import is_package_module
from covel_host.cli.output import one_line, path_text

PACKAGES: Final = "covel.packages"
HOST: Final = "covel_host"
_LIMIT: Final = 300


class LogNotes(logging.Handler):
    """Gives `tell` one line for each record; called in the thread that the record comes from."""

    def __init__(self, tell: Callable[[str], object]) -> None:
        super().__init__()
        self._tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        # Whatever goes wrong with telling, the code that logs goes on.
        with contextlib.suppress(Exception):
            self._tell(one_line(_text(record), limit=_LIMIT))


@contextlib.contextmanager
def noted(tell: Callable[[str], object], *, level: int = logging.ERROR) -> Iterator[None]:
    """Inside, `tell` gets what packages log from `level` on, and what fails in the host."""
    notes = LogNotes(tell)
    levels = {PACKAGES: level, HOST: logging.ERROR}
    for name in levels:
        logging.getLogger(name).addHandler(notes)
    notes.addFilter(lambda record: record.levelno >= levels[_root_of(record.name)])
    try:
        yield
    finally:
        for name in levels:
            logging.getLogger(name).removeHandler(notes)


def _root_of(name: str) -> str:
    return PACKAGES if name.startswith(PACKAGES) else HOST


def _text(record: logging.LogRecord) -> str:
    error = None if record.exc_info is None else record.exc_info[1]
    place = None if error is None else _place(error)
    if error is None or place is None:
        plugin_id = record.name.removeprefix(PACKAGES).removeprefix(".")
        named = f"{plugin_id}: " if record.name.startswith(PACKAGES) and plugin_id else ""
        return f"{named}{record.getMessage()}"
    return f"{type(error).__name__} at {place}: {error_text(error)}"


def _place(error: BaseException) -> str | None:
    """Path and line in the package that an error comes from, `None` for one from elsewhere."""
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        if is_package_module(frame.f_globals.get("__name__")):
            return f"{path_text(Path(frame.f_code.co_filename))}:{line} in {frame.f_code.co_name}"
    return None
