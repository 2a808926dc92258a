"""The life of what package code is given: every capability ends with the call or run it is for."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from plugin_sdk.errors import ToolError

Value = TypeVar("Value")


class CallLife:
    """Whether the call or run that a context belongs to is still going on.

    Made on the host's event loop. Package code in a thread may await a capability on a loop of its
    own (`asyncio.run`); the work is then done on the host's loop, where everything else is.
    """

    def __init__(self, owner: str = "call") -> None:
        self._owner = owner
        self._loop = asyncio.get_running_loop()
        self._ended = False
        self._uses = 0
        self._no_uses: asyncio.Event | None = None

    def end(self) -> None:
        """Withdraw everything that hangs on this life."""
        self._ended = True

    def check(self) -> None:
        """Refuse a use after the end.

        Raises:
            ToolError: `unavailable`.
        """
        if self._ended:
            raise ToolError(
                "unavailable",
                f"The {self._owner} this context belongs to has ended; its context can no longer "
                "be used.",
            )

    async def use(self, begin: Callable[[], Awaitable[Value]]) -> Value:
        """What the work that `begin` starts gives, unless the life ends meanwhile."""
        self.check()
        if asyncio.get_running_loop() is self._loop:
            return await self._used(begin)
        work = asyncio.run_coroutine_threadsafe(self._used(begin), self._loop)
        return await asyncio.wrap_future(work)

    async def uses_ended(self) -> None:
        """Return when no use is under way."""
        while self._uses:
            if self._no_uses is None or self._no_uses.is_set():
                self._no_uses = asyncio.Event()
            await self._no_uses.wait()

    async def _used(self, begin: Callable[[], Awaitable[Value]]) -> Value:
        self.check()
        self._uses += 1
        try:
            value = await begin()
        finally:
            self._uses -= 1
            if self._uses == 0 and self._no_uses is not None:
                self._no_uses.set()
        self.check()
        return value
