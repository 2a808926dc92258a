"""Where the stack trace of an internal error goes."""

import os
import tempfile
import traceback
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

MIN_KEY_LENGTH: Final = 8
"""A shorter value of a key's variable is no key, and may be part of any text."""


def without_keys(text: str, environ: Mapping[str, str]) -> str:
    """`text` with `[key]` in place of every key in the variables `<PROVIDER>_API_KEY`."""
    for name, value in environ.items():
        if name.endswith("_API_KEY") and len(value) >= MIN_KEY_LENGTH:
            text = text.replace(value, "[key]")
    return text


def write_crash(error: BaseException) -> Path:
    """Append `error` with its stack trace to the crash log; the path of the log.

    The log is `logs/crash.log` in `COVEL_HOME` (default `~/.covel`), or in the temporary folder
    where that cannot be written.
    """
    home = Path(os.environ.get("COVEL_HOME") or Path.home() / ".covel")
    text = without_keys("".join(traceback.format_exception(error)), os.environ)
    entry = f"--- {datetime.now(UTC).isoformat(timespec='seconds')}\n{text}\n"
    for folder in (home / "logs", Path(tempfile.gettempdir())):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            place = folder / "crash.log"
            if place.exists() and not place.is_file():
                # A pipe would wait for its reader.
                continue
            with place.open("a", encoding="utf-8", errors="backslashreplace") as log:
                log.write(entry)
        except OSError:
            continue
        return place
    return Path(os.devnull)
