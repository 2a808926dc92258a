"""Builders and a hand-driven time for the tests of this room."""

import asyncio
from typing import Any

from covel_host.models.messages import ModelRequest, UserMessage
from covel_host.models.slots import ApiKey, Slot, SlotTable, Sourced
from plugin_sdk.testing import ManualClock

KEY = "sk-never-shown"


def sourced(value: Any) -> Sourced[Any]:
    return Sourced(value, "llm.toml:3")


def make_slot(base_url: str = "http://127.0.0.1:9/v1", **changes: Any) -> Slot:
    values: dict[str, Any] = {
        "name": "story",
        "provider": sourced("lab"),
        "model": sourced("lab/model-1"),
        "base_url": sourced(base_url),
        "protocol": sourced("openai-chat-v1"),
        "tag": sourced("text"),
        "key": ApiKey("LAB_API_KEY", KEY),
        "needs_key": False,
    }
    return Slot(**{**values, **changes})


def make_table(*slots: Slot) -> SlotTable:
    return SlotTable({slot.name: slot for slot in slots}, "llm.toml")


def ask(text: str = "Hello", **changes: Any) -> ModelRequest:
    return ModelRequest(messages=(UserMessage(text),), **changes)


class QuickTime:
    """Waits of up to 60 s pass at once and are noted; longer ones (limits) never end."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.waits: list[float] = []

    async def sleep(self, seconds: float) -> None:
        if seconds > 60:
            await asyncio.Event().wait()
        self.waits.append(seconds)
        self.clock.advance(seconds)


class HandTime:
    """Time that moves only when a test moves it."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self._sleepers: list[tuple[float, asyncio.Future[None]]] = []

    async def sleep(self, seconds: float) -> None:
        until = self.clock.monotonic() + seconds
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._sleepers.append((until, woken))
        await woken

    async def advance(self, seconds: float) -> None:
        """Move time, wake who is due, and let everything run until it waits again."""
        await settle()
        self.clock.advance(seconds)
        now = self.clock.monotonic()
        due = [woken for until, woken in self._sleepers if until <= now]
        self._sleepers = [item for item in self._sleepers if item[0] > now]
        for woken in due:
            if not woken.done():
                woken.set_result(None)
        await settle()


async def settle() -> None:
    for _ in range(30):
        await asyncio.sleep(0)
