"""The context of an extension, which reads and writes nothing (spec/manifest.md 10.6)."""

from covel_host.base.cancel_signal import CancelSignal
from covel_host.proposals.world_view import WorldView
from covel_host.runtime.call_life import CallLife
from covel_host.runtime.package_data import read_record, read_records
from covel_host.runtime.provider_facts import ProviderFacts
from covel_host.runtime.run import RunPorts, RuntimeRun
from covel_host.runtime.run_gateway import RunGateway
from covel_host.runtime.run_http import service_http
from covel_host.runtime.service_access import RunServices
from covel_host.services.extension_directory import OfferedExtension
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


class ExtensionCallContext(ProviderFacts):
    """The `ExtensionContext` of one call."""

    def __init__(
        self,
        offered: OfferedExtension,
        run: RuntimeRun,
        ports: RunPorts,
        services: RunServices,
    ) -> None:
        key = offered.key
        path = ("extension", *key)
        life, signal = CallLife("extension call"), CancelSignal(run.signal)
        super().__init__(
            run,
            life,
            plugin_id=key.plugin_id,
            signal=signal,
            clock=ports.clock_for_code,
            randomness=ports.randoms.stream(run.runtime_id, *path),
            services=services.for_extension(
                life, plugin_id=key.plugin_id, path=path, signal=signal
            ),
            gateway=RunGateway(run, ports, life, slot=None, on_queued=_not_counted),
            http=service_http(run, ports, life, plugin_id=key.plugin_id),
        )
        self._data = ExtensionData(run, key.plugin_id, life)

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
    def session_id(self) -> str:
        return self._run.session_id

    @property
    def turn_id(self) -> str | None:
        return self._run.turn_id

    @property
    def plugin_data(self) -> ExtensionData:
        return self._data

    def _seen(self, view: WorldView) -> WorldView:
        return view.unrecorded()


def _not_counted(seconds: float) -> None:
    """An extension's limit holds whatever it waits for."""
