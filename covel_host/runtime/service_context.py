"""The context of a service call: nothing of the caller's data (spec/manifest.md 10.3)."""

from collections.abc import Callable

from covel_host.proposals.operations import Operation
from covel_host.runtime.call_life import CallLife
from covel_host.runtime.provider_facts import ProviderFacts
from covel_host.runtime.run import RunPorts, RuntimeRun
from covel_host.runtime.run_gateway import RunGateway
from covel_host.runtime.run_http import service_http
from covel_host.runtime.run_record import RunRecord
from covel_host.runtime.service_data import ServiceData
from covel_host.services.caller import RunningService
from plugin_sdk.capabilities import Services


class ServiceCallContext(ProviderFacts):
    """The `ServiceContext` of one call."""

    def __init__(
        self,
        running: RunningService,
        run: RuntimeRun,
        ports: RunPorts,
        life: CallLife,
        *,
        data: ServiceData,
        services: Services,
        gateway: RunGateway,
    ) -> None:
        plugin_id = running.offered.plugin_id
        super().__init__(
            run,
            life,
            plugin_id=plugin_id,
            signal=running.signal,
            clock=ports.clock_for_code,
            randomness=ports.randoms.stream(run.runtime_id, *running.caller.path),
            services=services,
            gateway=gateway,
            http=service_http(run, ports, life, plugin_id=plugin_id),
        )
        self._caller_plugin_id = running.caller_plugin_id
        self._data = data

    @property
    def caller_plugin_id(self) -> str:
        return self._caller_plugin_id

    @property
    def plugin_data(self) -> ServiceData:
        return self._data


class OpenedService:
    """One call of a service while it runs: its context, and the way to end it."""

    def __init__(
        self,
        running: RunningService,
        life: CallLife,
        *,
        run: RuntimeRun,
        ports: RunPorts,
        record: RunRecord,
        services: Services,
        slot: str | None,
        on_queued: Callable[[float], None],
    ) -> None:
        self._life = life
        self._record = record
        self._gateway = RunGateway(run, ports, life, slot=slot, on_queued=on_queued)
        # A run's scopes are operations over its own buffer.
        assert isinstance(running.scope, Operation)
        self.context = ServiceCallContext(
            running,
            run,
            ports,
            life,
            data=ServiceData(running.offered, running.scope, life),
            services=services,
            gateway=self._gateway,
        )

    async def uses_ended(self) -> None:
        """Return when everything that was begun with the context has ended."""
        await self._life.uses_ended()

    def close(self) -> None:
        """End the call; models asked count as the run's."""
        self._life.end()
        self._gateway.close()
        self._record.use = self._record.use.merged(self._gateway.use)
