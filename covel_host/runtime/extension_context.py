"""The context of an extension, which reads and writes nothing (spec/manifest.md 10.6)."""

import random
from collections.abc import Mapping

from covel_host.base.cancel_signal import CancelSignal
from covel_host.base.clock import Clock
from covel_host.base.not_served import not_served
from covel_host.base.own_texts import own_messages, own_translations
from covel_host.base.package_logger import PackageLogger
from covel_host.net.package_http import PackageHttp
from covel_host.runtime.call_life import CallLife
from covel_host.runtime.package_data import read_record, read_records
from covel_host.runtime.run import RunPorts, RuntimeRun
from covel_host.runtime.run_gateway import RunGateway
from covel_host.runtime.run_http import service_http
from covel_host.runtime.service_access import RunServices
from covel_host.services.extension_directory import OfferedExtension
from plugin_sdk.capabilities import Services, World
from plugin_sdk.records import DataItem
from plugin_sdk.values import JsonValue


class ExtensionData:
    """`ctx.plugin_data`: the package's own records as the execution has them by now.

    Without `_hidden.*`. What a prompt shows is no read of the run that it is made for.
    """

    def __init__(self, run: RuntimeRun, plugin_id: str, life: CallLife) -> None:
        self._run = run
        self._plugin_id = plugin_id
        self._life = life

    async def get(self, namespace: str, key: str) -> JsonValue:
        data = self._run.staging.data_of(self._plugin_id)
        return await self._life.use(lambda: read_record(data, namespace, key, is_read=False))

    async def list(self, namespace: str) -> list[DataItem]:
        data = self._run.staging.data_of(self._plugin_id)
        return await self._life.use(lambda: read_records(data, namespace, is_read=False))


class ExtensionCallContext:
    """The `ExtensionContext` of one call; after its end every use of a capability is refused."""

    def __init__(
        self,
        offered: OfferedExtension,
        run: RuntimeRun,
        ports: RunPorts,
        services: RunServices,
    ) -> None:
        key = offered.key
        path = ("extension", *key)
        self._offered = offered
        self._run = run
        self._life = CallLife("extension call")
        self._signal = CancelSignal(run.signal)
        self._clock = ports.clock
        self._random = ports.randoms.stream(run.runtime_id, *path)
        self._logger = PackageLogger(key.plugin_id)
        self._data = ExtensionData(run, key.plugin_id, self._life)
        self._services = services.for_extension(
            self._life, plugin_id=key.plugin_id, path=path, signal=self._signal
        )
        self._gateway = RunGateway(run, ports, self._life, slot=None, on_queued=_not_counted)
        self._http = service_http(run, ports, self._life, plugin_id=key.plugin_id)

    @property
    def asked_models(self) -> RunGateway:
        """The gateway for whoever adds up its use; works after the end."""
        return self._gateway

    def end(self) -> None:
        """Withdraw every capability; a call that still goes on sees that it is cancelled."""
        self._life.end()
        self._signal.cancel("abandoned")
        self._gateway.close()

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
        return self._offered.plugin_id

    @property
    def session_id(self) -> str:
        return self._run.session_id

    @property
    def turn_id(self) -> str | None:
        return self._run.turn_id

    @property
    def signal(self) -> CancelSignal:
        return self._signal

    @property
    def random(self) -> random.Random:
        return self._random

    @property
    def clock(self) -> Clock:
        return self._clock

    @property
    def logger(self) -> PackageLogger:
        return self._logger

    @property
    def world(self) -> World:
        view = self._run.staging.world
        if view is None:
            not_served("ctx.world")
        return view.unrecorded().opened(self._life.check)

    @property
    def plugin_data(self) -> ExtensionData:
        return self._data

    @property
    def services(self) -> Services:
        return self._services

    @property
    def gateway(self) -> RunGateway:
        return self._gateway

    @property
    def http(self) -> PackageHttp:
        return self._http


def _not_counted(seconds: float) -> None:
    """An extension's limit holds whatever it waits for."""
