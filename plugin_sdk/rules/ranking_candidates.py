"""Which texts of an index can be among the best ones, without reading every list to its end."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from plugin_sdk.rules.ranking import GRID, K1, length_factors, on_grid

_ROUNDING = 1 - 1e-9
"""Slack when bounds are compared, so that rounding never drops a text that ties."""


@dataclass(frozen=True, slots=True)
class QueryLists:
    """The lists of one query: for each term the texts (slots) that hold it and how often.

    `lengths` gives the length of every slot, `average_length` their mean over the kept texts.
    """

    postings: Mapping[str, Mapping[int, int]]
    weights: Mapping[str, float]
    lengths: Sequence[int]
    average_length: float

    def covering(self, min_coverage: float) -> Collection[int]:
        """Slots that can reach a coverage: the light terms alone may be too light for it."""
        total = sum(self.weights.values())
        found: set[int] = set()
        terms = self._heaviest_first()
        for position, term in enumerate(terms):
            left = sum(self.weights[rest] for rest in terms[position:])
            if left / total < min_coverage * _ROUNDING:
                break
            found.update(self.postings[term])
        return found

    def leading(self, best_of: int) -> Collection[int]:
        """The slots of the `best_of` highest scores; of equal scores the lower slots.

        Terms are taken from the heaviest to the lightest. As soon as all terms that are left could
        not lift an unseen text above the best ones, their lists, such as that of "the", are asked
        about the texts seen so far and not read any more.
        """
        terms = self._heaviest_first()
        scores = self._parts(terms[0])
        for position, term in enumerate(terms[1:], 1):
            rest = terms[position:]
            if best_of <= len(scores) < len(self.postings[term]):
                threshold = self._reached_by_best(scores, best_of, rest)
                to_come = sum(self.weights[light] for light in rest) * (K1 + 1)
                if to_come < threshold:
                    able = {s: score for s, score in scores.items() if score + to_come >= threshold}
                    return _best(self._completed(able, rest), best_of)
            for slot, part in self._parts(term).items():
                scores[slot] = scores.get(slot, 0.0) + part
        return _best(scores, best_of)

    def _heaviest_first(self) -> list[str]:
        return sorted(self.weights, key=lambda term: -self.weights[term])

    def _parts(self, term: str) -> dict[int, float]:
        """What `term` adds to the score of every text that holds it, as `score_text` counts it."""
        fixed, per_position = length_factors(self.average_length)
        # The grid rounding of `on_grid` is written out: a call for each text doubles the time.
        scale, lengths, grid = self.weights[term] * (K1 + 1), self.lengths, GRID
        return {
            slot: (scale * count / (count + (fixed + per_position * lengths[slot])) + grid) - grid
            for slot, count in self.postings[term].items()
        }

    def _reached_by_best(
        self, scores: Mapping[int, float], best_of: int, rest: Sequence[str]
    ) -> float:
        """A score that `best_of` texts reach for sure: what the present leaders have in the end."""
        leaders = {slot: scores[slot] for slot in _best(scores, best_of)}
        return min(self._completed(leaders, rest).values()) * _ROUNDING

    def _completed(self, scores: Mapping[int, float], rest: Sequence[str]) -> dict[int, float]:
        """`scores` with what the texts get for the terms of `rest`."""
        fixed, per_position = length_factors(self.average_length)
        completed = dict(scores)
        for term in rest:
            scale, holders = self.weights[term] * (K1 + 1), self.postings[term]
            for slot in completed:
                if count := holders.get(slot):
                    damping = fixed + per_position * self.lengths[slot]
                    completed[slot] += on_grid(scale * count / (count + damping))
        return completed


def _best(scores: Mapping[int, float], best_of: int) -> Collection[int]:
    if len(scores) <= best_of:
        return scores.keys()
    threshold = heapq.nlargest(best_of, scores.values())[-1]
    above = [slot for slot, score in scores.items() if score > threshold]
    tied = [slot for slot, score in scores.items() if score == threshold]
    return above + heapq.nsmallest(best_of - len(above), tied)
