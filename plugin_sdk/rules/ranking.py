"""Keyword ranking of texts with BM25 (seed: 插件记忆与向量搜索; spec/memory.md 4.2).

Words that few texts hold weigh much, words that nearly every text holds almost nothing, and long
texts do not lose for their length. Matching is literal: no synonyms.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from plugin_sdk.rules.terms import count_terms, search_terms

Document: TypeAlias = tuple[Mapping[str, int], int]
"""How often a text holds each term, and its length; see `document_terms`."""

K1 = 1.2
B = 0.75
GRID = 2.0**16
"""Adding and subtracting this rounds a small number to a multiple of 2⁻³⁶; see `on_grid`."""


@dataclass(frozen=True, slots=True)
class RankedText:
    """One text that holds a query term.

    `index` is its place in the list. `score` compares within one ranking only. `coverage` (0 to 1)
    is the weight of the query terms it holds, divided by the weight of those that any text holds;
    `matched` counts the query terms it holds.
    """

    index: int
    score: float
    coverage: float
    matched: int


def rank_texts(
    query: str,
    texts: Sequence[str],
    *,
    limit: int | None = None,
    min_coverage: float = 0.0,
) -> list[RankedText]:
    """The texts that hold a query term, best first; equal scores keep the order of the list.

    `limit` keeps the best ones only, `min_coverage` leaves out texts that hold too little of the
    query's weight. For many queries over one set of texts, `RankingIndex` gives the same answers
    without reading the texts again.
    """
    terms = search_terms(query)
    counted = [count_terms(text, terms) for text in texts]
    return _ranked(terms, counted, limit=limit, min_coverage=min_coverage)


def rank_documents(
    query: str,
    documents: Sequence[Document],
    *,
    limit: int | None = None,
    min_coverage: float = 0.0,
) -> list[RankedText]:
    """The answer of `rank_texts` for texts whose terms are known from `document_terms`."""
    terms = search_terms(query)
    counted = [
        ({term: counts[term] for term in terms if term in counts}, length)
        for counts, length in documents
    ]
    return _ranked(terms, counted, limit=limit, min_coverage=min_coverage)


def _ranked(
    terms: Sequence[str], counted: Sequence[Document], *, limit: int | None, min_coverage: float
) -> list[RankedText]:
    weights = term_weights(
        {term: sum(1 for counts, _ in counted if term in counts) for term in terms}, len(counted)
    )
    if not weights:
        return []
    scorer = TextScorer(weights, sum(length for _, length in counted) / len(counted))
    found = []
    for index, (counts, length) in enumerate(counted):
        if counts:
            score, coverage = scorer.score(counts, length)
            if coverage >= min_coverage:
                found.append((-score, index, coverage, len(counts)))
    found.sort()
    return [
        RankedText(index, -negative, coverage, matched)
        for negative, index, coverage, matched in found[:limit]
    ]


def term_weights(holders: Mapping[str, int], text_count: int) -> dict[str, float]:
    """The weight of each term that `holders` texts of `text_count` hold; terms of none left out."""
    return {
        term: on_grid(math.log(1 + (text_count - count + 0.5) / (count + 0.5)))
        for term, count in holders.items()
        if count
    }


def length_factors(average_length: float) -> tuple[float, float]:
    """`(fixed, per_position)`: a text of n positions is damped by fixed + per_position × n."""
    return K1 * (1 - B), K1 * B / average_length


class TextScorer:
    """Scores the texts of one query; `weights` are those of its terms."""

    def __init__(self, weights: Mapping[str, float], average_length: float) -> None:
        self._weights = weights
        self._scales = {term: weight * (K1 + 1) for term, weight in weights.items()}
        self._total = sum(weights.values())
        self._fixed, self._per_position = length_factors(average_length)

    def score(self, held: Mapping[str, int], length: int) -> tuple[float, float]:
        """Score and coverage of a text that holds the terms `held` so often."""
        damping = self._fixed + self._per_position * length
        score = weight = 0.0
        for term, count in held.items():
            # `on_grid` written out: a call for each term of each text would double the time.
            score += (self._scales[term] * count / (count + damping) + GRID) - GRID
            weight += self._weights[term]
        return score, weight / self._total


def on_grid(number: float) -> float:
    """`number` rounded to a multiple of 2⁻³⁶.

    Sums of such numbers are exact up to 2¹⁷, so they do not depend on the order of the terms, and
    texts that tie by the formula tie in fact.
    """
    return (number + GRID) - GRID
