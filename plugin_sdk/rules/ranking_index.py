"""A keyword index over texts that come and go, ranking exactly as `rank_texts` does."""

from __future__ import annotations

import heapq
import sys
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from plugin_sdk.rules.ranking import score_text, term_weights
from plugin_sdk.rules.ranking_candidates import QueryLists
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
        self._postings: dict[str, dict[int, int]] = {}
        self._total_length = 0
        for key, text in texts:
            self.add(key, text)

    def __len__(self) -> int:
        return len(self._slots)

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
        holders = {term: len(self._postings.get(term, ())) for term in terms}
        weights = term_weights(holders, len(self))
        if not weights or (limit is not None and limit < 1):
            return []
        average = self._total_length / len(self)
        lists = QueryLists(self._postings, weights, self._lengths, average)
        # Texts that the coverage filter drops must not keep others from the best ones.
        if limit is not None and min_coverage <= 0:
            candidates = lists.leading(limit)
        else:
            candidates = lists.covering(min_coverage)
        matches = []
        for slot in candidates:
            held = {
                term: count
                for term in weights
                if (count := self._postings[term].get(slot)) is not None
            }
            entry = self._entries[slot]
            score, coverage = score_text(held, entry.length, weights, average_length=average)
            if coverage >= min_coverage:
                matches.append((-score, slot, IndexMatch(entry.key, score, coverage, len(held))))
        best = sorted(matches) if limit is None else heapq.nsmallest(limit, matches)
        return [match for _, _, match in best]

    def _fill(self, slot: int, key: Key, text: str) -> None:
        counts, length = document_terms(text)
        # Interned, so that an entry shares its terms with the postings and with other entries.
        terms = tuple(map(sys.intern, counts))
        for term in terms:
            self._postings.setdefault(term, {})[slot] = counts[term]
        self._entries[slot] = _Entry(key, length, terms)
        self._lengths[slot] = length
        self._total_length += length

    def _clear(self, slot: int) -> None:
        entry = self._entries.pop(slot)
        self._total_length -= entry.length
        for term in entry.terms:
            holders = self._postings[term]
            del holders[slot]
            if not holders:
                del self._postings[term]

    def _renumber(self) -> None:
        """Close the gaps that removed texts left, once they outnumber the texts."""
        moved = {old: new for new, old in enumerate(sorted(self._entries))}
        self._entries = {moved[slot]: entry for slot, entry in self._entries.items()}
        self._slots = {entry.key: slot for slot, entry in self._entries.items()}
        self._lengths = [self._entries[slot].length for slot in range(len(moved))]
        self._postings = {
            term: {moved[slot]: count for slot, count in holders.items()}
            for term, holders in self._postings.items()
        }
