"""What life-cycle hooks cost: events nobody listens to, and calls of hooks that do nothing."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from statistics import median
from typing import Any

import pluggy

from benchmarks.rounds import table, verdict
from covel_host.base.cancel_signal import CancelSignal
from covel_host.base.clock import SystemClock
from covel_host.base.tasks import TaskTracker
from covel_host.hooks.dispatcher import HookDispatcher
from covel_host.hooks.hook import HookFacts
from plugin_sdk.hook_events import ToolCall
from plugin_sdk.hooks import HookOrder

ROUNDS = 25
SETTING = (
    "One `pre_tool_use` event with small arguments. Floor: awaiting an empty async function. Peer: "
    "pluggy calling the same plain function in place, without copy, limit, thread and trace."
)
GOAL_SILENT_US = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Hook:
    function: Callable[..., Any]
    arguments: tuple[str, ...] = ("call",)
    plugin_id: str = "bells"
    event: str = "pre_tool_use"
    function_name: str = "hook"
    order: HookOrder = "normal"
    match: Callable[[Any], bool] | None = None
    timeout_ms: int | None = None
    position: int = 0


class _NoTrace:
    def add(self, type: str, **data: object) -> None:
        return None


async def _async(call: ToolCall) -> None:
    return None


def _plain(call: ToolCall) -> None:
    return None


def report() -> str:
    """The section of RESULTS.md."""
    rows = asyncio.run(_rows())
    head = ["one event", "µs", "goal µs", ""]
    return "\n".join(["## Hooks", "", SETTING, "", table(head, rows)])


async def _rows() -> list[list[object]]:
    call, facts = _call(), HookFacts(signal=CancelSignal(), trace=_NoTrace())
    silent, listening = _dispatcher(), _dispatcher(_Hook(function=_async))
    threaded = _dispatcher(_Hook(function=_plain))
    ten = _dispatcher(*[_Hook(function=_async, position=n) for n in range(10)])
    cases: dict[str, tuple[Callable[[], Awaitable[object]], int, float | None]] = {
        "awaiting nothing (floor)": (lambda: _async(call), 20_000, None),
        "nobody listens, asked with `listens`": (lambda: _asked(silent), 20_000, GOAL_SILENT_US),
        "nobody listens, dispatched": (
            lambda: silent.dispatch("pre_tool_use", call, facts),
            20_000,
            GOAL_SILENT_US,
        ),
        "peer: pluggy, one plain function": (_pluggy(call), 20_000, None),
        "one async hook": (
            lambda: listening.dispatch("pre_tool_use", call, facts),
            500,
            None,
        ),
        "one plain hook, in its thread": (
            lambda: threaded.dispatch("pre_tool_use", call, facts),
            200,
            None,
        ),
        "ten async hooks": (lambda: ten.dispatch("pre_tool_use", call, facts), 100, None),
    }
    times: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(ROUNDS):
        for name, (case, repeat, _goal) in cases.items():
            times[name].append(await _seconds(case, repeat))
    return [_row(name, median(times[name]) * 1e6, goal) for name, (_, _, goal) in cases.items()]


async def _seconds(case: Callable[[], Awaitable[object]], repeat: int) -> float:
    start = time.perf_counter()
    for _ in range(repeat):
        await case()
    return (time.perf_counter() - start) / repeat


def _row(name: str, microseconds: float, goal: float | None) -> list[object]:
    return [name, f"{microseconds:.2f}", goal or "", verdict(microseconds, goal)]


async def _asked(dispatcher: HookDispatcher) -> None:
    if dispatcher.listens("pre_tool_use"):
        raise AssertionError("nobody listens")


def _pluggy(call: ToolCall) -> Callable[[], Awaitable[object]]:
    marker = pluggy.HookimplMarker("covel")

    class Package:
        @marker
        def pre_tool_use(self, call: ToolCall) -> None:
            return None

    manager = pluggy.PluginManager("covel")
    manager.register(Package())
    hook = manager.hook.pre_tool_use

    async def called() -> object:
        return hook(call=call)

    return called


def _call() -> ToolCall:
    return ToolCall(id="c1", name="ring-bell", arguments={"times": 3, "where": "tower"})


def _dispatcher(*hooks: _Hook) -> HookDispatcher:
    return HookDispatcher(
        hooks,
        active_plugin_ids=("bells",),
        session_id="session-1",
        turn_id="turn-1",
        locale="en",
        tasks=TaskTracker(),
        clock=SystemClock(),
    )
