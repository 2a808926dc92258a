"""Recall: the newest messages of one session and the summaries of older ones."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from heapq import merge
from operator import itemgetter
from typing import Final, TypeAlias

from covel_host.memory.hits import MemoryHit
from covel_host.memory.text_index import Found, TextIndex
from covel_host.memory.vector_book import VectorBook
from covel_host.memory.vectors import Unit
from covel_host.store.changed_rows import is_any_removed
from covel_host.store.history_summaries import (
    HistorySummary,
    get_history_summary,
    history_summaries_removed_since,
    history_summaries_since,
)
from covel_host.store.messages import get_message, newest_messages_after
from covel_host.store.transaction import Reading
from plugin_sdk.rules.excerpts import search_excerpt

RECALLED_MESSAGES: Final = 500
"""How far back messages are searched (seed: 插件记忆与向量搜索)."""

SUMMARY_ROLE: Final = "summary"

_BEFORE_ALL = -1
"""Smaller than any revision."""


@dataclass(frozen=True, slots=True)
class Said:
    """Which message or summary a text is."""

    item_id: str
    is_summary: bool = False


Item: TypeAlias = tuple[int, Said, str]
"""The revision that wrote a message or summary, which it is, and what it says."""


class RecallIndex:
    """A session's newest messages and all its summaries; `catch_up` takes in what was committed.

    Texts stay in the store: a hit is read there.
    """

    def __init__(self, book: VectorBook | None = None) -> None:
        self.texts = TextIndex[Said](book)
        self._window: deque[Said] = deque()
        self._last = 0
        self._revision = _BEFORE_ALL

    def catch_up(self, reading: Reading, session_id: str, revision: int) -> None:
        """Take in the messages behind the last one that is known, let go of the oldest."""
        if revision == self._revision:
            return
        since = self._revision
        if is_any_removed(reading, session_id, since=since):
            for gone in history_summaries_removed_since(reading, session_id, revision=since):
                self._forget(Said(gone, is_summary=True))
        added = self._added(reading, session_id)
        summaries = history_summaries_since(reading, session_id, revision=since)
        # In the order of the commits, however many are taken in at once.
        for _, said, content in merge(added, map(_of_summary, summaries), key=itemgetter(0)):
            self._forget(said)
            self.texts.add(said, content)
            if not said.is_summary:
                self._window.append(said)
        while len(self._window) > RECALLED_MESSAGES:
            self.texts.remove(self._window.popleft())
        self._revision = revision

    def search(
        self, reading: Reading, session_id: str, query: str, vector: Unit | None, *, limit: int
    ) -> list[Found[Said]]:
        """What was said like the query, best first; of equal ones the older."""
        return self.texts.search(reading, session_id, query, vector, limit=limit)

    def text(self, reading: Reading, session_id: str, key: Said) -> str | None:
        """The text that an item is found by, None when it is not there."""
        found = self._said(reading, session_id, key)
        return None if found is None else found[1]

    def shown(
        self, reading: Reading, session_id: str, found: Found[Said], query: str
    ) -> MemoryHit | None:
        """The hit with its excerpt, None when the message is not there."""
        said = self._said(reading, session_id, found.key)
        if said is None:
            return None
        role, content = said
        return MemoryHit(
            source="recall",
            kind="summary" if found.key.is_summary else "message",
            text=f"{role}: {search_excerpt(content, query)}",
            score=found.score,
            role=role,
            message_id=None if found.key.is_summary else found.key.item_id,
        )

    def _said(self, reading: Reading, session_id: str, key: Said) -> tuple[str, str] | None:
        if key.is_summary:
            summary = get_history_summary(reading, session_id, key.item_id)
            return None if summary is None else (SUMMARY_ROLE, summary.content)
        message = get_message(reading, key.item_id)
        return None if message is None else (message.role, message.content)

    def _added(self, reading: Reading, session_id: str) -> Iterator[Item]:
        added = newest_messages_after(reading, session_id, self._last, limit=RECALLED_MESSAGES)
        for message in added:
            self._last = message.sequence
            yield message.revision, Said(message.message_id), message.content

    def _forget(self, said: Said) -> None:
        if said in self.texts:
            self.texts.remove(said)


def _of_summary(found: tuple[int, HistorySummary]) -> Item:
    revision, summary = found
    return revision, Said(summary.summary_id, is_summary=True), summary.content
