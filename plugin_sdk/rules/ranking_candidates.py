"""Which texts of an index can be among the best ones, without reading every list to its end.

The scores are those of `ranking` (seed: 插件记忆与向量搜索).
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import TypeAlias

from plugin_sdk.rules.ranking import GRID, K1, length_factors
from plugin_sdk.rules.ranking_postings import Groups, Postings

_ROUNDING = 1 - 1e-9
"""Slack when coverages are compared, so that rounding never drops a text that reaches it."""

_NARROWED_FROM = 8
"""Slots of a group from which looking for a shorter list costs less than scoring each."""

_Group: TypeAlias = tuple[float, int, int, float]
"""Texts of one length that hold a term equally often: what one of them can have in the end at most
(negative, so that groups sort from the best), count, length, what each gets for the term.
A tuple, for a query makes hundreds."""


@dataclass(frozen=True, slots=True)
class _List:
    """The texts of one query term: by slot, by count and length, and the top count of a length."""

    weight: float
    scale: float
    counts: Mapping[int, int]
    groups: Groups
    tops: Mapping[int, int]

    def part(self, count: int, damping: float) -> float:
        """What a text gets for holding the term so often."""
        return (self.scale * count / (count + damping) + GRID) - GRID


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
        self._fixed, self._per_position = length_factors(average_length)

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
        reading = _Reading(best_of, min_coverage, sum(self._weights.values()))
        weights = map(self._weights.__getitem__, self._terms)
        lists = [
            _List(weight, weight * (K1 + 1), postings.counts, *postings.groups(self._lengths))
            for weight, postings in zip(weights, self._postings, strict=True)
        ]
        bounds = self._bounds(lists)
        for position, (own, lighter) in enumerate(zip(lists, bounds, strict=True)):
            left = lists[position:]
            if sum(one.weight for one in left) / reading.total < min_coverage:
                break
            # A bound at a glance: no list is put into order that cannot bring a text in.
            if reading.rules_out(sum(one.scale for one in left)):
                break
            heavier = [other.counts for other in lists[:position]]
            rest = left[1:]
            scored = [(one.counts, one.scale, one.weight) for one in rest]
            for group in self._groups(own, lighter):
                if reading.rules_out(-group[0]):
                    break
                damping = self._fixed + self._per_position * group[2]
                reading.read(group, own, heavier, rest, scored, damping)
        return [-negative for _, negative in reading.best]

    def _bounds(self, lists: Sequence[_List]) -> list[dict[int, float]]:
        """For each term, what a text of each length can get for all lighter terms at most.

        Scores are multiples of a grid, so bounds are exact sums: none needs slack.
        """
        lighter: dict[int, float] = {}
        found = []
        for one in reversed(lists):
            found.append(dict(lighter))
            scale = one.scale
            for length, top in one.tops.items():
                # `part` written out here and below: a call for each would double the time.
                damping = self._fixed + self._per_position * length
                most = (scale * top / (top + damping) + GRID) - GRID
                lighter[length] = lighter.get(length, 0.0) + most
        return found[::-1]

    def _groups(self, own: _List, lighter: Mapping[int, float]) -> Iterator[_Group]:
        """The groups of a term from the highest bound to the lowest, made as they are asked for.

        Of one length the higher count has the higher bound, so the next one of each length stands
        in a heap.
        """
        fixed, per_position, scale, groups = self._fixed, self._per_position, own.scale, own.groups
        heap: list[_Group] = []
        for length, count in own.tops.items():
            part = (scale * count / (count + (fixed + per_position * length)) + GRID) - GRID
            heap.append((-(part + lighter.get(length, 0.0)), count, length, part))
        heapq.heapify(heap)
        while heap:
            yield heap[0]
            _, count, length, _ = heap[0]
            count -= 1
            while count and (count, length) not in groups:
                count -= 1
            if count:
                part = (scale * count / (count + (fixed + per_position * length)) + GRID) - GRID
                bound = part + lighter.get(length, 0.0)
                heapq.heapreplace(heap, (-bound, count, length, part))
            else:
                heapq.heappop(heap)


class _Reading:
    """The best texts so far, as a heap of (score, -slot), and what a text needs to join them."""

    __slots__ = ("_best_of", "_min_coverage", "best", "total")

    def __init__(self, best_of: int, min_coverage: float, total: float) -> None:
        self.best: list[tuple[float, int]] = []
        self.total = total
        self._best_of = best_of
        self._min_coverage = min_coverage

    def rules_out(self, bound: float) -> bool:
        """Whether a text that gets at most `bound` cannot join any more."""
        return len(self.best) == self._best_of and bound < self.best[0][0]

    def read(
        self,
        group: _Group,
        own: _List,
        heavier: Sequence[Mapping[int, int]],
        rest: Sequence[_List],
        scored: Sequence[tuple[Mapping[int, int], float, float]],
        damping: float,
    ) -> None:
        """Take in the texts of a group that belong to the best.

        `scored` has of each term of `rest` what a loop over the texts needs.
        """
        negative_bound, count, length, part = group
        best, best_of, total = self.best, self._best_of, self.total
        slots = own.groups[count, length]
        if len(best) == best_of and len(slots) >= _NARROWED_FROM:
            slots = self._narrowed(group, own, rest, damping)
        # A text with a heavier term was read there, or was out there already.
        for counts in heavier:
            slots = [slot for slot in slots if slot not in counts]
        bound, grid, min_coverage = -negative_bound, GRID, self._min_coverage
        for slot in slots:
            if len(best) == best_of and (bound, -slot) < best[0]:
                # Slots rise, so the others cannot win a tie either.
                return
            score, held = part, own.weight
            for counts, scale, weight in scored:
                if found := counts.get(slot):
                    score += (scale * found / (found + damping) + grid) - grid
                    held += weight
            if held / total < min_coverage:
                continue
            if len(best) < best_of:
                heapq.heappush(best, (score, -slot))
            elif (score, -slot) > best[0]:
                heapq.heapreplace(best, (score, -slot))

    def _narrowed(
        self, group: _Group, own: _List, rest: Sequence[_List], damping: float
    ) -> Sequence[int]:
        """The slots of a group that can reach the best, or more.

        A text that holds a lighter term less often than its bound assumes loses by that: below some
        count it is out, whatever else it holds. So the texts that hold the term at least so often
        stand for the group where they are fewer, and the other terms sort out what is left.
        """
        negative_bound, count, length, _ = group
        spare = -negative_bound - self.best[0][0]
        slots, size = own.groups[count, length], len(own.groups[count, length])
        fewest: list[Sequence[int]] = []
        needs: list[tuple[Mapping[int, int], int]] = []
        for one in rest:
            needed, lists = _needed(one, length, damping, spare)
            if needed:
                needs.append((one.counts, needed))
                if (found := sum(map(len, lists))) < size:
                    fewest, size = lists, found
        if size < len(slots):
            held = own.counts.get
            slots = sorted(slot for part in fewest for slot in part if held(slot) == count)
        for counts, needed in needs:
            many = map(counts.get, slots, repeat(0))
            slots = [slot for slot, often in zip(slots, many, strict=True) if often >= needed]
        return slots


def _needed(
    one: _List, length: int, damping: float, spare: float
) -> tuple[int, list[Sequence[int]]]:
    """How often a text of a length has to hold a term to lose no more than `spare`, and which do.

    From the highest count down; 0 with a text that need not hold it.
    """
    top = one.tops.get(length, 0)
    highest = one.part(top, damping)
    lists: list[Sequence[int]] = []
    for count in range(top, 0, -1):
        if highest - one.part(count, damping) > spare:
            return count + 1, lists
        lists.append(one.groups.get((count, length), ()))
    return (1, lists) if highest > spare else (0, lists)
