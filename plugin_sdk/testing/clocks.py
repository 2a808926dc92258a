"""A clock that stands until a test moves it."""

from datetime import UTC, datetime, timedelta

START = datetime(2026, 1, 1, tzinfo=UTC)
"""What a clock shows when a test says nothing else."""


class ManualClock:
    """A clock that stands still until `advance` moves it."""

    def __init__(self, start: datetime = START) -> None:
        self._now = start
        self._passed_s = 0.0

    def now(self) -> datetime:
        """The time it shows, aware, in UTC."""
        return self._now

    def monotonic(self) -> float:
        """Seconds that it was moved so far."""
        return self._passed_s

    def advance(self, seconds: float) -> None:
        """Let time pass, `seconds` not negative."""
        if seconds < 0:
            raise ValueError(f"A clock does not go back; got {seconds!r} seconds.")
        self._now += timedelta(seconds=seconds)
        self._passed_s += seconds
