"""The context of a service call: nothing of the caller's data (spec/manifest.md 10.3)."""

import random
from collections.abc import Callable, Mapping

from covel_host.base.cancel_signal import CancelSignal
from covel_host.base.clock import Clock
from covel_host.base.not_served import not_served
from covel_host.base.own_texts import own_messages, own_translations
from covel_host.base.package_logger import PackageLogger
from covel_host.net.package_http import PackageHttp
from covel_host.proposals.operations import Operation
from covel_host.runtime.call_life import CallLife
from covel_host.runtime.run import RunPorts, RuntimeRun
from covel_host.runtime.run_gateway import RunGateway
from covel_host.runtime.run_http import service_http
from covel_host.runtime.run_record import RunRecord
from covel_host.runtime.service_data import ServiceData
from covel_host.services.caller import RunningService
from plugin_sdk.capabilities import Services, World


class ServiceCallContext:
    """The `ServiceContext` of one call; after its end every use of a capability is refused."""

    def __init__(
        self,
        running: RunningService,
        run: RuntimeRun,
        life: CallLife,
        *,
        clock: Clock,
        randomness: random.Random,
        data: ServiceData,
        services: Services,
        gateway: RunGateway,
        http: PackageHttp,
    ) -> None:
        self._running = running
        self._http = http
        self._run = run
        self._life = life
        self._clock = clock
        self._random = randomness
        self._logger = PackageLogger(running.offered.plugin_id)
        self._data = data
        self._services = services
        self._gateway = gateway

    @property
    def locale(self) -> str:
        return self._run.locale

    @property
    def messages(self) -> Mapping[str, str]:
        return own_messages(self._run.services.texts(self.plugin_id), self._run.locale)

    @property
    def translations(self) -> Mapping[str, Mapping[str, str]]:
        return own_translations(self._run.services.texts(self.plugin_id))

    @property
    def plugin_id(self) -> str:
        return self._running.offered.plugin_id

    @property
    def caller_plugin_id(self) -> str:
        return self._running.caller_plugin_id

    @property
    def signal(self) -> CancelSignal:
        return self._running.signal

    @property
    def services(self) -> Services:
        return self._services

    @property
    def plugin_data(self) -> ServiceData:
        return self._data

    @property
    def world(self) -> World:
        view = self._run.staging.world
        if view is None:
            not_served("ctx.world")
        return view.opened(self._life.check)

    @property
    def gateway(self) -> RunGateway:
        return self._gateway

    @property
    def http(self) -> PackageHttp:
        return self._http

    @property
    def random(self) -> random.Random:
        return self._random

    @property
    def clock(self) -> Clock:
        return self._clock

    @property
    def logger(self) -> PackageLogger:
        return self._logger


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
            life,
            clock=ports.clock,
            randomness=ports.randoms.stream(run.runtime_id, *running.caller.path),
            data=ServiceData(running.offered, running.scope, life),
            services=services,
            gateway=self._gateway,
            http=service_http(run, ports, life, plugin_id=running.offered.plugin_id),
        )

    async def uses_ended(self) -> None:
        """Return when everything that was begun with the context has ended."""
        await self._life.uses_ended()

    def close(self) -> None:
        """End the call; models asked count as the run's."""
        self._life.end()
        self._gateway.close()
        self._record.use = self._record.use.merged(self._gateway.use)
