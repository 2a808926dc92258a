"""The context objects that package code gets; each dies with the call it was made for."""

import random
from collections.abc import Awaitable, Mapping, Sequence
from typing import NoReturn, TypeVar

from covel_host.base.cancel_signal import CancelSignal
from covel_host.base.clock import Clock
from covel_host.base.package_logger import PackageLogger
from covel_host.runtime.run import RunPorts, RuntimeRun
from covel_host.tools.calls import ToolRequest
from plugin_sdk.capabilities import Services, World
from plugin_sdk.errors import ToolError
from plugin_sdk.proposals import Proposal, parse_proposal
from plugin_sdk.records import DataItem, MessagePage, PlayerInput, SessionView, TurnMessage
from plugin_sdk.values import JsonValue

Value = TypeVar("Value")


class CallLife:
    """Whether the call that a context belongs to is still running."""

    def __init__(self) -> None:
        self._ended = False

    def end(self) -> None:
        """Withdraw everything that hangs on this life."""
        self._ended = True

    def check(self) -> None:
        """Refuse a use after the end.

        Raises:
            ToolError: `unavailable`.
        """
        if self._ended:
            raise ToolError(
                "unavailable", "The call this context belongs to has ended; nothing is read."
            )

    async def read(self, reading: Awaitable[Value]) -> Value:
        """What `reading` gives, unless the call ends meanwhile."""
        self.check()
        value = await reading
        self.check()
        return value


class CallStore:
    """`ctx.store`: the session and the package's own data, staged writes included."""

    def __init__(self, run: RuntimeRun, life: CallLife) -> None:
        self._run = run
        self._life = life

    async def get_plugin_data(self, namespace: str, key: str) -> JsonValue:
        return await self._life.read(self._run.staging.plugin_data.get(namespace, key))

    async def list_plugin_data(self, namespace: str) -> list[DataItem]:
        entries = await self._life.read(self._run.staging.plugin_data.list(namespace))
        return [DataItem(entry.key, entry.value) for entry in entries]

    async def get_session(self) -> SessionView:
        self._life.check()
        return self._run.session.view()

    async def list_player_inputs(self) -> list[PlayerInput]:
        _not_served("ctx.store.list_player_inputs")

    async def list_turn_messages(self, limit: int | None = None) -> list[TurnMessage]:
        return await self._life.read(self._run.session.newest(limit))

    async def read_turn_messages(
        self, *, after: str | None = None, limit: int = 100
    ) -> MessagePage:
        return await self._life.read(self._run.session.page(after=after, limit=limit))


class ToolCallContext:
    """The `ToolContext` of one call (spec/manifest.md 9.3).

    What this host does not serve yet answers `ToolError("unavailable")`; after the end of the call
    every read does.
    """

    def __init__(
        self, run: RuntimeRun, ports: RunPorts, request: ToolRequest, signal: CancelSignal
    ) -> None:
        self._run = run
        self._life = CallLife()
        self._store = CallStore(run, self._life)
        self._signal = signal
        self._clock = ports.clock
        self._random = ports.randoms.stream(run.runtime_id, request.position)
        self._logger = PackageLogger(run.plugin_id)

    @property
    def context(self) -> "ToolCallContext":
        """What the tool gets."""
        return self

    def close(self) -> None:
        """End the call: its reads give nothing any more."""
        self._life.end()

    @property
    def locale(self) -> str:
        return self._run.locale

    @property
    def messages(self) -> Mapping[str, str]:
        return self._run.messages

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
        return [
            parse_proposal({"type": staged.type, "payload": staged.payload})
            for staged in self._run.staging.proposals
        ]

    @property
    def upstream_proposals(self) -> Sequence[Proposal]:
        return ()

    @property
    def emitted_event_topics(self) -> Sequence[str]:
        return ()

    @property
    def world(self) -> World:
        _not_served("ctx.world")

    @property
    def services(self) -> Services:
        _not_served("ctx.services")

    async def history_for(
        self, character_id: str, *, limit: int | None = None
    ) -> list[TurnMessage]:
        _not_served("ctx.history_for")


def _not_served(member: str) -> NoReturn:
    raise ToolError("unavailable", f"{member} is not served by this version of the host.")
