"""The cancellation signal that package code sees as `ctx.signal`."""

import asyncio
from collections.abc import Iterator


class CancelSignal:
    """Starts quiet and is set once, by its owner or with the one `above`; readable in any thread.

    A signal cancels nothing above it.
    """

    # One is made for every tool call, and most are neither waited for nor cancelled: it looks above
    # when it is asked, so that nothing above has to know it.
    __slots__ = ("_above", "_reason", "_waiting")

    def __init__(self, above: "CancelSignal | None" = None) -> None:
        self._above = above
        self._reason: str | None = None
        self._waiting: set[asyncio.Event] | None = None

    @property
    def cancelled(self) -> bool:
        """Whether the work that holds this signal should stop."""
        return self.reason is not None

    @property
    def reason(self) -> str | None:
        """Why it was cancelled; `None` while it is quiet."""
        above = self._above
        return self._reason if self._reason is not None or above is None else above.reason

    async def wait(self) -> None:
        """Return when the signal is cancelled, at once if it already is."""
        if self.cancelled:
            return
        event = asyncio.Event()
        for signal in self._all():
            if signal._waiting is None:
                signal._waiting = set()
            signal._waiting.add(event)
        try:
            await event.wait()
        finally:
            for signal in self._all():
                if signal._waiting is not None:
                    signal._waiting.discard(event)

    def cancel(self, reason: str) -> None:
        """Set the signal; the first reason stays. To be called from the event loop's thread."""
        if self.cancelled:
            return
        self._reason = reason
        for event in self._waiting or ():
            event.set()

    def _all(self) -> "Iterator[CancelSignal]":
        """This signal and those above it."""
        signal: CancelSignal | None = self
        while signal is not None:
            yield signal
            signal = signal._above
