"""Contexts for calling package code directly, one maker for each kind of function.

Every maker takes the context's own members by name as well: `make_tool_context(turn_id="turn-7")`.
"""

import random as _random
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, cast

from plugin_sdk.capabilities import Inputs
from plugin_sdk.context import (
    ActionContext,
    FormContext,
    FunctionContext,
    GuardContext,
    HookContext,
    ServiceContext,
    ToolContext,
)
from plugin_sdk.records import PlayerInput, SessionView, TurnMessage
from plugin_sdk.testing.clocks import ManualClock
from plugin_sdk.testing.given import Given
from plugin_sdk.testing.members import (
    CalledTools,
    CollectedLog,
    GivenData,
    GivenServices,
    GivenStore,
    OpenSignal,
    Records,
    ReportedProgress,
    WrittenReplies,
)
from plugin_sdk.values import JsonValue


def make_tool_context(
    *,
    data: Records | None = None,
    services: Mapping[str, Any] | None = None,
    session: SessionView | None = None,
    player_inputs: Sequence[PlayerInput] = (),
    messages_of_turns: Sequence[TurnMessage] = (),
    settings: Mapping[str, JsonValue] | None = None,
    seed: int = 0,
    **members: Any,
) -> ToolContext:
    """The context of a tool call; `data` are the package's records, `seed` that of `random`."""
    store = GivenStore(
        data or {}, session=session, player_inputs=player_inputs, messages=messages_of_turns
    )
    given = {
        **_turn_members(seed, settings),
        "store": store,
        "pending_proposals": (),
        "upstream_proposals": (),
        "emitted_event_topics": (),
        **_answering(services=services),
    }
    return cast(ToolContext, _made(ToolContext, "make_tool_context", given, members))


def make_action_context(
    *,
    data: Records | None = None,
    session: SessionView | None = None,
    seed: int = 0,
    **members: Any,
) -> ActionContext:
    """The context of an RPC action; what it writes stands in `ctx.store.data` at once."""
    given = {
        **_call_members(seed),
        "action": "test",
        "runtime_id": None,
        "command": None,
        "environment": {},
        "store": GivenStore(data or {}, session=session),
    }
    return cast(ActionContext, _made(ActionContext, "make_action_context", given, members))


def make_guard_context(
    *,
    data: Records | None = None,
    replies: Sequence[str | Exception] | None = None,
    settings: Mapping[str, JsonValue] | None = None,
    message: str = "",
    payload: JsonValue = None,
    player_input: PlayerInput | None = None,
    seed: int = 0,
    **members: Any,
) -> GuardContext:
    """The context of a guard; `message` is the player's, `replies` are those of `ctx.gateway`."""
    given = _run_members(data, replies, settings, message, payload, player_input, seed)
    return cast(GuardContext, _made(GuardContext, "make_guard_context", given, members))


def make_function_context(
    *,
    data: Records | None = None,
    replies: Sequence[str | Exception] | None = None,
    settings: Mapping[str, JsonValue] | None = None,
    message: str = "",
    payload: JsonValue = None,
    player_input: PlayerInput | None = None,
    tools: Mapping[str, Any] | None = None,
    services: Mapping[str, Any] | None = None,
    seed: int = 0,
    **members: Any,
) -> FunctionContext:
    """The context of a handler; `tools` and `services` are answers by name and by contract."""
    given = {
        **_run_members(data, replies, settings, message, payload, player_input, seed),
        "progress": ReportedProgress(),
        **_answering(services=services, tools=tools),
    }
    return cast(FunctionContext, _made(FunctionContext, "make_function_context", given, members))


def make_service_context(
    *,
    data: Records | None = None,
    services: Mapping[str, Any] | None = None,
    seed: int = 0,
    **members: Any,
) -> ServiceContext:
    """The context of a service; `data` are the provider's own records."""
    given = {
        **_call_members(seed),
        "caller_plugin_id": "caller",
        "plugin_data": GivenData(GivenStore(data or {})),
        **_answering(services=services),
    }
    # Services know nothing of the session that calls them.
    del given["session_id"]
    return cast(ServiceContext, _made(ServiceContext, "make_service_context", given, members))


def make_form_context(locale: str = "en", messages: Mapping[str, str] | None = None) -> FormContext:
    """The context of a form validator."""
    given = {"locale": locale, "messages": dict(messages or {})}
    return cast(FormContext, _made(FormContext, "make_form_context", given, {}))


def make_hook_context(
    event: str, *, settings: Mapping[str, JsonValue] | None = None, **members: Any
) -> HookContext:
    """The context of a life-cycle hook of that event."""
    given = {
        "event": event,
        "session_id": "session-test",
        "turn_id": "turn-test",
        "locale": "en",
        "plugin_id": None,
        "runtime_id": None,
        "active_plugin_ids": ("test-plugin",),
        "signal": OpenSignal(),
        "get_own_settings": lambda: dict(settings or {}),
    }
    return cast(HookContext, _made(HookContext, "make_hook_context", given, members))


def _made(kind: type, maker: str, given: dict[str, Any], members: dict[str, Any]) -> Given:
    """A context of that kind.

    Raises:
        TypeError: one of `members` is none of its kind.
    """
    for name in members:
        if not hasattr(kind, name):
            near = get_close_matches(name, dir(kind), 1)
            meant = f" Did you mean {near[0]!r}?" if near else ""
            raise TypeError(f"{maker}() takes no {name!r}: {kind.__name__} has none.{meant}")
    return Given("ctx", maker, {**given, **members}, kind)


def _call_members(seed: int) -> dict[str, Any]:
    return {
        "locale": "en",
        "messages": {},
        "translations": {},
        "plugin_id": "test-plugin",
        "session_id": "session-test",
        "signal": OpenSignal(),
        "random": _random.Random(seed),
        "clock": ManualClock(),
        "logger": CollectedLog(),
    }


def _turn_members(seed: int, settings: Mapping[str, JsonValue] | None) -> dict[str, Any]:
    return {
        **_call_members(seed),
        "turn_id": "turn-test",
        "runtime_id": "test-plugin",
        "logical_turn": 1,
        "turn_number": 1,
        "inputs": {},
        "user_settings": dict(settings or {}),
    }


def _run_members(
    data: Records | None,
    replies: Sequence[str | Exception] | None,
    settings: Mapping[str, JsonValue] | None,
    message: str,
    payload: JsonValue,
    player_input: PlayerInput | None,
    seed: int,
) -> dict[str, Any]:
    store = GivenStore(data or {})
    given = {
        **_turn_members(seed, settings),
        "store": store,
        "plugin_data": GivenData(store),
        "player_message": message,
        "session": Given(
            "ctx.session", "make_function_context", {"last_player_input": player_input}, Inputs
        ),
        "exports": {},
        "manual_payload": payload,
        "trigger_event": None,
        "resume_data": None,
        "resumed_from_suspension_id": None,
    }
    return given if replies is None else {**given, "gateway": WrittenReplies(replies)}


def _answering(
    *,
    services: Mapping[str, Any] | None = None,
    tools: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The members that were given as answers; an object of the test's own is taken as it is."""
    answering: dict[str, Any] = {}
    if services is not None:
        is_named = isinstance(services, Mapping)
        answering["services"] = GivenServices(services) if is_named else services
    if tools is not None:
        answering["tools"] = CalledTools(tools) if isinstance(tools, Mapping) else tools
    return answering
