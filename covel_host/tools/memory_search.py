"""Searching the memory of the session that calls: the port behind `memory-search`."""

from collections.abc import Sequence
from typing import Final, Protocol

from covel_host.memory.hits import MemoryHit, Scope


class MemorySearch(Protocol):
    """The memory of one session, with what its active packages let be searched."""

    async def search(self, query: str, *, scope: Scope, limit: int) -> Sequence[MemoryHit]:
        """At most `limit` passages, in the order in which they are to be read."""
        ...


class NoMemory:
    """The memory of a session that has nothing yet."""

    async def search(self, query: str, *, scope: Scope, limit: int) -> Sequence[MemoryHit]:
        return ()


NO_MEMORY: Final = NoMemory()
