"""The memory of all sessions of a host, bounded: the indexes used last are kept."""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

from covel_host.memory.hits import DEFAULT_HITS, MAX_HITS, MemoryHit, Scope
from covel_host.memory.namespaces import SearchableNamespace
from covel_host.memory.session_index import SessionIndex
from covel_host.store.sessions import get_session
from covel_host.store.store import Store
from covel_host.store.transaction import Reading


@dataclass(frozen=True, slots=True)
class MemoryOptions:
    """How much of what can be read again is kept in memory.

    Attributes:
        max_sessions: sessions whose index is kept.
        max_places: pairs of a text and a word in all of them together, about 80 bytes each. The
            index of the session searched last is kept whatever it holds.
    """

    max_sessions: int = 32
    max_places: int = 3_000_000


@dataclass(slots=True)
class _Kept:
    index: SessionIndex = field(default_factory=SessionIndex)
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


class MemorySystem:
    """Searches the memory of sessions; used from one event loop.

    An index is made at the first search of a session, in a thread of the store, and costs what the
    session holds; every later search costs what changed, and what the rarer words of its query
    are held by.
    """

    def __init__(self, store: Store, options: MemoryOptions | None = None) -> None:
        self._store = store
        self._options = options or MemoryOptions()
        self._sessions: OrderedDict[str, _Kept] = OrderedDict()

    @property
    def kept_sessions(self) -> tuple[str, ...]:
        """The sessions whose index is in memory, the one used last at the end."""
        return tuple(self._sessions)

    async def search(
        self,
        session_id: str,
        query: str,
        *,
        namespaces: Sequence[SearchableNamespace] = (),
        scope: Scope = "all",
        limit: int = DEFAULT_HITS,
    ) -> list[MemoryHit]:
        """At most `limit` passages that hold a word of the query (seed: 插件记忆与向量搜索).

        `namespaces` are those of the session's active packages. Without such a session, or such a
        passage, the list is empty.

        Raises:
            ValueError: `limit` is not 1 to 20.
        """
        if not 1 <= limit <= MAX_HITS:
            raise ValueError(f"limit is {limit!r}; a search gives 1 to {MAX_HITS} hits.")
        kept = self._sessions.setdefault(session_id, _Kept())
        self._sessions.move_to_end(session_id)

        def answered(reading: Reading) -> list[MemoryHit] | None:
            session = get_session(reading, session_id)
            if session is None:
                return None
            return kept.index.search(
                reading, session, query, namespaces=namespaces, scope=scope, limit=limit
            )

        # One search of a session at a time, so that each sees a later state than the last.
        async with kept.turn:
            hits = await self._store.read(answered)
        if hits is None:
            if self._sessions.get(session_id) is kept:
                del self._sessions[session_id]
            return []
        self._make_room()
        return hits

    def of_session(
        self, session_id: str, namespaces: Sequence[SearchableNamespace]
    ) -> "SessionMemory":
        """The memory of one session, as its packages may search it."""
        return SessionMemory(self, session_id, tuple(namespaces))

    def _make_room(self) -> None:
        sizes = {session_id: kept.index.size for session_id, kept in self._sessions.items()}
        total = sum(sizes.values())
        for session_id in list(self._sessions)[:-1]:
            if len(self._sessions) <= self._options.max_sessions and (
                total <= self._options.max_places
            ):
                return
            if not self._sessions[session_id].turn.locked():
                del self._sessions[session_id]
                total -= sizes[session_id]


class SessionMemory:
    """The memory of one session during one execution."""

    def __init__(
        self,
        system: MemorySystem,
        session_id: str,
        namespaces: tuple[SearchableNamespace, ...],
    ) -> None:
        self._system = system
        self._session_id = session_id
        self._namespaces = namespaces

    async def search(self, query: str, *, scope: Scope, limit: int) -> list[MemoryHit]:
        """The hits of `MemorySystem.search` in this session."""
        return await self._system.search(
            self._session_id, query, namespaces=self._namespaces, scope=scope, limit=limit
        )
