"""The memory of one session: both indexes, kept in step with the store."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

from covel_host.memory.archival import ArchivalIndex
from covel_host.memory.hits import MemoryHit, Scope, interleaved
from covel_host.memory.namespaces import SearchableNamespace
from covel_host.memory.recall import RecallIndex
from covel_host.store.records import SessionRecord
from covel_host.store.transaction import Reading

_Shown: TypeAlias = Callable[[], MemoryHit | None]
"""Reads the hit of a match."""


class SessionIndex:
    """Answers searches of one session; each one first takes in what was committed since the last.

    Not safe for use from several threads at once.
    """

    def __init__(self) -> None:
        self._incarnation: str | None = None
        self._is_whole = True
        self._namespaces: tuple[SearchableNamespace, ...] = ()
        self._recall = RecallIndex()
        self._archival = ArchivalIndex(())

    @property
    def size(self) -> int:
        """What its memory grows with: pairs of a text and a word."""
        return self._recall.size + self._archival.size

    def search(
        self,
        reading: Reading,
        session: SessionRecord,
        query: str,
        *,
        namespaces: Sequence[SearchableNamespace],
        scope: Scope,
        limit: int,
    ) -> list[MemoryHit]:
        """At most `limit` hits of the scope, in the order in which they are to be read."""
        self._begin(session, tuple(namespaces))
        self._is_whole = False
        found = interleaved(
            [] if scope == "archival" else self._recalled(reading, session, query, limit),
            [] if scope == "recall" else self._archived(reading, session, query, limit),
            limit=limit,
        )
        self._is_whole = True
        # Texts are read of what is shown alone.
        return [hit for shown in found if (hit := shown()) is not None]

    def _recalled(
        self, reading: Reading, session: SessionRecord, query: str, limit: int
    ) -> list[_Shown]:
        recall = self._recall
        recall.catch_up(reading, session.session_id)
        matches = recall.ranked(query, limit=limit)
        return [partial(recall.shown, reading, match, query) for match in matches]

    def _archived(
        self, reading: Reading, session: SessionRecord, query: str, limit: int
    ) -> list[_Shown]:
        archival, session_id = self._archival, session.session_id
        archival.catch_up(reading, session_id, session.revision)
        matches = archival.ranked(query, limit=limit)
        return [partial(archival.shown, reading, session_id, match, query) for match in matches]

    def _begin(self, session: SessionRecord, namespaces: tuple[SearchableNamespace, ...]) -> None:
        if session.incarnation != self._incarnation or not self._is_whole:
            # Another session was given the ID of one that is gone, or an error cut the last search
            # short while it took changes in.
            self._incarnation = session.incarnation
            self._recall = RecallIndex()
            self._archival = ArchivalIndex(namespaces)
        elif namespaces != self._namespaces:
            # Packages came or went: seldom enough for a fresh index.
            self._archival = ArchivalIndex(namespaces)
        self._namespaces = namespaces
