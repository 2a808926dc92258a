"""Archival: the lasting records of one session, found by their words."""

from collections.abc import Iterator, Sequence
from heapq import merge
from typing import TypeAlias

from covel_host.memory.archival_sources import RecordKey, Written, archival_sources
from covel_host.memory.hits import MemoryHit
from covel_host.memory.namespaces import SearchableNamespace
from covel_host.store.changed_rows import is_any_removed
from covel_host.store.transaction import Reading
from plugin_sdk.rules.excerpts import search_excerpt
from plugin_sdk.rules.ranking_index import IndexMatch, RankingIndex

Place: TypeAlias = tuple[int, RecordKey]
"""Which source a record is of, and its key there."""

_BEFORE_ALL = -1
"""Smaller than any revision."""


class ArchivalIndex:
    """The words of lorebook, characters and the data in `namespaces`.

    Records stand in the order in which they were last written, whether they were taken in one by
    one or all at once, so that equal scores are ordered alike after a restart. Texts stay in the
    store: a hit is read there.
    """

    def __init__(self, namespaces: Sequence[SearchableNamespace]) -> None:
        self._sources = archival_sources(namespaces)
        self._index = RankingIndex[Place]()
        self._revision = _BEFORE_ALL

    @property
    def size(self) -> int:
        """What its memory grows with."""
        return self._index.places

    def catch_up(self, reading: Reading, session_id: str, revision: int) -> None:
        """Take in what was written and deleted since, up to the session's `revision`."""
        if revision == self._revision:
            return
        if is_any_removed(reading, session_id, since=self._revision):
            for number, source in enumerate(self._sources):
                for key in source.removed(reading, session_id, since=self._revision):
                    self._forget((number, key))
        for number, written in self._written(reading, session_id):
            place = (number, written.key)
            self._forget(place)
            if written.text is not None:
                self._index.add(place, written.text)
        self._revision = revision

    def ranked(self, query: str, *, limit: int) -> list[IndexMatch[Place]]:
        """The records that hold a word of the query, best first; of equal ones the older."""
        return self._index.search(query, limit=limit)

    def shown(
        self, reading: Reading, session_id: str, match: IndexMatch[Place], query: str
    ) -> MemoryHit | None:
        """The hit of a match with its excerpt, None when the record is not there."""
        number, key = match.key
        source = self._sources[number]
        shown = source.shown(reading, session_id, key)
        if shown is None:
            return None
        return MemoryHit(
            source="archival",
            kind=source.kind,
            text=search_excerpt(shown.text, query),
            score=match.score,
            key=shown.name,
        )

    def _written(self, reading: Reading, session_id: str) -> Iterator[tuple[int, Written]]:
        """What was written since, by revision; of one revision by source and key."""
        streams = [
            self._numbered(number, reading, session_id) for number in range(len(self._sources))
        ]
        return merge(*streams, key=lambda found: (found[1].revision, found[0]))

    def _numbered(
        self, number: int, reading: Reading, session_id: str
    ) -> Iterator[tuple[int, Written]]:
        source = self._sources[number]
        for written in source.written(reading, session_id, since=self._revision):
            yield number, written

    def _forget(self, place: Place) -> None:
        if place in self._index:
            self._index.remove(place)
