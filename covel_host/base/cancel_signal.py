"""The cancellation signal that package code sees as `ctx.signal`."""

import asyncio


class CancelSignal:
    """Starts quiet and is set once; safe to read from any thread."""

    def __init__(self) -> None:
        self._event = asyncio.Event()
        self._reason: str | None = None

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
        if not self._event.is_set():
            self._reason = reason
            self._event.set()
