"""Which texts hold one term, how often, and in groups that get the same score for it.

Part of the index of `ranking_index` (seed: 插件记忆与向量搜索).
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Mapping, Sequence
from typing import TypeAlias

GROUPED_FROM = 256
"""Texts from which the groups of a term are kept; below, grouping them costs less than keeping."""

Groups: TypeAlias = Mapping[tuple[int, int], Sequence[int]]
"""Slots in rising order, by how often they hold the term and by their length."""


class Postings:
    """The texts (slots) that hold one term; `counts` says how often."""

    __slots__ = ("_groups", "_tops", "counts")

    def __init__(self) -> None:
        self.counts: dict[int, int] = {}
        self._groups: dict[tuple[int, int], list[int]] | None = None
        self._tops: dict[int, int] = {}

    def add(self, slot: int, count: int, lengths: Sequence[int]) -> None:
        """Take in a slot whose length stands in `lengths`."""
        self.counts[slot] = count
        if self._groups is not None:
            length = lengths[slot]
            group = self._groups.get((count, length))
            if group is None:
                self._groups[count, length] = [slot]
                self._tops[length] = max(count, self._tops.get(length, 0))
            elif group[-1] < slot:
                group.append(slot)
            else:
                insort(group, slot)
        elif len(self.counts) >= GROUPED_FROM:
            self._groups = self._grouped(lengths)
            self._tops = _tops_of(self._groups)

    def remove(self, slot: int, lengths: Sequence[int]) -> None:
        """Let go of a slot; `lengths` still has its length."""
        count, length = self.counts.pop(slot), lengths[slot]
        if self._groups is None:
            return
        if len(self.counts) < GROUPED_FROM // 2:
            self._groups, self._tops = None, {}
            return
        group = self._groups[count, length]
        del group[bisect_left(group, slot)]
        if not group:
            del self._groups[count, length]
            if self._tops[length] == count:
                self._lower_top(length)

    def groups(self, lengths: Sequence[int]) -> tuple[Groups, Mapping[int, int]]:
        """The slots in groups, none empty, and the highest count at each length.

        Neither is to be changed.
        """
        if self._groups is not None:
            return self._groups, self._tops
        groups = self._grouped(lengths)
        return groups, _tops_of(groups)

    def _lower_top(self, length: int) -> None:
        assert self._groups is not None
        for count in range(self._tops.pop(length) - 1, 0, -1):
            if (count, length) in self._groups:
                self._tops[length] = count
                return

    def _grouped(self, lengths: Sequence[int]) -> dict[tuple[int, int], list[int]]:
        groups: dict[tuple[int, int], list[int]] = {}
        for slot in sorted(self.counts):
            groups.setdefault((self.counts[slot], lengths[slot]), []).append(slot)
        return groups


def _tops_of(groups: Groups) -> dict[int, int]:
    tops: dict[int, int] = {}
    for count, length in groups:
        if count > tops.get(length, 0):
            tops[length] = count
    return tops
