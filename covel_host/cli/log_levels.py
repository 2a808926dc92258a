"""What `COVEL_LOG` says: a level for all, and levels for single rooms and packages."""

import contextlib
import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from covel_host.settings import SettingsError

LEVELS: Final = ("DEBUG", "INFO", "WARNING", "ERROR")


@dataclass(frozen=True, slots=True)
class LogLevels:
    """The level of every logger, and those of loggers by name and of what lies below them."""

    everywhere: str = "INFO"
    by_name: Mapping[str, str] = field(default_factory=dict)


def parse_log_levels(text: str) -> LogLevels:
    """The levels of a text such as `warning` or `info,covel_host.turn=debug`, in any case.

    A later part goes before an earlier one about the same.

    Raises:
        SettingsError: a part is neither a level nor `LOGGER=LEVEL`.
    """
    everywhere = LogLevels().everywhere
    by_name: dict[str, str] = {}
    for part in filter(None, map(str.strip, text.split(","))):
        name, is_named, written = part.rpartition("=")
        level = written.strip().upper()
        if level not in LEVELS or (is_named and not name.strip()):
            raise SettingsError(
                f"COVEL_LOG is {text!r}; {part!r} is neither a level nor LOGGER=LEVEL.",
                hint=f"Levels are {', '.join(LEVELS)}; COVEL_LOG=info,covel_host.turn=debug.",
            )
        if is_named:
            by_name[name.strip()] = level
        else:
            everywhere = level
    return LogLevels(everywhere, by_name)


@contextlib.contextmanager
def log_levels_set(levels: LogLevels) -> Iterator[None]:
    """Inside, loggers have those levels; afterwards those that they had."""
    wanted = {"": levels.everywhere, **levels.by_name}
    loggers = {logging.getLogger(name or None): level for name, level in wanted.items()}
    before = {logger: logger.level for logger in loggers}
    try:
        for logger, level in loggers.items():
            logger.setLevel(level)
        yield
    finally:
        for logger, kept in before.items():
            logger.setLevel(kept)
