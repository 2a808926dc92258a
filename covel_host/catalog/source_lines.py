"""Source lines for tracebacks: what a module was compiled from, not what its file holds by now.

An edit changes the file while the generation before it goes on, and stays when the edit cannot be
loaded (design/traps.md, Loading).
"""

import linecache
import threading
from collections.abc import Iterable
from typing import Final

_LOCK: Final = threading.Lock()
_KEPT: Final[dict[str, dict[str, list[str]]]] = {}
"""Lines by file and by the generation that runs them, in order of import. `linecache` belongs to
the process, and knows one text per file."""


def keep_lines(owner: str, filename: str, source: str) -> None:
    """Show `source` for `filename` until `owner` is gone, or another generation is imported."""
    with _LOCK:
        _KEPT.setdefault(filename, {})[owner] = source.splitlines(keepends=True)
        _show(filename)


def forget_lines(owner: str, filenames: Iterable[str]) -> None:
    """Take back what `owner` kept of these files; a generation that still runs is shown again."""
    with _LOCK:
        for filename in filenames:
            if _KEPT.get(filename, {}).pop(owner, None) is not None:
                _show(filename)


def _show(filename: str) -> None:
    owners = _KEPT[filename]
    if not owners:
        del _KEPT[filename]
        linecache.cache.pop(filename, None)
        return
    lines = owners[next(reversed(owners))]
    # Without a time of change `linecache` does not look at the file again.
    linecache.cache[filename] = (sum(map(len, lines)), None, lines, filename)
