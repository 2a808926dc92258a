"""Services made in a test and called without a host around them."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

from covel_host.base.cancel_signal import CancelSignal
from covel_host.base.clock import SystemClock
from covel_host.base.errors import HostError
from covel_host.base.tasks import TaskTracker
from covel_host.services.caller import Caller, ProviderTurns, RunningService, WriteBar
from covel_host.services.calls import ServiceCalls
from covel_host.services.directory import ServiceDirectory, Standing
from covel_host.trace.log import TraceLog
from plugin_sdk.records import ServiceOffer
from plugin_sdk.services import Service


@dataclass
class Scope:
    """A scope of writes that keeps what happened to it."""

    below: "Scope | None" = None
    may_write: bool = False
    refuses: bool = False
    opened: list["Scope"] = field(default_factory=list)
    state: str = "open"

    def open(self, *, may_write: bool) -> "Scope":
        self.opened.append(Scope(self, may_write, self.refuses))
        return self.opened[-1]

    async def keep(self) -> None:
        if self.refuses:
            raise HostError("The record is another one by now.", code="path-not-found")
        self.state = "kept"

    def withdraw(self) -> None:
        if self.state == "open":
            self.state = "withdrawn"


class Context:
    """What a service of these tests gets."""

    def __init__(self, bench: "ServiceBench", running: RunningService) -> None:
        self.bench = bench
        self.running = running
        self.plugin_id = running.offered.plugin_id
        self.caller_plugin_id = running.caller_plugin_id
        self.signal = running.signal
        self.is_closed = False

    @property
    def context(self) -> Any:
        return self

    async def call(self, contract: str, value: Any = None) -> Any:
        return await self.bench.call(contract, value, by=self.running.caller)

    async def uses_ended(self) -> None:
        return None

    def close(self) -> None:
        self.is_closed = True


class ServiceBench:
    """The services of some packages, and a caller `trader`."""

    def __init__(self, **packages: list[Service[..., Any]]) -> None:
        self.packages = packages
        self.standings: dict[str, Standing] = {}
        services = {
            plugin_id: {one.name: one for one in services}
            for plugin_id, services in packages.items()
        }
        self.directory = ServiceDirectory(
            services, standing=lambda plugin_id: self.standings.get(plugin_id, "active")
        )
        self.tasks = TaskTracker()
        self.log = TraceLog(turn_id="turn-1", clock=SystemClock())
        self.scope = Scope()
        self.turns = ProviderTurns()
        self.contexts: list[Context] = []
        self.calls = ServiceCalls(
            self.directory,
            self,
            tasks=self.tasks,
            trace=self.log.of_run("run-1"),
            clock=SystemClock(),
        )

    def open(self, running: RunningService) -> Any:
        self.contexts.append(Context(self, running))
        return self.contexts[-1]

    def caller(self, *, bar: WriteBar | None = None, signal: CancelSignal | None = None) -> Caller:
        return Caller(
            plugin_id="trader",
            call_id="call-1",
            path=(0,),
            signal=signal or CancelSignal(),
            scope=self.scope,
            turns=self.turns,
            bar=bar,
        )

    def offer(self, contract: str) -> ServiceOffer:
        return next(
            ServiceOffer(plugin_id=plugin_id, name=one.name, contract=contract, kind=one.kind)
            for plugin_id, services in self.packages.items()
            for one in services
            if one.contract == contract
        )

    async def call(
        self, contract: str, value: Any = None, *, by: Caller | None = None, **limits: Any
    ) -> Any:
        caller = self.caller() if by is None else by
        given = {} if value is None else value
        return await self.calls.call(caller, self.offer(contract), given, **limits)

    def run(self, contract: str, value: Any = None, **more: Any) -> Any:
        """One call on a loop of its own; nothing of it goes on afterwards."""

        async def main() -> Any:
            try:
                return await self.call(contract, value, **more)
            finally:
                assert await self.tasks.close(budget_s=1.0) == ()

        return asyncio.run(main())

    @property
    def reports(self) -> list[dict[str, Any]]:
        return [event.data for event in self.log.events]
