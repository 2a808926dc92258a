"""Which texts of an index can be among the best ones, without reading every list to its end.

The scores are those of `ranking` (seed: 插件记忆与向量搜索).
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from plugin_sdk.rules.ranking import GRID, K1, length_factors
from plugin_sdk.rules.ranking_postings import Postings

_ROUNDING = 1 - 1e-9
"""Slack when coverages are compared, so that rounding never drops a text that reaches it."""


_Group: TypeAlias = tuple[float, int, int, float, Sequence[int]]
"""Texts of one length that hold a term equally often: what one of them can have in the end at most
(negative, so that groups sort from the best), count and length, what each gets for the term, slots.
A tuple, for a query makes thousands."""


@dataclass(frozen=True, slots=True)
class _Needed:
    """How many texts are wanted, and the share of the query's `total` weight each has to hold."""

    best_of: int
    min_coverage: float
    total: float


class QueryLists:
    """The lists of one query: for each of its terms the texts (slots) that hold it.

    `lengths` gives the length of every slot, `average_length` their mean over the kept texts.
    """

    def __init__(
        self,
        postings: Mapping[str, Postings],
        weights: Mapping[str, float],
        lengths: Sequence[int],
        average_length: float,
    ) -> None:
        self._weights = weights
        self._terms = sorted(weights, key=lambda term: -weights[term])
        self._postings = [postings[term] for term in self._terms]
        self._lengths = lengths
        self._average_length = average_length

    def covering(self, min_coverage: float) -> Collection[int]:
        """Slots that can reach a coverage: the light terms alone may be too light for it."""
        total = sum(self._weights.values())
        found: set[int] = set()
        for position, postings in enumerate(self._postings):
            left = sum(self._weights[term] for term in self._terms[position:])
            if left / total < min_coverage * _ROUNDING:
                break
            found.update(postings.counts)
        return found

    def leading(self, best_of: int, *, min_coverage: float) -> Collection[int]:
        """The slots of the `best_of` highest scores among those that reach the coverage.

        Of equal scores the lower slots. Terms are taken from the heaviest to the lightest, the
        texts of a term in groups of equal count and length, from the highest bound to the lowest.
        A group whose bound lies below the best ones ends the term: its texts and those of the
        groups after it are out, whatever else they hold. So no query reads a list like that of
        "the" to its end.
        """
        best: list[tuple[float, int]] = []
        fixed, per_position = length_factors(self._average_length)
        needed = _Needed(best_of, min_coverage, sum(self._weights.values()))
        lists = [
            (self._weights[term], postings.counts)
            for term, postings in zip(self._terms, self._postings, strict=True)
        ]
        for position, groups in enumerate(self._sorted_groups()):
            if sum(weight for weight, _ in lists[position:]) / needed.total < min_coverage:
                break
            for negative_bound, _, length, part, slots in groups:
                if len(best) == best_of and -negative_bound < best[0][0]:
                    break
                damping = fixed + per_position * length
                _read(slots, part, -negative_bound, damping, lists, position, needed, best)
        return [-negative for _, negative in best]

    def _sorted_groups(self) -> list[list[_Group]]:
        """For each term its groups from the highest bound to the lowest.

        Scores are multiples of a grid, so bounds are exact sums: none needs slack.
        """
        fixed, per_position = length_factors(self._average_length)
        # For each length the most that a text can get for all terms lighter than the present one.
        lighter: dict[int, float] = {}
        found: list[list[_Group]] = []
        for term, postings in zip(reversed(self._terms), reversed(self._postings), strict=True):
            scale = self._weights[term] * (K1 + 1)
            groups: list[_Group] = []
            most: dict[int, float] = {}
            for (count, length), slots in postings.groups(self._lengths).items():
                # `on_grid` written out: a call for each group would double the time.
                part = (scale * count / (count + (fixed + per_position * length)) + GRID) - GRID
                groups.append((-(part + lighter.get(length, 0.0)), count, length, part, slots))
                if part > most.get(length, 0.0):
                    most[length] = part
            for length, part in most.items():
                lighter[length] = lighter.get(length, 0.0) + part
            groups.sort()
            found.append(groups)
        return found[::-1]


def _read(
    slots: Sequence[int],
    part: float,
    bound: float,
    damping: float,
    lists: Sequence[tuple[float, Mapping[int, int]]],
    position: int,
    needed: _Needed,
    best: list[tuple[float, int]],
) -> None:
    """Put the texts of a group that belong there into the heap `best` of (score, -slot)."""
    # A text with a heavier term was read there, or was out there already.
    for _, counts in lists[:position]:
        slots = [slot for slot in slots if slot not in counts]
    own_weight, rest, grid = lists[position][0], lists[position + 1 :], GRID
    for slot in slots:
        if len(best) == needed.best_of and (bound, -slot) < best[0]:
            # Slots rise, so the others cannot win a tie either.
            return
        score, held = part, own_weight
        for weight, counts in rest:
            if count := counts.get(slot):
                score += (weight * (K1 + 1) * count / (count + damping) + grid) - grid
                held += weight
        if held / needed.total < needed.min_coverage:
            continue
        if len(best) < needed.best_of:
            heapq.heappush(best, (score, -slot))
        elif (score, -slot) > best[0]:
            heapq.heapreplace(best, (score, -slot))
