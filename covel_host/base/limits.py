"""Limits of waits, many under one timer: most calls end long before theirs."""

import asyncio


class Limits:
    """Sets the futures whose time is over; on one event loop.

    A timer of the loop for each call costs more than a small call. This keeps one, for the limit
    that ends first, and leaves it running when that call ends in time.
    """

    __slots__ = ("_ends", "_loop", "_timer")

    def __init__(self) -> None:
        self._ends: dict[asyncio.Future[None], float] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, over: "asyncio.Future[None]", limit_s: float) -> None:
        """Set `over` in `limit_s` seconds, unless it is done or its limit ended before."""
        loop = over.get_loop()
        if loop is not self._loop:
            # The timer of a loop that is closed never fires.
            self._loop, self._timer, self._ends = loop, None, {}
        ends_at = self._ends[over] = loop.time() + limit_s
        if self._timer is None or ends_at < self._timer.when():
            self._wake_at(ends_at)

    def end(self, over: "asyncio.Future[None]") -> None:
        """Set `over` no more; nothing where it has no limit."""
        self._ends.pop(over, None)

    def _wake_at(self, when: float) -> None:
        assert self._loop is not None
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_at(when, self._wake, when)

    def _wake(self, planned: float) -> None:
        assert self._loop is not None
        self._timer = None
        # A loop may wake a moment early, by the resolution of its clock.
        now = max(planned, self._loop.time())
        for over in [over for over, ends_at in self._ends.items() if ends_at <= now]:
            del self._ends[over]
            if not over.done():
                over.set_result(None)
        if self._ends:
            self._wake_at(min(self._ends.values()))
