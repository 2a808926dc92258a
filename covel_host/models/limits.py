"""Time and request limits of one logical call (spec/models.md 4.3, 4.4).

Only rules and arithmetic: the clock's readings come in as numbers, waiting is the gateway's work.
"""

from dataclasses import dataclass
from typing import Literal

LimitName = Literal["budget", "first-token", "idle", "call"]

DEFAULT_BUDGET_MS = 120_000
DEFAULT_CALL_MS = 120_000
STREAM_CEILING_MS = 1_800_000
MAX_REQUESTS = 8

_LONGEST_FIRST_TOKEN_S = 120.0
_SHORTEST_SHARE_S = 60.0


@dataclass(frozen=True, slots=True)
class CallLimits:
    """How long one logical call may take; everything in milliseconds.

    Waits before sending again count. Waiting for a turn among the calls at once does not: that is
    this host's own doing.

    Attributes:
        budget_ms: time for the whole call. Without it 120 s, which every piece of a stream moves
            to 120 s from then; a budget that is set moves only when `idle_ms` is set too.
        idle_ms: longest silence of a stream after its first output.
        first_token_ms: longest wait for a stream's first output; without it `first_token_limit_s`.
        call_ms: longest time of one unstreamed request.
        ceiling_ms: a stream ends at the latest this long after the call began.
        max_requests: HTTP requests for this call, retries included.
        attempts_left: how often the caller would make this call in all; it shares out the time for
            a first token, so that one silent attempt does not use up the others' time.
    """

    budget_ms: int | None = None
    idle_ms: int | None = None
    first_token_ms: int | None = None
    call_ms: int = DEFAULT_CALL_MS
    ceiling_ms: int = STREAM_CEILING_MS
    max_requests: int = MAX_REQUESTS
    attempts_left: int = 1


def first_token_limit_s(remaining_s: float, attempts_left: int) -> float:
    """How long an attempt may wait for its first token when nothing else is set.

    The last attempt gets all that remains; an earlier one its equal share, but 60 s where the share
    is shorter, never more than half, never more than 120 s: 120 s and 4 attempts give 60, 30, 15,
    15.
    """
    if attempts_left <= 1:
        return remaining_s
    share = max(remaining_s / attempts_left, _SHORTEST_SHARE_S)
    return min(share, remaining_s / 2, _LONGEST_FIRST_TOKEN_S)


class CallBudget:
    """What one logical call may spend in time and requests.

    Its retries and fallbacks share it, and so do the further attempts of a runtime that hands the
    same budget in again (spec/models.md 4.3). `requests` counts what was sent for it.
    """

    def __init__(self) -> None:
        self.requests = 0
        self._started_at: float | None = None
        self._ends_at = 0.0

    @property
    def started_at(self) -> float:
        """When the call began, waiting for its turn left out."""
        return self._started_at or 0.0

    @property
    def ends_at(self) -> float:
        """When the time is used up."""
        return self._ends_at

    def begin(self, limits: CallLimits, now: float) -> None:
        """Start counting; the first call of several sets the time."""
        if self._started_at is None:
            self._started_at = now
            self._ends_at = now + (limits.budget_ms or DEFAULT_BUDGET_MS) / 1000

    def move_end(self, ends_at: float) -> None:
        """More time, never less."""
        self._ends_at = max(self._ends_at, ends_at)

    def leave_out(self, seconds: float) -> None:
        """Do not count time spent waiting for a turn among the calls at once."""
        if self._started_at is not None:
            self._started_at += seconds
            self._ends_at += seconds


class CallTimer:
    """Where one logical call stands against its limits; fed with readings of a steady clock."""

    def __init__(
        self,
        limits: CallLimits,
        *,
        stream: bool,
        started_at: float,
        budget: CallBudget | None = None,
    ) -> None:
        self._limits = limits
        self._stream = stream
        self._budget = budget or CallBudget()
        self._budget.begin(limits, started_at)
        self._attempt_at: float | None = None
        self._first_token_ends_at = 0.0
        self._output_at: float | None = None

    @property
    def output_started(self) -> bool:
        """Whether any piece of a stream has arrived."""
        return self._output_at is not None

    @property
    def started_at(self) -> float:
        """When the whole call began, waiting for its turn left out."""
        return self._budget.started_at

    def remaining_s(self, now: float) -> float:
        """Seconds left of the whole call's budget, never negative."""
        return max(self._budget.ends_at - now, 0.0)

    def attempt_started(self, now: float) -> None:
        """A request is about to be sent; its own clocks begin."""
        self._attempt_at = now
        first_ms = self._limits.first_token_ms
        limit_s = (
            first_token_limit_s(self.remaining_s(now), self._limits.attempts_left)
            if first_ms is None
            else first_ms / 1000
        )
        self._first_token_ends_at = now + limit_s

    def attempt_ended(self) -> None:
        """The request is over; until the next one only the budget counts."""
        self._attempt_at = None

    def piece_arrived(self, now: float) -> bool:
        """A piece of a stream has arrived; it moves the limits that may move.

        Returns whether it is the first one: the time for a first token then gives way to the limit
        on silence, which may end sooner; every other piece only moves limits away.
        """
        is_first = self._output_at is None
        self._output_at = now
        self._extend_budget(now)
        return is_first

    def _extend_budget(self, now: float) -> None:
        limits = self._limits
        if limits.budget_ms is None:
            extension_ms = DEFAULT_BUDGET_MS
        elif limits.idle_ms is not None:
            extension_ms = limits.idle_ms
        else:
            return
        ceiling = self.started_at + limits.ceiling_ms / 1000
        self._budget.move_end(min(now + extension_ms / 1000, ceiling))

    def expires(self) -> tuple[float, LimitName]:
        """The reading at which the call must end, and the limit that ends it."""
        ends: list[tuple[float, LimitName]] = [(self._budget.ends_at, "budget")]
        if self._attempt_at is not None:
            ends.append(self._attempt_limit(self._attempt_at))
        return min(ends, key=lambda end: end[0])

    def _attempt_limit(self, attempt_at: float) -> tuple[float, LimitName]:
        if not self._stream:
            return attempt_at + self._limits.call_ms / 1000, "call"
        if self._output_at is None:
            return self._first_token_ends_at, "first-token"
        if self._limits.idle_ms is None:
            return self._budget.ends_at, "budget"
        return self._output_at + self._limits.idle_ms / 1000, "idle"
