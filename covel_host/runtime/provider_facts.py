"""What code has that works for a run of another package: services and extensions."""

import random
from collections.abc import Mapping

from covel_host.base.cancel_signal import CancelSignal
from covel_host.base.clock import Clock
from covel_host.base.not_served import not_served
from covel_host.base.own_texts import own_messages, own_translations
from covel_host.base.package_logger import PackageLogger
from covel_host.net.package_http import PackageHttp
from covel_host.proposals.world_view import WorldView
from covel_host.runtime.call_life import CallLife
from covel_host.runtime.run import RuntimeRun
from covel_host.runtime.run_gateway import RunGateway
from plugin_sdk.capabilities import Services, World


class ProviderFacts:
    """What both share: the run's language and world, the provider's texts (spec/manifest.md 10.3).

    After the end of `life` every use of a capability is refused.
    """

    def __init__(
        self,
        run: RuntimeRun,
        life: CallLife,
        *,
        plugin_id: str,
        signal: CancelSignal,
        clock: Clock,
        randomness: random.Random,
        services: Services,
        gateway: RunGateway,
        http: PackageHttp,
    ) -> None:
        self._run = run
        self._life = life
        self._plugin_id = plugin_id
        self._signal = signal
        self._clock = clock
        self._random = randomness
        self._logger = PackageLogger(plugin_id)
        self._services = services
        self._gateway = gateway
        self._http = http

    @property
    def locale(self) -> str:
        return self._run.locale

    @property
    def messages(self) -> Mapping[str, str]:
        return own_messages(self._run.services.texts(self._plugin_id), self._run.locale)

    @property
    def translations(self) -> Mapping[str, Mapping[str, str]]:
        return own_translations(self._run.services.texts(self._plugin_id))

    @property
    def plugin_id(self) -> str:
        return self._plugin_id

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
        return self._seen(view).opened(self._life.check)

    @property
    def services(self) -> Services:
        return self._services

    @property
    def gateway(self) -> RunGateway:
        return self._gateway

    @property
    def http(self) -> PackageHttp:
        return self._http

    def _seen(self, view: WorldView) -> WorldView:
        """The world as it is looked at here: what is touched is a read of the run."""
        return view
