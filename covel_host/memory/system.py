"""The memory of all sessions of a host, bounded: the indexes used last are kept."""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

from covel_host.base.tasks import TaskTracker
from covel_host.memory.embedder import QUERY_LIMIT_MS, Embedder
from covel_host.memory.hits import DEFAULT_HITS, MAX_HITS, MemoryHit, Scope
from covel_host.memory.ingesting import Ingestion
from covel_host.memory.namespaces import SearchableNamespace
from covel_host.memory.session_index import SessionIndex
from covel_host.memory.text_index import EMBEDDED_AT_ONCE
from covel_host.memory.vector_book import embedded_part
from covel_host.memory.vectors import Unit
from covel_host.store.records import SessionRecord
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
    index: SessionIndex
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    ingestion: "asyncio.Task[None] | None" = None


class MemorySystem:
    """Searches the memory of sessions; used from one event loop.

    An index is made at the first search of a session, in a thread of the store, and costs what the
    session holds; every later search costs what changed, and what the rarer words of its query
    are held by. With an `embedder` texts are found by their meaning as well; they are given
    vectors by `tasks`.
    """

    def __init__(
        self,
        store: Store,
        options: MemoryOptions | None = None,
        *,
        embedder: Embedder | None = None,
        tasks: TaskTracker | None = None,
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._tasks = tasks or TaskTracker()
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
        """At most `limit` passages that answer the query (seed: 插件记忆与向量搜索).

        `namespaces` are those of the session's active packages. Without such a session, or such a
        passage, the list is empty.

        Raises:
            ValueError: `limit` is not 1 to 20.
        """
        if not 1 <= limit <= MAX_HITS:
            raise ValueError(f"limit is {limit!r}; a search gives 1 to {MAX_HITS} hits.")
        kept = self._sessions.get(session_id) or self._new(session_id)
        self._sessions.move_to_end(session_id)
        places = tuple(namespaces)
        vector = None
        if self._embedder is not None and query.strip() and not self._embedder.is_paused:
            vector = await self._query_vector(self._embedder, kept, session_id, query, places)

        def answered(reading: Reading) -> list[MemoryHit] | None:
            session = get_session(reading, session_id)
            if session is None:
                return None
            return kept.index.search(
                reading, session, query, vector, namespaces=places, scope=scope, limit=limit
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

    async def _query_vector(
        self,
        embedder: Embedder,
        kept: "_Kept",
        session_id: str,
        query: str,
        namespaces: tuple[SearchableNamespace, ...],
    ) -> Unit | None:
        """The vector of a query, None to go by words.

        What was written since the last search is given vectors meanwhile: few texts are waited
        for as long as the query's own vector may take, many are not.
        """

        def followed(reading: Reading) -> tuple[SessionRecord, int] | None:
            session = get_session(reading, session_id)
            if session is None:
                return None
            kept.index.follow(reading, session, namespaces)
            if kept.index.book is None or kept.index.book.is_locked_out:
                return None
            return session, len(kept.index.pending(reading, session, limit=EMBEDDED_AT_ONCE + 1))

        async with kept.turn:
            state = await self._store.read(followed)
        if state is None:
            return None
        session, pending = state
        # The first answer of the model shows that it is there, before texts are sent to it.
        early = self._ingest(embedder, kept, session) if embedder.is_proven and pending else None
        vector = await embedder.query(embedded_part(query))
        if vector is None or not pending:
            return vector
        ingestion = early or self._ingest(embedder, kept, session)
        if pending <= EMBEDDED_AT_ONCE:
            await asyncio.wait({ingestion}, timeout=QUERY_LIMIT_MS / 1000)
        return vector

    def _ingest(
        self, embedder: Embedder, kept: "_Kept", session: SessionRecord
    ) -> "asyncio.Task[None]":
        """The running ingestion of a session, begun where there is none."""
        task = kept.ingestion
        if task is None or task.done():
            ingestion = Ingestion(
                store=self._store,
                embedder=embedder,
                index=kept.index,
                session=session,
                turn=kept.turn,
            )
            task = kept.ingestion = self._tasks.start(
                ingestion.run(), name=f"vectors of {session.session_id}"
            )
        return task

    def _new(self, session_id: str) -> "_Kept":
        identity = None if self._embedder is None else self._embedder.identity
        kept = self._sessions[session_id] = _Kept(SessionIndex(identity))
        return kept

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
