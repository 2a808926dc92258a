"""The file lock that one executing process holds beside the database (spec/decisions.md 6).

It is a lock of the operating system on an open file, so the death of its owner frees it, however
it died. The file's content only tells who holds it and is never a reason to wait.
"""

import asyncio
import contextlib
import fcntl
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from covel_host.base.clock import Clock
from covel_host.base.json_text import dump_json
from covel_host.store.errors import StoreError

DEFAULT_LIMIT_MS = 10_000
_POLL_MS = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class LockHolder:
    """The process that holds the lock and since when (ISO 8601, UTC)."""

    pid: int
    since: str


class ExecutionLockTakenError(StoreError):
    """Another process kept executing for longer than the limit; `holder` is None when unknown."""

    def __init__(self, path: Path, *, holder: LockHolder | None, limit_ms: int) -> None:
        who = (
            "a process that has not given its number"
            if holder is None
            else f"process {holder.pid}, since {holder.since}"
        )
        super().__init__(
            f"The lock {str(path)!r} is held by {who}, and was not free within {limit_ms} ms; "
            "one process at a time executes on a database.",
            code="execution-lock-taken",
            hint="Wait until it has finished, stop it, or set COVEL_HOME to another folder.",
        )
        self.path = path
        self.holder = holder
        self.limit_ms = limit_ms


class ExecutionLock:
    """The lock of one database, shared by the executions of this process.

    The first execution takes it, the last one gives it back. `path` is the database; the lock file
    is the same name with `.lock` and stays where it is, since removing it would let two owners in.
    """

    def __init__(self, path: Path, *, clock: Clock, limit_ms: int = DEFAULT_LIMIT_MS) -> None:
        self._path = path.with_name(f"{path.name}.lock")
        self._clock = clock
        self._limit_ms = limit_ms
        self._holders = 0
        self._descriptor: int | None = None
        self._taking = asyncio.Lock()

    @property
    def path(self) -> Path:
        """The lock file."""
        return self._path

    @asynccontextmanager
    async def held(self) -> AsyncIterator[None]:
        """Hold the lock for the time of the block, waiting for it without blocking the loop.

        Raises:
            ExecutionLockTakenError: another process kept it for longer than the limit.
            StoreError: the lock file cannot be opened.
        """
        async with self._taking:
            if self._holders == 0:
                self._descriptor = await self._take()
            self._holders += 1
        try:
            yield
        finally:
            self._holders -= 1
            if self._holders == 0:
                self._give_back()

    async def _take(self) -> int:
        descriptor = self._opened()
        deadline = asyncio.get_running_loop().time() + self._limit_ms / 1000
        try:
            while not _locked(descriptor):
                if asyncio.get_running_loop().time() >= deadline:
                    raise ExecutionLockTakenError(
                        self._path, holder=_holder(descriptor), limit_ms=self._limit_ms
                    )
                await asyncio.sleep(_POLL_MS / 1000)
            self._sign(descriptor)
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor

    def _opened(self) -> int:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            if self._path.exists() and not self._path.is_file():
                raise OSError("it is not a file")
            return os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise StoreError(
                f"The lock {str(self._path)!r} cannot be opened: {error}.",
                code="store-unusable",
                hint="Check the rights of its folder, or set COVEL_HOME to another folder.",
            ) from error

    def _sign(self, descriptor: int) -> None:
        since = self._clock.now().isoformat(timespec="seconds")
        text = dump_json({"pid": os.getpid(), "since": since})
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, text.encode("utf-8"), 0)

    def _give_back(self) -> None:
        if self._descriptor is not None:
            os.ftruncate(self._descriptor, 0)
            # Closing the only descriptor of the file frees the lock.
            os.close(self._descriptor)
            self._descriptor = None


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _holder(descriptor: int) -> LockHolder | None:
    # The owner may be writing at this moment: whatever cannot be read means "unknown".
    with contextlib.suppress(ValueError, KeyError, TypeError):
        signed = json.loads(os.pread(descriptor, 4096, 0))
        return LockHolder(pid=int(signed["pid"]), since=str(signed["since"]))
    return None
