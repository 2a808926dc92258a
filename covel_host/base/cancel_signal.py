"""The cancellation signal that package code sees as `ctx.signal`."""

import asyncio
from weakref import WeakSet


class CancelSignal:
    """Starts quiet and is set once; safe to read from any thread."""

    def __init__(self) -> None:
        self._event = asyncio.Event()
        self._reason: str | None = None
        self._followers: WeakSet[CancelSignal] = WeakSet()

    @property
    def cancelled(self) -> bool:
        """Whether the work that holds this signal should stop."""
        return self._event.is_set()

    @property
    def reason(self) -> str | None:
        """Why it was cancelled; `None` while it is quiet."""
        return self._reason

    async def wait(self) -> None:
        """Return when the signal is cancelled, at once if it already is."""
        await self._event.wait()

    def cancel(self, reason: str) -> None:
        """Set the signal; the first reason stays. To be called from the event loop's thread."""
        if self._event.is_set():
            return
        self._reason = reason
        self._event.set()
        for follower in tuple(self._followers):
            follower.cancel(reason)

    def follow(self, other: "CancelSignal") -> None:
        """Be cancelled when `other` is, at once if it already is."""
        other._followers.add(self)
        if other.cancelled:
            self.cancel(other.reason or "cancelled")
