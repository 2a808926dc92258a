"""What a guard gets, and a handler as well (spec/manifest.md 12.4, 12.5)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn

from covel_host.base.json_text import json_copy
from covel_host.base.not_served import not_served
from covel_host.net.package_http import PackageHttp
from covel_host.runtime.bound_values import bound_json
from covel_host.runtime.call_life import CallLife
from covel_host.runtime.call_store import CallStore
from covel_host.runtime.prompt_inputs import ManualActivation
from covel_host.runtime.recursion import RunRecursion
from covel_host.runtime.run import RunPorts, RuntimeRun
from covel_host.runtime.run_data import RunData
from covel_host.runtime.run_gateway import RunGateway
from covel_host.runtime.run_http import run_http
from covel_host.runtime.run_media import RunMedia
from covel_host.runtime.turn_facts import TurnFacts
from plugin_sdk.capabilities import Images, Music, Speech
from plugin_sdk.errors import ToolError
from plugin_sdk.records import PlayerInput, TriggerEvent
from plugin_sdk.values import JsonValue


@dataclass(frozen=True, slots=True)
class LastInput:
    """`ctx.session`: the players' latest submission as the execution began."""

    last_player_input: PlayerInput | None


class RunContext(TurnFacts):
    """What guards and handlers have in common.

    What this host does not serve yet answers `ToolError("unavailable")`; after the end of the guard
    or handler everything that reads, writes or asks does.
    """

    def __init__(
        self,
        run: RuntimeRun,
        ports: RunPorts,
        life: CallLife,
        *,
        stream: str,
        gateway: RunGateway,
        media: RunMedia,
        hidden: frozenset[str],
    ) -> None:
        super().__init__(
            run,
            ports,
            life,
            signal=run.signal,
            stream=stream,
            store=CallStore(run.staging.plugin_data, run.session, life, hidden=hidden),
        )
        self._plugin_data = RunData(run, life, self._store, hidden=hidden)
        self._gateway = gateway
        self._media = media
        self._http = run_http(run, ports, life)
        self._recursion = RunRecursion(run, ports, life)

    @property
    def player_message(self) -> str:
        return self._run.player_message or ""

    @property
    def session(self) -> LastInput:
        return LastInput(self._run.last_player_input)

    @property
    def plugin_data(self) -> RunData:
        return self._plugin_data

    @property
    def exports(self) -> Mapping[str, JsonValue]:
        return {slot: bound_json(binding) for slot, binding in self._run.exports.items()}

    @property
    def manual_payload(self) -> JsonValue:
        started = self._run.activation
        return json_copy(started.payload) if isinstance(started, ManualActivation) else None

    @property
    def trigger_event(self) -> TriggerEvent | None:
        return self._run.trigger_event

    @property
    def resume_data(self) -> JsonValue:
        resumed = self._run.resumed
        return None if resumed is None else json_copy(resumed.data)

    @property
    def resumed_from_suspension_id(self) -> str | None:
        resumed = self._run.resumed
        return None if resumed is None else resumed.suspension_id

    @property
    def gateway(self) -> RunGateway:
        return self._gateway

    @property
    def media(self) -> RunMedia:
        return self._media

    @property
    def images(self) -> Images:
        not_served("ctx.images")

    @property
    def speech(self) -> Speech:
        not_served("ctx.speech")

    @property
    def music(self) -> Music:
        not_served("ctx.music")

    @property
    def http(self) -> PackageHttp:
        return self._http

    @property
    def recursive_call(self) -> RunRecursion:
        return self._recursion


class GuardRunContext(RunContext):
    """The `GuardContext` of one guard; what only handlers have is refused by name."""

    @property
    def tools(self) -> NoReturn:
        _handlers_only("ctx.tools")

    @property
    def services(self) -> NoReturn:
        _handlers_only("ctx.services")

    @property
    def agents(self) -> NoReturn:
        _handlers_only("ctx.agents")

    @property
    def progress(self) -> NoReturn:
        _handlers_only("ctx.progress")


def _handlers_only(member: str) -> NoReturn:
    raise ToolError(
        "unavailable",
        f"A guard has no {member}.",
        hint="Do this in the handler of a function runtime.",
    )
