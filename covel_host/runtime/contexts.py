"""The context objects that package code gets; each dies with the call it was made for."""

import random
from collections.abc import Mapping, Sequence

from covel_host.base.cancel_signal import CancelSignal
from covel_host.base.clock import Clock
from covel_host.base.not_served import not_served
from covel_host.base.package_logger import PackageLogger
from covel_host.runtime.call_store import CallLife, CallStore
from covel_host.runtime.run import RunPorts, RuntimeRun
from covel_host.tools.calls import ToolRequest
from plugin_sdk.capabilities import Services, World
from plugin_sdk.proposals import Proposal
from plugin_sdk.records import TurnMessage
from plugin_sdk.values import JsonValue


class OpenToolCall:
    """One call while it runs: its context, and the way to end it."""

    def __init__(
        self, run: RuntimeRun, ports: RunPorts, request: ToolRequest, signal: CancelSignal
    ) -> None:
        self._life = CallLife()
        self.context = ToolCallContext(run, ports, request, signal, self._life)

    async def reads_ended(self) -> None:
        """Return when every read that the call began has ended."""
        await self._life.reads_ended()

    def close(self) -> None:
        """End the call: its reads give nothing any more."""
        self._life.end()


class ToolCallContext:
    """The `ToolContext` of one call (spec/manifest.md 9.3).

    What this host does not serve yet answers `ToolError("unavailable")`; after the end of the call
    every read does. Every value is a copy of its own.
    """

    def __init__(
        self,
        run: RuntimeRun,
        ports: RunPorts,
        request: ToolRequest,
        signal: CancelSignal,
        life: CallLife,
    ) -> None:
        self._run = run
        self._life = life
        self._store = CallStore(run, life)
        self._signal = signal
        self._clock = ports.clock
        self._random = ports.randoms.stream(run.runtime_id, request.position)
        self._logger = PackageLogger(run.plugin_id)

    @property
    def locale(self) -> str:
        return self._run.locale

    @property
    def messages(self) -> Mapping[str, str]:
        return {}

    @property
    def translations(self) -> Mapping[str, Mapping[str, str]]:
        return {}

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
        return self._random

    @property
    def clock(self) -> Clock:
        return self._clock

    @property
    def logger(self) -> PackageLogger:
        return self._logger

    @property
    def store(self) -> CallStore:
        return self._store

    @property
    def inputs(self) -> Mapping[str, JsonValue]:
        return {}

    @property
    def user_settings(self) -> Mapping[str, JsonValue]:
        return dict(self._run.user_settings)

    @property
    def pending_proposals(self) -> Sequence[Proposal]:
        self._life.check()
        return [staged.model.model_copy(deep=True) for staged in self._run.staging.proposals]

    @property
    def upstream_proposals(self) -> Sequence[Proposal]:
        return ()

    @property
    def emitted_event_topics(self) -> Sequence[str]:
        return ()

    @property
    def world(self) -> World:
        not_served("ctx.world")

    @property
    def services(self) -> Services:
        not_served("ctx.services")

    async def history_for(
        self, character_id: str, *, limit: int | None = None
    ) -> list[TurnMessage]:
        not_served("ctx.history_for")
