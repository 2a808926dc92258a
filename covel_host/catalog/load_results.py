"""The last load of each package, kept by content hash, so that a list need not load anything."""

import contextlib
import os
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Literal

from covel_host.base.json_text import JsonTextError, JsonValueError, dump_json, parse_json

MAX_RESULTS: Final = 500
"""Results kept; beyond it the oldest ones go."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadResult:
    """What came of loading one state of a package; `problems` are sentences."""

    plugin_id: str
    content_hash: str
    status: Literal["loaded", "error"]
    duration_ms: int
    problems: tuple[str, ...] = ()


class LoadResults:
    """One small JSON file; a file that cannot be read or written counts as empty.

    It is a cache for display: losing it loses nothing, so no error of it reaches anyone.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._results = _read(path)

    def last(self, plugin_id: str, content_hash: str) -> LoadResult | None:
        """The result of that very state, or None."""
        found = self._results.get(plugin_id)
        return found if found is not None and found.content_hash == content_hash else None

    def record(self, result: LoadResult) -> None:
        """Keep `result` as the package's last one and write the file in one step."""
        # Read again: another process may have loaded other packages meanwhile.
        self._results |= _read(self._path)
        self._results.pop(result.plugin_id, None)
        self._results[result.plugin_id] = result
        while len(self._results) > MAX_RESULTS:
            del self._results[next(iter(self._results))]
        with contextlib.suppress(OSError, JsonValueError):
            self._write()

    def _write(self) -> None:
        text = dump_json([asdict(result) for result in self._results.values()])
        self._path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=self._path.parent, prefix=".load-results-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            os.replace(name, self._path)
        except OSError:
            os.unlink(name)
            raise


def _read(path: Path) -> dict[str, LoadResult]:
    try:
        rows = parse_json(path.read_bytes())
        if not isinstance(rows, list):
            return {}
        results = [_result(row) for row in rows]
    except (OSError, JsonTextError, TypeError, KeyError, ValueError):
        return {}
    return {result.plugin_id: result for result in results}


def _result(row: object) -> LoadResult:
    if not isinstance(row, dict):
        raise TypeError(row)
    problems = row["problems"]
    return LoadResult(
        plugin_id=str(row["plugin_id"]),
        content_hash=str(row["content_hash"]),
        status="loaded" if row["status"] == "loaded" else "error",
        duration_ms=int(row["duration_ms"]),
        problems=tuple(str(problem) for problem in problems),
    )
