"""Context protocols: what the host hands to an author's function, by kind of function.

Authors only annotate with them; host and test kit implement them. All reads of stored data are
asynchronous. Members are those of the seed and of spec/manifest.md 9-12, in snake_case.
"""

from __future__ import annotations

import random as _random
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from plugin_sdk._context_bases import CallContext, Translations, TurnContext
from plugin_sdk.capabilities import (
    ActionStore,
    Agents,
    Clock,
    Dispose,
    Http,
    Images,
    Inputs,
    Logger,
    Media,
    Music,
    PluginDataReader,
    PluginDataWriter,
    Progress,
    RecursiveCall,
    Services,
    Signal,
    Speech,
    StoreView,
    Tools,
    World,
)
from plugin_sdk.gateway import Gateway

if TYPE_CHECKING:
    from plugin_sdk.outcomes import Event
    from plugin_sdk.proposals import Proposal
    from plugin_sdk.records import CommandInvocation, TriggerEvent, TurnMessage
    from plugin_sdk.values import JsonValue


class FormContext(Translations, Protocol):
    """Context of a form validator: languages only, so the check stays pure."""


class ToolContext(TurnContext, Protocol):
    """Context of a tool call (spec/manifest.md 9.3)."""

    @property
    def services(self) -> Services:
        """Services of other packages."""

    @property
    def pending_proposals(self) -> Sequence[Proposal]:
        """What this runtime staged so far; copies."""

    @property
    def upstream_proposals(self) -> Sequence[Proposal]:
        """What earlier runtimes of the execution staged; copies."""

    @property
    def emitted_event_topics(self) -> Sequence[str]:
        """Topics this tool loop emitted already; a copy."""

    async def history_for(
        self, character_id: str, *, limit: int | None = None
    ) -> list[TurnMessage]:
        """The story a character witnessed, oldest first, the newest `limit` messages or all."""


class ActionContext(CallContext, Protocol):
    """Context of an RPC action (spec/manifest.md 10.1)."""

    @property
    def action(self) -> str:
        """The action's name."""

    @property
    def runtime_id(self) -> str | None:
        """The runtime the request names, if any."""

    @property
    def store(self) -> ActionStore:
        """Reads, and writes that are committed at once."""

    @property
    def command(self) -> CommandInvocation | None:
        """The slash command that led here, if any."""

    @property
    def environment(self) -> Mapping[str, JsonValue]:
        """What the command asked to know, by scope."""

    async def emit(self, event: Event) -> None:
        """Emits one of the package's own events."""


class ServiceContext(Translations, Protocol):
    """Context of a service call; nothing of the caller's data (spec/manifest.md 10.3).

    Languages are the session's, `messages` the provider's own texts. `plugin_data` is the
    **provider's**, overlaid with what the execution staged. A read service that writes gets
    `ToolError("refused")`; the writes of a write service join the caller's unit.
    """

    @property
    def translations(self) -> Mapping[str, Mapping[str, str]]:
        """`messages` of every language the provider carries, by locale; `label_text` takes this."""

    @property
    def plugin_id(self) -> str:
        """The provider."""

    @property
    def caller_plugin_id(self) -> str:
        """The package that calls."""

    @property
    def signal(self) -> Signal:
        """The caller's cancellation."""

    @property
    def services(self) -> Services:
        """Further services, at most 8 levels deep."""

    @property
    def plugin_data(self) -> PluginDataWriter:
        """The provider's own data."""

    @property
    def world(self) -> World:
        """The world model as the caller's run sees it."""

    @property
    def gateway(self) -> Gateway:
        """Models, within the caller's limits."""

    @property
    def http(self) -> Http:
        """HTTP: what the provider declares and the caller may reach as well."""

    @property
    def random(self) -> _random.Random:
        """A stream of this call's own."""

    @property
    def clock(self) -> Clock:
        """The host's clock."""

    @property
    def logger(self) -> Logger:
        """The provider's log."""


class ExtensionContext(CallContext, Protocol):
    """Context of an extension (spec/manifest.md 10.6)."""

    @property
    def turn_id(self) -> str | None:
        """The turn, where there is one."""

    @property
    def world(self) -> World:
        """The world model, read-only."""

    @property
    def plugin_data(self) -> PluginDataReader:
        """The package's own data, read-only, without `_hidden.*`."""

    @property
    def services(self) -> Services:
        """Services of other packages."""

    @property
    def gateway(self) -> Gateway:
        """Models."""

    @property
    def http(self) -> Http:
        """HTTP."""


class HookContext(Protocol):
    """Context of a life-cycle hook (spec/manifest.md 10.5)."""

    @property
    def event(self) -> str:
        """The event's name, such as `PreToolUse`."""

    @property
    def session_id(self) -> str:
        """The session."""

    @property
    def turn_id(self) -> str:
        """The turn; `""` for session events."""

    @property
    def locale(self) -> str:
        """The session's content language."""

    @property
    def plugin_id(self) -> str | None:
        """The package of the runtime concerned; None where no runtime is."""

    @property
    def runtime_id(self) -> str | None:
        """The runtime concerned; None where there is none."""

    @property
    def active_plugin_ids(self) -> Sequence[str]:
        """The session's packages."""

    @property
    def signal(self) -> Signal:
        """The execution's cancellation."""

    def get_own_settings(self) -> Mapping[str, JsonValue]:
        """The hook package's own settings, frozen."""


class GuardContext(TurnContext, Protocol):
    """Context of a guard: that of a function runtime without tools, services and sub-agents."""

    @property
    def player_message(self) -> str:
        """The player's text of this turn; `""` without one."""

    @property
    def session(self) -> Inputs:
        """The players' latest submission."""

    @property
    def plugin_data(self) -> PluginDataWriter:
        """The package's own data; writes are staged."""

    @property
    def exports(self) -> Mapping[str, JsonValue]:
        """The bound exports of earlier executions by slot, in the shapes of `inputs`."""

    @property
    def manual_payload(self) -> JsonValue:
        """What a manual request handed in, else None."""

    @property
    def trigger_event(self) -> TriggerEvent | None:
        """The event that started this run, if one did."""

    @property
    def resume_data(self) -> JsonValue:
        """The player's answer on a resumed run, else None."""

    @property
    def resumed_from_suspension_id(self) -> str | None:
        """The suspension this run continues, if any."""

    @property
    def gateway(self) -> Gateway:
        """Models."""

    @property
    def media(self) -> Media:
        """Storing media."""

    @property
    def images(self) -> Images:
        """Image generation."""

    @property
    def speech(self) -> Speech:
        """Speech and transcription."""

    @property
    def music(self) -> Music:
        """Music."""

    @property
    def http(self) -> Http:
        """HTTP."""

    @property
    def recursive_call(self) -> RecursiveCall:
        """Other runtimes of the same package."""


class FunctionContext(GuardContext, Protocol):
    """Context of a function runtime (spec/manifest.md 12.4)."""

    @property
    def tools(self) -> Tools:
        """Tools the manifest lists."""

    @property
    def services(self) -> Services:
        """Services of other packages."""

    @property
    def agents(self) -> Agents:
        """Sub-agents."""

    @property
    def progress(self) -> Progress:
        """Reports of a background job."""


class Registrar(Protocol):
    """`covel`, the argument of registration hooks: no store and no session."""

    @property
    def plugin_id(self) -> str:
        """The package's ID, its folder's name."""

    @property
    def version(self) -> str | None:
        """The version its manifest states."""

    @property
    def signal(self) -> Signal:
        """Cancelled when loading fails, the generation ends or the host closes."""

    @property
    def http(self) -> Http:
        """HTTP."""

    @property
    def logger(self) -> Logger:
        """The package's log."""

    def on_dispose(self, fn: Dispose) -> None:
        """Adds a clean-up; they run in reverse order when the generation ends."""


__all__ = [
    "ActionContext",
    "ActionStore",
    "Agents",
    "CallContext",
    "Clock",
    "Dispose",
    "ExtensionContext",
    "FormContext",
    "FunctionContext",
    "Gateway",
    "GuardContext",
    "HookContext",
    "Http",
    "Images",
    "Inputs",
    "Logger",
    "Media",
    "Music",
    "PluginDataReader",
    "PluginDataWriter",
    "Progress",
    "RecursiveCall",
    "Registrar",
    "ServiceContext",
    "Services",
    "Signal",
    "Speech",
    "StoreView",
    "ToolContext",
    "Tools",
    "Translations",
    "TurnContext",
    "World",
]
