"""One execution at a time per session, inside one process."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary


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
