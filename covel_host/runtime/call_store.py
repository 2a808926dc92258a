"""`ctx.store` of one call, and the life that ends it with the call."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from covel_host.base.not_served import not_served
from covel_host.runtime.run import RuntimeRun
from plugin_sdk.errors import ToolError
from plugin_sdk.records import DataItem, MessagePage, PlayerInput, SessionView, TurnMessage
from plugin_sdk.values import JsonValue

Value = TypeVar("Value")


class CallLife:
    """Whether the call that a context belongs to is still running."""

    def __init__(self) -> None:
        self._ended = False
        self._reads = 0
        self._no_reads = asyncio.Event()
        self._no_reads.set()

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
                "unavailable", "The call this context belongs to has ended; nothing is read."
            )

    async def read(self, begin: Callable[[], Awaitable[Value]]) -> Value:
        """What the read that `begin` starts gives, unless the call ends meanwhile."""
        self.check()
        self._reads += 1
        self._no_reads.clear()
        try:
            value = await begin()
        finally:
            self._reads -= 1
            if self._reads == 0:
                self._no_reads.set()
        self.check()
        return value

    async def reads_ended(self) -> None:
        """Return when no read is under way."""
        await self._no_reads.wait()


class CallStore:
    """`ctx.store`: the session and the package's own data, staged writes included."""

    def __init__(self, run: RuntimeRun, life: CallLife) -> None:
        self._run = run
        self._life = life

    async def get_plugin_data(self, namespace: str, key: str) -> JsonValue:
        data = self._run.staging.plugin_data
        return await self._life.read(lambda: data.get(namespace, key))

    async def list_plugin_data(self, namespace: str) -> list[DataItem]:
        data = self._run.staging.plugin_data
        entries = await self._life.read(lambda: data.list(namespace))
        return [DataItem(entry.key, entry.value) for entry in entries]

    async def get_session(self) -> SessionView:
        self._life.check()
        return self._run.session.view()

    async def list_player_inputs(self) -> list[PlayerInput]:
        not_served("ctx.store.list_player_inputs")

    async def list_turn_messages(self, limit: int | None = None) -> list[TurnMessage]:
        return await self._life.read(lambda: self._run.session.newest(limit))

    async def read_turn_messages(
        self, *, after: str | None = None, limit: int = 100
    ) -> MessagePage:
        return await self._life.read(lambda: self._run.session.page(after=after, limit=limit))
