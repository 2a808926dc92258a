"""Archival: the lasting records of one session, found by their words."""

import time
from collections.abc import Iterator, Sequence
from heapq import merge
from typing import TypeAlias

from covel_host.memory.archival_sources import RecordKey, Written, archival_sources
from covel_host.memory.hits import MemoryHit
from covel_host.memory.namespaces import SearchableNamespace
from covel_host.memory.text_index import Found, TextIndex
from covel_host.memory.vector_book import VectorBook
from covel_host.memory.vectors import Unit
from covel_host.store.changed_rows import is_any_removed
from covel_host.store.transaction import Reading
from plugin_sdk.rules.excerpts import search_excerpt

Place: TypeAlias = tuple[int, RecordKey]
"""Which source a record is of, and its key there."""

_YIELDED_EVERY = 8
"""Records after which another thread may go on; taking one in costs about 0.1 ms."""

_BEFORE_ALL = -1
"""Smaller than any revision."""


class ArchivalIndex:
    """The words of lorebook, characters and the data in `namespaces`.

    Records stand in the order in which they were last written, whether they were taken in one by
    one or all at once, so that equal scores are ordered alike after a restart. Texts stay in the
    store: a hit is read there.
    """

    def __init__(
        self, namespaces: Sequence[SearchableNamespace], book: VectorBook | None = None
    ) -> None:
        self._sources = archival_sources(namespaces)
        self.texts = TextIndex[Place](book)
        self._revision = _BEFORE_ALL

    @property
    def is_followed(self) -> bool:
        """Whether anything was taken in yet."""
        return self._revision != _BEFORE_ALL

    def catch_up(self, reading: Reading, session_id: str, revision: int) -> None:
        """Take in what was written and deleted since, up to the session's `revision`."""
        if revision == self._revision:
            return
        if is_any_removed(reading, session_id, since=self._revision):
            for number, source in enumerate(self._sources):
                for key in source.removed(reading, session_id, since=self._revision):
                    self._forget((number, key))
        for taken, (number, written) in enumerate(self._written(reading, session_id), 1):
            if taken % _YIELDED_EVERY == 0:
                # A large session takes seconds: the event loop must not wait for this thread.
                time.sleep(0)
            place = (number, written.key)
            self._forget(place)
            if written.text is not None:
                self.texts.add(place, written.text)
        self._revision = revision

    def search(
        self, reading: Reading, session_id: str, query: str, vector: Unit | None, *, limit: int
    ) -> list[Found[Place]]:
        """The records that are like the query, best first; of equal ones the older."""
        return self.texts.search(reading, session_id, query, vector, limit=limit)

    def text(self, reading: Reading, session_id: str, place: Place) -> str | None:
        """The text that a record is found by, None when it is not there."""
        number, key = place
        shown = self._sources[number].shown(reading, session_id, key)
        return None if shown is None else shown.found_by

    def shown(
        self, reading: Reading, session_id: str, found: Found[Place], query: str
    ) -> MemoryHit | None:
        """The hit with its excerpt, None when the record is not there."""
        number, key = found.key
        source = self._sources[number]
        shown = source.shown(reading, session_id, key)
        if shown is None:
            return None
        return MemoryHit(
            source="archival",
            kind=source.kind,
            text=search_excerpt(shown.text, query),
            score=found.score,
            key=shown.name,
        )

    def _written(self, reading: Reading, session_id: str) -> Iterator[tuple[int, Written]]:
        """What was written since, by revision; of one revision by source and key."""
        streams = [
            self._numbered(number, reading, session_id) for number in range(len(self._sources))
        ]
        return merge(*streams, key=lambda item: (item[1].revision, item[0]))

    def _numbered(
        self, number: int, reading: Reading, session_id: str
    ) -> Iterator[tuple[int, Written]]:
        source = self._sources[number]
        for written in source.written(reading, session_id, since=self._revision):
            yield number, written

    def _forget(self, place: Place) -> None:
        if place in self.texts:
            self.texts.remove(place)
