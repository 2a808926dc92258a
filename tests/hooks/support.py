"""Hooks, dispatchers and facts for the tests of the room."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from covel_host.base.cancel_signal import CancelSignal
from covel_host.base.clock import SystemClock
from covel_host.base.tasks import TaskTracker
from covel_host.hooks.dispatcher import HookDispatcher
from covel_host.hooks.hook import HookFacts
from covel_host.trace.log import TraceLog
from plugin_sdk.hook_events import ToolCall
from plugin_sdk.hooks import HookOrder
from plugin_sdk.values import JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenHook:
    """A hook as the catalog would hold it."""

    plugin_id: str
    event: str
    function: Callable[..., Any]
    function_name: str
    arguments: tuple[str, ...]
    order: HookOrder = "normal"
    match: Callable[[Any], bool] | None = None
    timeout_ms: int | None = None
    position: int = 0


def hook(
    function: Callable[..., Any],
    event: str = "pre_tool_use",
    *,
    plugin_id: str = "bells",
    order: HookOrder = "normal",
    match: Callable[[Any], Any] | None = None,
    timeout_ms: int | None = None,
    position: int = 0,
) -> GivenHook:
    return GivenHook(
        plugin_id=plugin_id,
        event=event,
        function=function,
        function_name=function.__name__,
        arguments=tuple(inspect.signature(function).parameters),
        order=order,
        match=match,
        timeout_ms=timeout_ms,
        position=position,
    )


class Scene:
    """A dispatcher with what it reports to."""

    def __init__(
        self,
        *hooks: GivenHook,
        active: Sequence[str] = ("bells",),
        dependencies: Mapping[str, Sequence[str]] | None = None,
        settings: Mapping[str, Mapping[str, JsonValue]] | None = None,
    ) -> None:
        self.tasks = TaskTracker()
        self.log = TraceLog(turn_id="turn-1", clock=SystemClock())
        self.signal = CancelSignal()
        self.facts = HookFacts(
            signal=self.signal,
            trace=self.log,
            plugin_id="tower",
            runtime_id="tower/keeper",
            target_id="c1",
        )
        self.dispatcher = HookDispatcher(
            hooks,
            active_plugin_ids=active,
            session_id="session-1",
            turn_id="turn-1",
            locale="en",
            tasks=self.tasks,
            clock=SystemClock(),
            dependencies=dependencies,
            own_settings=settings,
        )

    @property
    def traced(self) -> list[str]:
        """Types of the trace events with the hook's name."""
        return [f"{event.type} {event.data['hookName']}" for event in self.log.events]

    def data(self, position: int = 0) -> dict[str, Any]:
        return dict(self.log.events[position].data)


def ring(**arguments: JsonValue) -> ToolCall:
    return ToolCall(id="c1", name="ring-bell", arguments=arguments)
