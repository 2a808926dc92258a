"""A keyword index over texts that come and go, ranking exactly as `rank_texts` does.

(seed: 插件记忆与向量搜索; spec/memory.md 4.2)
"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from plugin_sdk.rules.ranking import TextScorer, term_weights
from plugin_sdk.rules.ranking_candidates import QueryLists
from plugin_sdk.rules.ranking_postings import Postings
from plugin_sdk.rules.terms import document_terms, search_terms

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class IndexMatch(Generic[Key]):
    """One text that holds a query term; the numbers are those of `RankedText`."""

    key: Key
    score: float
    coverage: float
    matched: int


@dataclass(slots=True)
class _Entry(Generic[Key]):
    key: Key
    length: int
    terms: tuple[str, ...]


class RankingIndex(Generic[Key]):
    """Texts by key, in the order in which they were added.

    After any sequence of changes a search answers as an index built from scratch would. Adding,
    replacing and removing cost what the text holds, a search what the rarer query terms hold. Not
    safe for use from several threads at once.
    """

    def __init__(self, texts: Iterable[tuple[Key, str]] = ()) -> None:
        self._slots: dict[Key, int] = {}
        self._entries: dict[int, _Entry[Key]] = {}
        self._lengths: list[int] = []
        self._postings: dict[str, Postings] = {}
        self._total_length = 0
        self._places = 0
        for key, text in texts:
            self.add(key, text)

    def __len__(self) -> int:
        return len(self._slots)

    @property
    def places(self) -> int:
        """How many pairs of a text and a term it holds; memory grows with these."""
        return self._places

    def __contains__(self, key: object) -> bool:
        return key in self._slots

    def add(self, key: Key, text: str) -> None:
        """Put a new text at the end.

        Raises:
            KeyError: The index holds `key` already; use `replace`.
        """
        if key in self._slots:
            raise KeyError(key)
        slot = len(self._lengths)
        self._slots[key] = slot
        self._lengths.append(0)
        self._fill(slot, key, text)

    def remove(self, key: Key) -> None:
        """Take a text out.

        Raises:
            KeyError: The index does not hold `key`.
        """
        self._clear(self._slots.pop(key))
        if len(self._lengths) > 2 * len(self._slots) + 64:
            self._renumber()

    def replace(self, key: Key, text: str) -> None:
        """Give a key another text; it keeps its place in the order.

        Raises:
            KeyError: The index does not hold `key`.
        """
        slot = self._slots[key]
        self._clear(slot)
        self._fill(slot, key, text)

    def search(
        self, query: str, *, limit: int | None = None, min_coverage: float = 0.0
    ) -> list[IndexMatch[Key]]:
        """The texts that hold a query term, best first; equal scores keep the order of adding."""
        terms = search_terms(query)
        holders = {
            term: len(self._postings[term].counts) for term in terms if term in self._postings
        }
        weights = term_weights(holders, len(self))
        if not weights or (limit is not None and limit < 1):
            return []
        average = self._total_length / len(self)
        lists = QueryLists(self._postings, weights, self._lengths, average)
        if limit is None:
            candidates = lists.covering(min_coverage)
        else:
            candidates = lists.leading(limit, min_coverage=min_coverage)
        scorer = TextScorer(weights, average)
        matches = []
        for slot in candidates:
            held = {
                term: count
                for term in weights
                if (count := self._postings[term].counts.get(slot)) is not None
            }
            entry = self._entries[slot]
            score, coverage = scorer.score(held, entry.length)
            if coverage >= min_coverage:
                matches.append((-score, slot, IndexMatch(entry.key, score, coverage, len(held))))
        matches.sort()
        return [match for _, _, match in matches]

    def _fill(self, slot: int, key: Key, text: str) -> None:
        counts, length = document_terms(text)
        # Interned, so that an entry shares its terms with the postings and with other entries.
        terms = tuple(map(sys.intern, counts))
        self._entries[slot] = _Entry(key, length, terms)
        self._lengths[slot] = length
        for term in terms:
            postings = self._postings.get(term)
            if postings is None:
                postings = self._postings[term] = Postings()
            postings.add(slot, counts[term], self._lengths)
        self._total_length += length
        self._places += len(terms)

    def _clear(self, slot: int) -> None:
        entry = self._entries.pop(slot)
        self._total_length -= entry.length
        self._places -= len(entry.terms)
        for term in entry.terms:
            postings = self._postings[term]
            postings.remove(slot, self._lengths)
            if not postings.counts:
                del self._postings[term]

    def _renumber(self) -> None:
        """Close the gaps that removed texts left, once they outnumber the texts."""
        kept = [self._entries[slot] for slot in sorted(self._entries)]
        moved = {old: new for new, old in enumerate(sorted(self._entries))}
        self._entries = dict(enumerate(kept))
        self._slots = {entry.key: slot for slot, entry in enumerate(kept)}
        self._lengths = [entry.length for entry in kept]
        for term, old in self._postings.items():
            postings = self._postings[term] = Postings()
            for slot, count in old.counts.items():
                postings.add(moved[slot], count, self._lengths)
