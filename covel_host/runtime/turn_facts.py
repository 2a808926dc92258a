"""What every context of package code inside an execution has (spec/manifest.md 9.3, 12.4)."""

import random
from collections.abc import Mapping

from covel_host.base.cancel_signal import CancelSignal
from covel_host.base.clock import Clock
from covel_host.base.json_text import json_copy
from covel_host.base.not_served import not_served
from covel_host.base.own_texts import own_messages, own_translations
from covel_host.base.package_logger import PackageLogger
from covel_host.runtime.bound_values import bound_json
from covel_host.runtime.call_life import CallLife
from covel_host.runtime.call_store import CallStore
from covel_host.runtime.run import RunPorts, RuntimeRun
from plugin_sdk.capabilities import World
from plugin_sdk.values import JsonValue


class TurnFacts:
    """The members that tools, handlers and guards share; every value is a copy of its own.

    `signal` is that of the call or run, `stream` labels its random stream within the runtime.
    """

    def __init__(
        self,
        run: RuntimeRun,
        ports: RunPorts,
        life: CallLife,
        *,
        signal: CancelSignal,
        stream: str | int,
        store: CallStore,
    ) -> None:
        self._run = run
        self._life = life
        self._signal = signal
        self._clock = ports.clock_for_code
        # Made on first use, as below: one context is made for every call, and most need neither.
        self._randoms = ports.randoms
        self._stream = stream
        self._random: random.Random | None = None
        self._logger: PackageLogger | None = None
        self._store = store
        self._world: World | None = None

    @property
    def locale(self) -> str:
        return self._run.locale

    @property
    def messages(self) -> Mapping[str, str]:
        return own_messages(self._run.translations, self._run.locale)

    @property
    def translations(self) -> Mapping[str, Mapping[str, str]]:
        return own_translations(self._run.translations)

    @property
    def plugin_id(self) -> str:
        return self._run.plugin_id

    @property
    def session_id(self) -> str:
        return self._run.session_id

    @property
    def turn_id(self) -> str:
        return self._run.turn_id

    @property
    def runtime_id(self) -> str:
        return self._run.runtime_id

    @property
    def logical_turn(self) -> int | None:
        return self._run.logical_turn

    @property
    def turn_number(self) -> int:
        return self._run.turn_number

    @property
    def signal(self) -> CancelSignal:
        return self._signal

    @property
    def random(self) -> random.Random:
        if self._random is None:
            self._random = self._randoms.stream(self._run.runtime_id, self._stream)
        return self._random

    @property
    def clock(self) -> Clock:
        return self._clock

    @property
    def logger(self) -> PackageLogger:
        if self._logger is None:
            self._logger = PackageLogger(self._run.plugin_id)
        return self._logger

    @property
    def store(self) -> CallStore:
        return self._store

    @property
    def world(self) -> World:
        view = self._run.staging.world
        if view is None:
            not_served("ctx.world")
        if self._world is None:
            self._world = view.opened(self._life.check)
        return self._world

    @property
    def inputs(self) -> Mapping[str, JsonValue]:
        return {slot: bound_json(binding) for slot, binding in self._run.inputs.items()}

    @property
    def user_settings(self) -> Mapping[str, JsonValue]:
        return {key: json_copy(value) for key, value in self._run.user_settings.items()}
