"""Nothing is left of many calls that are cancelled at random: no task, thread or open context."""

import asyncio
import gc
import random
import threading
import weakref
from dataclasses import replace
from typing import Any

from covel_host.base.cancel_signal import CancelSignal
from covel_host.tools.calls import ToolCallResult, ToolRequest
from plugin_sdk.context import ToolContext
from plugin_sdk.errors import ToolError
from plugin_sdk.tools import Tool, tool
from tests.support.tool_calls import SeenCall, ToolBench

CALLS = 10_000
AT_ONCE = 50
LIMIT_MS = 60_000


def several_turns(name: str, turns: int, **options: Any) -> Tool[Any, Any]:
    @tool(name=name, **options)
    async def work(ctx: ToolContext) -> object:
        """Give the loop some turns."""
        for _ in range(turns):
            await asyncio.sleep(0)
        return 1

    return work


@tool(name="never", timeout_ms=1)
async def never() -> object:
    """Never return."""
    await asyncio.Event().wait()
    return 1


@tool(name="swallow")
async def swallow() -> object:
    """Swallow one cancellation."""
    try:
        for _ in range(4):
            await asyncio.sleep(0)
    except asyncio.CancelledError:
        await asyncio.sleep(0)
    return 1


@tool(name="swallow-limited", timeout_ms=LIMIT_MS)
async def swallow_limited() -> object:
    """Swallow one cancellation in a task of its own."""
    return await swallow()


@tool(name="fail", timeout_ms=LIMIT_MS)
async def fail() -> object:
    """Fail after a turn of the loop."""
    await asyncio.sleep(0)
    raise ToolError("conflict", "No.")


@tool(name="thread")
def thread(ctx: ToolContext) -> object:
    """Run in a thread."""
    return ctx.signal.cancelled


TOOLS = (
    several_turns("in-place", 3),
    several_turns("own-task", 3, timeout_ms=LIMIT_MS),
    never,
    swallow,
    swallow_limited,
    fail,
    thread,
)


class Opened:
    """Opens contexts without keeping them, and counts how many were opened and closed."""

    def __init__(self) -> None:
        self.alive: weakref.WeakSet[CountedCall] = weakref.WeakSet()
        self.count = 0
        self.closed = 0

    def __call__(self, request: ToolRequest, signal: CancelSignal) -> SeenCall:
        call = CountedCall(signal, self)
        self.alive.add(call)
        self.count += 1
        return call


class CountedCall(SeenCall):
    """An open call that tells when it is closed first."""

    __hash__ = object.__hash__

    def __init__(self, signal: CancelSignal, opened: Opened) -> None:
        super().__init__(signal)
        self._opened = opened

    def close(self) -> None:
        self._opened.closed += not self.is_closed
        super().close()


async def call_and_cancel(bench: ToolBench, opened: Opened, draws: random.Random) -> int:
    """Make every call and cancel about half of them; how many were."""
    scope = replace(bench.scope, open_call=opened)
    cancelled = 0
    for first in range(0, CALLS, AT_ONCE):
        tasks = []
        for position in range(first, first + AT_ONCE):
            request = ToolRequest(position, f"c{position}", draws.choice(TOOLS).name, "{}")
            tasks.append(asyncio.create_task(bench.executor.call(request, scope)))
        for _ in range(6):
            await asyncio.sleep(0)
            for task in draws.sample(tasks, k=AT_ONCE // 8):
                task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(isinstance(one, ToolCallResult | asyncio.CancelledError) for one in ended)
        cancelled += sum(isinstance(one, asyncio.CancelledError) for one in ended)
    return cancelled


def test_many_calls_cancelled_at_random_leave_nothing_behind() -> None:
    bench, opened, draws = ToolBench(*TOOLS), Opened(), random.Random(7)
    threads_before = threading.active_count()
    most_threads = 0

    async def main() -> int:
        nonlocal most_threads
        cancelled = await call_and_cancel(bench, opened, draws)
        most_threads = threading.active_count()
        assert await bench.executor.close() == ()
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return cancelled

    assert asyncio.run(main()) > CALLS // 10
    assert most_threads - threads_before <= AT_ONCE
    for left in threading.enumerate():
        if left.name.startswith("covel tool "):
            left.join(20)
    assert threading.active_count() == threads_before
    assert opened.count == opened.closed
    gc.collect()
    assert len(opened.alive) == 0
