"""Hook marks, hook answers, and the facts of each life-cycle hook."""

import dataclasses
import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

import pluggy
import pytest

from plugin_sdk import (
    DefinitionError,
    HookContext,
    HookResult,
    Tool,
    ToolCall,
    abort,
    hookimpl,
    hookspecs,
    proceed,
    tool,
)
from plugin_sdk.hook_events import HOOK_EVENTS
from plugin_sdk.hooks import HookOptions, hook_options
from plugin_sdk.names import LIFE_CYCLE_HOOKS, PACKAGE_HOOKS, REGISTRATION_HOOKS


@tool
def ring_bell() -> None:
    """Ring."""


def _only_bells(call: ToolCall) -> bool:
    return call.name == "ring-bell"


class Entry:
    """Stands for an entry module: pluggy takes any object."""

    @staticmethod
    @hookimpl
    def register_tools() -> list[Tool[..., Any]]:
        return [ring_bell]

    @staticmethod
    @hookimpl
    def on_load(covel: Any) -> None:
        covel.append("loaded")

    @staticmethod
    @hookimpl(order="pre", match=_only_bells, timeout_ms=2000)
    async def pre_tool_use(ctx: HookContext, call: ToolCall) -> HookResult | None:
        return abort("too loud")

    @staticmethod
    @hookimpl(event="pre_tool_use")
    async def second_look(ctx: HookContext, call: ToolCall) -> HookResult | None:
        return None


def _manager() -> pluggy.PluginManager:
    manager = pluggy.PluginManager("covel")
    manager.add_hookspecs(hookspecs)
    manager.register(Entry())
    return manager


def test_registration_hooks_are_called_through_pluggy_with_or_without_the_argument() -> None:
    manager = _manager()
    seen: list[str] = []
    assert manager.hook.register_tools(covel=seen) == [[ring_bell]]
    manager.hook.on_load(covel=seen)
    assert seen == ["loaded"]


def test_life_cycle_hooks_are_collected_by_event_with_their_options() -> None:
    found = _manager().hook.pre_tool_use.get_hookimpls()
    options = {one.function.__name__: hook_options(one.function) for one in found}
    assert options == {
        "pre_tool_use": HookOptions(order="pre", match=_only_bells, timeout_ms=2000),
        "second_look": HookOptions(event="pre_tool_use"),
    }
    assert not any(one.hookwrapper or one.wrapper or one.tryfirst for one in found)


def test_a_marked_function_stays_itself() -> None:
    def turn_stop(ctx: HookContext) -> None: ...

    assert hookimpl(turn_stop) is turn_stop
    assert hookimpl(order="post")(turn_stop) is turn_stop
    assert hook_options(turn_stop) == HookOptions(order="post")
    assert hook_options(_only_bells) is None


def test_only_the_four_options_exist() -> None:
    parameters = inspect.signature(hookimpl).parameters
    assert list(parameters) == ["function", "order", "match", "timeout_ms", "event"]


def _life_cycle() -> None: ...


def _registration() -> None: ...


_life_cycle.__name__ = "turn_stop"
_registration.__name__ = "register_tools"


@pytest.mark.parametrize(
    ("function", "options", "said"),
    [
        (_life_cycle, {"order": "first"}, "Hook \"turn_stop\": order is 'first'"),
        (_life_cycle, {"timeout_ms": 0}, "timeout_ms is 0"),
        (_life_cycle, {"timeout_ms": True}, "timeout_ms is True"),
        (_life_cycle, {"match": "x"}, "match must be a function"),
        (_registration, {"order": "pre"}, 'Hook "register_tools": order, match, timeout_ms'),
        (_registration, {"event": "turn_stop"}, "belong to life-cycle hooks"),
    ],
)
def test_options_no_hook_can_have_are_refused(
    function: Callable[[], None], options: dict[str, Any], said: str
) -> None:
    with pytest.raises(DefinitionError) as caught:
        hookimpl(**options)(function)
    assert said in str(caught.value)


@pytest.mark.parametrize("marked", [type("Moss", (), {}), partial(_life_cycle), print, "turn_stop"])
def test_only_functions_are_marked(marked: Any) -> None:
    with pytest.raises(DefinitionError, match="hookimpl marks functions written with def, not"):
        hookimpl(marked)


def test_answers_say_continue_or_abort() -> None:
    assert proceed() == HookResult(action="continue")
    assert proceed(replace={"name": "x"}) == HookResult(action="continue", replace={"name": "x"})
    assert abort("no") == HookResult(action="abort", reason="no")


def test_specifications_cover_registration_and_package_hooks_with_one_argument() -> None:
    specified = {
        name: list(inspect.signature(value).parameters)
        for name, value in vars(hookspecs).items()
        if hasattr(value, "covel_spec")
    }
    assert specified == {name: ["covel"] for name in (*REGISTRATION_HOOKS, *PACKAGE_HOOKS)}


def test_every_life_cycle_hook_has_its_facts() -> None:
    assert list(HOOK_EVENTS) == list(LIFE_CYCLE_HOOKS)
    assert {one.event for one in HOOK_EVENTS.values()} == set(LIFE_CYCLE_HOOKS.values())
    assert len({one.payload for one in HOOK_EVENTS.values()}) == 16


def test_guard_and_parallel_events_are_those_of_the_table() -> None:
    assert {name for name, one in HOOK_EVENTS.items() if one.is_guard} == {
        "turn_start",
        "pre_compaction",
        "pre_runtime",
        "pre_tool_use",
        "pre_state_commit",
    }
    assert {name for name, one in HOOK_EVENTS.items() if one.mode == "parallel"} == {
        "session_start",
        "post_compaction",
        "post_state_commit",
        "turn_stop",
        "session_end",
    }
    assert not any(one.replaceable for one in HOOK_EVENTS.values() if one.mode == "parallel")


EFFECT_ONLY = {"correction", "terminate", "payload"}


@pytest.mark.parametrize("name", LIFE_CYCLE_HOOKS)
def test_what_may_be_replaced_is_in_the_payload_or_an_effect_of_its_own(name: str) -> None:
    event = HOOK_EVENTS[name]
    assert dataclasses.is_dataclass(event.payload)
    members = {field.name for field in dataclasses.fields(event.payload)}
    assert event.replaceable - EFFECT_ONLY <= members
