"""One execution at a time per session, in this process and in all of them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Protocol
from weakref import WeakValueDictionary

from covel_host.store.execution_lock import ExecutionLock


class SessionLocks:
    """The session locks of one process; other processes are kept out by the execution lock."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def held(self, session_id: str | None) -> AsyncIterator[None]:
        """Hold the lock of a session for the time of the block; one not made yet needs none."""
        if session_id is None:
            yield
            return
        lock = self._locks.setdefault(session_id, asyncio.Lock())
        async with lock:
            yield


class LockPorts(Protocol):
    """The locks of a host; every `TurnPorts` has them."""

    @property
    def lock(self) -> ExecutionLock: ...

    @property
    def session_locks(self) -> SessionLocks: ...


@asynccontextmanager
async def session_held(ports: LockPorts, session_id: str | None) -> AsyncIterator[None]:
    """Hold what keeps turns and changes of the session away, in every process.

    A session that is not made yet, `None`, needs only the lock of the processes.

    Raises:
        ExecutionLockTakenError: another process is executing on this database.
    """
    async with ports.session_locks.held(session_id), ports.lock.held():
        yield
