"""The memory of one session: both indexes, kept in step with the store."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

from covel_host.memory.archival import ArchivalIndex
from covel_host.memory.hits import MemoryHit, Scope, interleaved
from covel_host.memory.namespaces import SearchableNamespace
from covel_host.memory.recall import RecallIndex
from covel_host.memory.vector_book import VectorBook, embedded_part
from covel_host.memory.vectors import Unit
from covel_host.store.records import SessionRecord
from covel_host.store.transaction import Reading

_Shown: TypeAlias = Callable[[], MemoryHit | None]
"""Reads the hit of a match."""

_UNUSED_KEPT = 256
"""Vectors of texts that are not searched any more are deleted once there are more of them."""


class SessionIndex:
    """Answers searches of one session; each one first takes in what was committed since the last.

    Not safe for use from several threads at once. `identity` names the model of vectors, None
    where words alone count.
    """

    def __init__(self, identity: str | None = None) -> None:
        self._identity = identity
        self._incarnation: str | None = None
        self._is_whole = True
        self._namespaces: tuple[SearchableNamespace, ...] = ()
        self._start_over()

    @property
    def size(self) -> int:
        """What its memory grows with: pairs of a text and a word."""
        vectors = 0 if self.book is None else self.book.size
        return self._recall.texts.size + self._archival.texts.size + vectors

    def follow(
        self,
        reading: Reading,
        session: SessionRecord,
        namespaces: Sequence[SearchableNamespace],
        *,
        scope: Scope = "all",
    ) -> None:
        """Take in what was committed since the last time, of what the scope needs."""
        self._begin(session, tuple(namespaces))
        self._is_whole = False
        if self.book is not None:
            self.book.load(reading, session.session_id)
        if scope != "archival":
            self._recall.catch_up(reading, session.session_id, session.revision)
        if scope != "recall":
            self._archival.catch_up(reading, session.session_id, session.revision)
        self._is_whole = True

    def search(
        self,
        reading: Reading,
        session: SessionRecord,
        query: str,
        vector: Unit | None = None,
        *,
        namespaces: Sequence[SearchableNamespace],
        scope: Scope,
        limit: int,
    ) -> list[MemoryHit]:
        """At most `limit` hits of the scope, in the order in which they are to be read.

        `vector` is that of the query, None to go by words.
        """
        self.follow(reading, session, namespaces, scope=scope)
        found = interleaved(
            [] if scope == "archival" else self._said(reading, session, query, vector, limit),
            [] if scope == "recall" else self._known(reading, session, query, vector, limit),
            limit=limit,
        )
        # Texts are read of what is shown alone.
        return [hit for shown in found if (hit := shown()) is not None]

    def pending(
        self, reading: Reading, session: SessionRecord, *, limit: int
    ) -> list[tuple[bytes, str]]:
        """Texts that have no vector yet, as far as was taken in: digest and what to send."""
        session_id = session.session_id
        found: dict[bytes, str] = {}
        if self.book is None or self.book.is_locked_out:
            return []
        for said_digest, said in self._recall.texts.pending(limit=limit):
            if text := self._recall.text(reading, session_id, said):
                found[said_digest] = embedded_part(text)
        for digest, place in self._archival.texts.pending(limit=limit - len(found)):
            if text := self._archival.text(reading, session_id, place):
                found[digest] = embedded_part(text)
        return list(found.items())

    def unused_vectors(self) -> list[bytes]:
        """The digests of vectors that nothing needs any more, empty while they are few."""
        if self.book is None or not self._archival.is_followed:
            return []
        unused = self.book.unused(self._recall.texts.digests | self._archival.texts.digests)
        return unused if len(unused) > _UNUSED_KEPT else []

    def _said(
        self,
        reading: Reading,
        session: SessionRecord,
        query: str,
        vector: Unit | None,
        limit: int,
    ) -> list[_Shown]:
        recall, session_id = self._recall, session.session_id
        found = recall.search(reading, session_id, query, vector, limit=limit)
        return [partial(recall.shown, reading, session_id, item, query) for item in found]

    def _known(
        self,
        reading: Reading,
        session: SessionRecord,
        query: str,
        vector: Unit | None,
        limit: int,
    ) -> list[_Shown]:
        archival, session_id = self._archival, session.session_id
        found = archival.search(reading, session_id, query, vector, limit=limit)
        return [partial(archival.shown, reading, session_id, item, query) for item in found]

    def _begin(self, session: SessionRecord, namespaces: tuple[SearchableNamespace, ...]) -> None:
        changed, self._namespaces = namespaces != self._namespaces, namespaces
        if session.incarnation != self._incarnation or not self._is_whole:
            # Another session was given the ID of one that is gone, or an error cut the last search
            # short while it took changes in.
            self._incarnation = session.incarnation
            self._start_over()
        elif changed:
            # Packages came or went: seldom enough for a fresh index.
            self._archival = ArchivalIndex(namespaces, self.book)

    def _start_over(self) -> None:
        self.book = None if self._identity is None else VectorBook(self._identity)
        self._recall = RecallIndex(self.book)
        self._archival = ArchivalIndex(self._namespaces, self.book)
