"""Where the database lies and how it is written."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Synchronous = Literal["FULL", "NORMAL"]
"""FULL: an acknowledged commit survives a power cut. NORMAL: it survives a crash of the process."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreOptions:
    """The database file, normally `COVEL_HOME/covel.db` (spec/decisions.md 6).

    `busy_timeout_ms` is how long a statement waits for another process's write.
    """

    path: Path
    synchronous: Synchronous = "FULL"
    busy_timeout_ms: int = 10_000
    reader_count: int = 4
