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

    __slots__ = ("_groups", "counts")

    def __init__(self) -> None:
        self.counts: dict[int, int] = {}
        self._groups: dict[tuple[int, int], list[int]] | None = None

    def add(self, slot: int, count: int, lengths: Sequence[int]) -> None:
        """Take in a slot whose length stands in `lengths`."""
        self.counts[slot] = count
        if self._groups is not None:
            insort(self._groups.setdefault((count, lengths[slot]), []), slot)
        elif len(self.counts) >= GROUPED_FROM:
            self._groups = self._grouped(lengths)

    def remove(self, slot: int, lengths: Sequence[int]) -> None:
        """Let go of a slot; `lengths` still has its length."""
        count = self.counts.pop(slot)
        if self._groups is None:
            return
        if len(self.counts) < GROUPED_FROM // 2:
            self._groups = None
            return
        group = self._groups[count, lengths[slot]]
        del group[bisect_left(group, slot)]
        if not group:
            del self._groups[count, lengths[slot]]

    def groups(self, lengths: Sequence[int]) -> Groups:
        """The slots in groups, none empty; not to be changed."""
        return self._grouped(lengths) if self._groups is None else self._groups

    def _grouped(self, lengths: Sequence[int]) -> dict[tuple[int, int], list[int]]:
        groups: dict[tuple[int, int], list[int]] = {}
        for slot in sorted(self.counts):
            groups.setdefault((self.counts[slot], lengths[slot]), []).append(slot)
        return groups
