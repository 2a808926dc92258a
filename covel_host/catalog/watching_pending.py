"""When what was noticed is looked at: after a moment of quiet, but not put off for ever."""

from dataclasses import dataclass
from typing import Final

QUIET_S: Final = 0.05
"""A package is looked at when nothing was noticed in it for so long (issue: hot reload)."""
LONGEST_S: Final = 0.5
"""However busy its files are, a package is looked at so long after the first notice."""
TOGETHER_S: Final = 0.01
"""Packages whose times are so close are taken together."""


@dataclass(slots=True)
class _Times:
    first_s: float
    last_s: float
    noticed_s: float

    @property
    def due_s(self) -> float:
        return min(self.last_s + QUIET_S, self.first_s + LONGEST_S)


class PendingPackages:
    """Names of packages with something noticed in them; each has times of its own.

    Times are those of one monotonic clock, in seconds; the caller says what time it is.
    """

    def __init__(self) -> None:
        self._times: dict[str, _Times] = {}

    def notice(self, plugin_id: str, at_s: float, *, first_noticed_s: float | None = None) -> None:
        """Something happened to the package at `at_s`.

        A package that is put back begins to wait anew, and keeps `first_noticed_s`.
        """
        times = self._times.get(plugin_id)
        if times is None:
            noticed_s = at_s if first_noticed_s is None else first_noticed_s
            self._times[plugin_id] = _Times(at_s, at_s, noticed_s)
        else:
            times.last_s = max(times.last_s, at_s)
            if first_noticed_s is not None:
                times.noticed_s = min(times.noticed_s, first_noticed_s)

    def take(self, now_s: float) -> dict[str, float]:
        """The packages that are due, taken out; each with the time it was first noticed at.

        None without one that is due; otherwise also those that are due in a moment, so that what
        happened together is told together.
        """
        next_due_s = self.next_due_s
        if next_due_s is None or next_due_s > now_s:
            return {}
        due = [name for name, times in self._times.items() if times.due_s <= now_s + TOGETHER_S]
        return {name: self._times.pop(name).noticed_s for name in due}

    @property
    def next_due_s(self) -> float | None:
        """When the next package is due; None without any."""
        return min((times.due_s for times in self._times.values()), default=None)
