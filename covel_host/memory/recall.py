"""Recall: the newest messages of one session, found by their words."""

from collections import deque
from typing import Final

from covel_host.memory.hits import MemoryHit
from covel_host.store.messages import get_message, newest_messages_after
from covel_host.store.transaction import Reading
from plugin_sdk.rules.excerpts import search_excerpt
from plugin_sdk.rules.ranking_index import IndexMatch, RankingIndex

RECALLED_MESSAGES: Final = 500
"""How far back messages are searched (seed: 插件记忆与向量搜索)."""


class RecallIndex:
    """The words of a session's newest messages; `catch_up` takes in what was committed since.

    Texts stay in the store: a hit is read there.
    """

    def __init__(self) -> None:
        self._index = RankingIndex[str]()
        self._window: deque[str] = deque()
        self._last = 0

    @property
    def size(self) -> int:
        """What its memory grows with."""
        return self._index.places

    def catch_up(self, reading: Reading, session_id: str) -> None:
        """Take in the messages behind the last one that is known, let go of the oldest."""
        added = newest_messages_after(reading, session_id, self._last, limit=RECALLED_MESSAGES)
        for message in added:
            self._last = message.sequence
            self._index.add(message.message_id, message.content)
            self._window.append(message.message_id)
        while len(self._window) > RECALLED_MESSAGES:
            self._index.remove(self._window.popleft())

    def ranked(self, query: str, *, limit: int) -> list[IndexMatch[str]]:
        """The messages that hold a word of the query, best first; of equal ones the older."""
        return self._index.search(query, limit=limit)

    def shown(self, reading: Reading, match: IndexMatch[str], query: str) -> MemoryHit | None:
        """The hit of a match with its excerpt, None when the message is not there."""
        message = get_message(reading, match.key)
        if message is None:
            return None
        return MemoryHit(
            source="recall",
            kind="message",
            text=f"{message.role}: {search_excerpt(message.content, query)}",
            score=match.score,
            role=message.role,
            message_id=message.message_id,
        )
