"""The texts of one source of memory: by their words, and where wanted by their vectors."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from covel_host.memory.vector_book import VectorBook, digest_of
from covel_host.memory.vectors import Unit
from covel_host.store.transaction import Reading
from plugin_sdk.rules.ranking_index import RankingIndex

Key = TypeVar("Key", bound=Hashable)

EMBEDDED_AT_ONCE: Final = 64
"""Texts of one request. A source with more texts that have no vector yet is searched by words."""


@dataclass(frozen=True, slots=True)
class Found(Generic[Key]):
    """A text that a search found; scores compare within one search of one source."""

    key: Key
    score: float


class TextIndex(Generic[Key]):
    """Texts by key, in the order in which they were added; with a `book` vectors count as well."""

    def __init__(self, book: VectorBook | None) -> None:
        self._words = RankingIndex[Key]()
        self._book = book
        self._digests: dict[Key, bytes] = {}
        self._keys: dict[bytes, list[Key]] = {}
        self._pending: dict[bytes, None] = {}

    @property
    def size(self) -> int:
        """What its memory grows with, in pairs of a text and a word."""
        return self._words.places + 4 * len(self._digests)

    @property
    def digests(self) -> set[bytes]:
        """What the vectors of all its texts are found by."""
        return set(self._keys)

    def __contains__(self, key: object) -> bool:
        return key in self._words

    def add(self, key: Key, text: str) -> None:
        """Put a new text at the end."""
        self._words.add(key, text)
        if self._book is not None and text.strip():
            digest = digest_of(text)
            self._digests[key] = digest
            self._keys.setdefault(digest, []).append(key)
            if digest not in self._book:
                self._pending[digest] = None

    def remove(self, key: Key) -> None:
        """Take a text out."""
        self._words.remove(key)
        digest = self._digests.pop(key, None)
        if digest is not None:
            keys = self._keys[digest]
            keys.remove(key)
            if not keys:
                del self._keys[digest]
                self._pending.pop(digest, None)

    def pending(self, *, limit: int) -> list[tuple[bytes, Key]]:
        """Texts without a vector, the newest first; those that have one by now are let go."""
        if self._book is not None:
            for digest in [digest for digest in self._pending if digest in self._book]:
                del self._pending[digest]
        newest = list(reversed(self._pending))[:limit]
        return [(digest, self._keys[digest][0]) for digest in newest]

    def search(
        self, reading: Reading, session_id: str, query: str, vector: Unit | None, *, limit: int
    ) -> list[Found[Key]]:
        """The texts nearest to the query, filled up with those that hold a word of it.

        By words alone without a vector of the query, and while many texts have none
        (seed: 插件记忆与向量搜索).
        """
        near = [] if vector is None else self._near(reading, session_id, vector, limit)
        if len(near) >= limit:
            return near
        taken = {found.key for found in near}
        worded = self._words.search(query, limit=limit)
        filling = [Found(match.key, match.score) for match in worded if match.key not in taken]
        return [*near, *filling][:limit]

    def _near(
        self, reading: Reading, session_id: str, vector: Unit, limit: int
    ) -> list[Found[Key]]:
        book = self._book
        if book is None or not book.fits(vector):
            return []
        if len(self.pending(limit=EMBEDDED_AT_ONCE + 1)) > EMBEDDED_AT_ONCE:
            return []
        among = list(self._keys)
        nearest = book.nearest(reading, session_id, vector, among, limit=limit)
        found = [Found(key, score) for digest, score in nearest for key in self._keys[digest]]
        return found[:limit]
