"""An executor over tools made in a test, and the scope of a run that may call them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from covel_host.base.cancel_signal import CancelSignal
from covel_host.base.clock import SystemClock
from covel_host.proposals.data_entries import DataEntry, DataSource
from covel_host.proposals.operations import Operation
from covel_host.proposals.staging import Staging
from covel_host.proposals.world_view import WorldHandle, WorldView
from covel_host.tools.builtin.installed import BUILTIN_TOOLS
from covel_host.tools.calls import CallScope, ToolCallResult, ToolRequest
from covel_host.tools.executor import ToolExecutor
from covel_host.tools.registry import CallableTool, RegisteredTool, ToolRegistry
from covel_host.trace.log import TraceLog
from plugin_sdk.context import ToolContext
from plugin_sdk.tools import Tool


class NoData:
    """A package without stored records."""

    async def get(self, namespace: str, key: str) -> DataEntry | None:
        return None

    async def list(self, namespace: str, *, after: str, limit: int) -> Sequence[DataEntry]:
        return ()


@dataclass
class SeenCall:
    """An open call whose context is its signal, and a store or world where one is given."""

    signal: CancelSignal
    is_closed: bool = False
    store: object = None
    world: WorldHandle | None = None
    locale: str = "en"
    emitted_event_topics: tuple[str, ...] = ()
    writes: Operation | None = None

    @property
    def context(self) -> ToolContext:
        return cast(ToolContext, self)

    async def reads_ended(self) -> None:
        return None

    def close(self) -> None:
        self.is_closed = True


@dataclass
class PackageTools:
    """Tools by package; keeps the names that were looked up."""

    by_package: Mapping[str, Mapping[str, Tool[Any, Any]]]
    asked: list[str] = field(default_factory=list)

    def tools(self, plugin_id: str) -> Mapping[str, Tool[Any, Any]]:
        self.asked.append(plugin_id)
        return self.by_package.get(plugin_id, {})


class ToolBench:
    """One run of the package `demo` with its executor."""

    def __init__(
        self,
        *tools: Tool[Any, Any],
        others: Sequence[Tool[Any, Any]] = (),
        builtins: Mapping[str, CallableTool] = BUILTIN_TOOLS,
        source: DataSource | None = None,
        world: WorldView | None = None,
    ) -> None:
        self.packages = PackageTools(
            {
                "demo": {tool.name: tool for tool in tools},
                "other": {tool.name: tool for tool in others},
            }
        )
        clock = SystemClock()
        self.registry = ToolRegistry(self.packages, builtins=builtins)
        self.executor = ToolExecutor(clock=clock)
        self.log = TraceLog(turn_id="turn-1", clock=clock)
        self.signal = CancelSignal()
        self.opened: list[SeenCall] = []
        self.staging = Staging(
            source or NoData(),
            plugin_id="demo",
            runtime_id="demo",
            run_id="run-1",
            new_id=iter(f"proposal-{number}" for number in range(100)).__next__,
            world=world,
        )
        self.authorized = {tool.name for tool in tools} | {*builtins}
        self.emitted: tuple[str, ...] = ()

    @property
    def resolved(self) -> dict[str, RegisteredTool]:
        return self.registry.resolve(self.authorized, plugin_id="demo")

    @property
    def scope(self) -> CallScope:
        return CallScope(
            plugin_id="demo",
            runtime_id="demo",
            instruction_locale="en",
            authorized=frozenset(self.authorized),
            tools=self.resolved,
            signal=self.signal,
            trace=self.log.of_run("run-1"),
            staging=self.staging,
            open_call=self._open,
        )

    async def call(self, name: str, arguments: str = "{}") -> ToolCallResult:
        return await self.executor.call(ToolRequest(0, "c1", name, arguments), self.scope)

    def _open(self, request: ToolRequest, signal: CancelSignal) -> SeenCall:
        view = self.staging.world
        world = None if view is None else view.opened(lambda: None)
        self.opened.append(SeenCall(signal, emitted_event_topics=self.emitted, world=world))
        return self.opened[-1]
