"""`ctx.services`: the services of other packages, for a tool call, a handler or a service."""

from collections.abc import Callable

from covel_host.base.cancel_signal import CancelSignal
from covel_host.runtime.call_life import CallLife
from covel_host.runtime.run import RunPorts, RuntimeRun
from covel_host.runtime.run_record import RunRecord
from covel_host.runtime.service_context import OpenedService
from covel_host.services.caller import Caller, OpensScopes, ProviderTurns, RunningService
from covel_host.services.calls import ServiceCalls
from plugin_sdk.records import ServiceOffer
from plugin_sdk.values import JsonValue


class ServiceAccess:
    """The `Services` of one place that calls; it ends with that place's life."""

    def __init__(self, calls: ServiceCalls, caller: Caller, life: CallLife) -> None:
        self._calls = calls
        self._caller = caller
        self._life = life

    async def discover(self, contract: str) -> list[ServiceOffer]:
        self._life.check()
        return self._calls.discover(contract)

    async def call(
        self, offer: ServiceOffer, input: JsonValue, *, timeout_ms: float | None = None
    ) -> JsonValue:
        return await self._life.use(
            lambda: self._calls.call(self._caller, offer, input, timeout_ms=timeout_ms)
        )


class RunServices:
    """What the code of one run calls services with; its calls share their turns at providers.

    Models that a service asks are asked by `slot`, and counted as the run's own in `record`;
    `on_queued` gets the seconds such a question waited for its turn.
    """

    def __init__(
        self,
        run: RuntimeRun,
        ports: RunPorts,
        record: RunRecord,
        *,
        slot: str | None,
        on_queued: Callable[[float], None],
    ) -> None:
        self._run = run
        self._ports = ports
        self._record = record
        self._slot = slot
        self._on_queued = on_queued
        self._turns = ProviderTurns()
        self._calls = ServiceCalls(
            run.services, self, tasks=ports.tasks, trace=ports.trace, clock=ports.clock
        )

    def of(
        self,
        life: CallLife,
        *,
        call_id: str | None,
        path: tuple[str | int, ...],
        signal: CancelSignal,
        scope: OpensScopes,
    ) -> ServiceAccess:
        """The services for one tool call or handler; `scope` takes what they write for it."""
        caller = Caller(
            plugin_id=self._run.plugin_id,
            call_id=call_id,
            path=path,
            signal=signal,
            scope=scope,
            turns=self._turns,
            bar=None if self._run.may_write_through_services else "run",
        )
        return ServiceAccess(self._calls, caller, life)

    def for_extension(
        self, life: CallLife, *, plugin_id: str, path: tuple[str | int, ...], signal: CancelSignal
    ) -> ServiceAccess:
        """The services for one call of another package's extension, which changes nothing."""
        caller = Caller(
            plugin_id=plugin_id,
            call_id="-".join(str(part) for part in path),
            path=path,
            signal=signal,
            scope=self._run.staging,
            turns=self._turns,
            bar="run",
        )
        return ServiceAccess(self._calls, caller, life)

    def open(self, running: RunningService) -> OpenedService:
        """What a service gets for one call."""
        life = CallLife("service call")
        return OpenedService(
            running,
            life,
            run=self._run,
            ports=self._ports,
            record=self._record,
            services=ServiceAccess(self._calls, running.caller, life),
            slot=self._slot,
            on_queued=self._on_queued,
        )
