"""Where the stack trace of an internal error goes."""

import os
import tempfile
import traceback
from datetime import UTC, datetime
from pathlib import Path


def write_crash(error: BaseException) -> Path:
    """Append `error` with its stack trace to the crash log; the path of the log.

    The log is `logs/crash.log` in `COVEL_HOME` (default `~/.covel`), or in the temporary folder
    where that cannot be written.
    """
    home = Path(os.environ.get("COVEL_HOME") or Path.home() / ".covel")
    text = "".join(traceback.format_exception(error))
    entry = f"--- {datetime.now(UTC).isoformat(timespec='seconds')}\n{text}\n"
    for folder in (home / "logs", Path(tempfile.gettempdir())):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with (folder / "crash.log").open("a", encoding="utf-8") as log:
                log.write(entry)
        except OSError:
            continue
        return folder / "crash.log"
    return Path(os.devnull)
