"""The cancellation signal that package code sees as `ctx.signal`."""

import asyncio
from typing import Final
from weakref import ReferenceType, ref

_FIRST_PRUNE: Final = 64


class CancelSignal:
    """Starts quiet and is set once; safe to read from any thread."""

    # One is made for every tool call, and most are neither waited for nor cancelled: what these
    # need is made on first use.
    __slots__ = ("__weakref__", "_event", "_followers", "_prune_at", "_reason")

    def __init__(self) -> None:
        self._reason: str | None = None
        self._event: asyncio.Event | None = None
        self._followers: list[ReferenceType[CancelSignal]] = []
        self._prune_at = _FIRST_PRUNE

    @property
    def cancelled(self) -> bool:
        """Whether the work that holds this signal should stop."""
        return self._reason is not None

    @property
    def reason(self) -> str | None:
        """Why it was cancelled; `None` while it is quiet."""
        return self._reason

    async def wait(self) -> None:
        """Return when the signal is cancelled, at once if it already is."""
        if self._reason is not None:
            return
        if self._event is None:
            self._event = asyncio.Event()
        await self._event.wait()

    def cancel(self, reason: str) -> None:
        """Set the signal; the first reason stays. To be called from the event loop's thread."""
        if self._reason is not None:
            return
        self._reason = reason
        if self._event is not None:
            self._event.set()
        followers, self._followers = self._followers, []
        for known in followers:
            follower = known()
            if follower is not None:
                follower.cancel(reason)

    def follow(self, other: "CancelSignal") -> None:
        """Be cancelled when `other` is, at once if it already is."""
        if other._reason is not None:
            self.cancel(other._reason)
            return
        followers = other._followers
        followers.append(ref(self))
        if len(followers) >= other._prune_at:
            # Those that are gone, taken out now and then: a callback for each costs ten times that.
            followers[:] = [known for known in followers if known() is not None]
            other._prune_at = max(_FIRST_PRUNE, 2 * len(followers))
