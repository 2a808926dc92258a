"""`plugin_sdk.testing`: contexts that have what a test gives them, and fail for the rest."""

import inspect
import subprocess
import sys
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from plugin_sdk import context as contexts
from plugin_sdk import testing
from plugin_sdk.errors import ToolError
from plugin_sdk.testing import (
    CalledTools,
    GivenServices,
    GivenWorld,
    ManualClock,
    NotGiven,
    WrittenReplies,
    call,
    error_reply,
    make_action_context,
    make_form_context,
    make_function_context,
    make_guard_context,
    make_hook_context,
    make_service_context,
    make_tool_context,
    reply,
    resolved,
)

MAKERS: dict[type[Any], Any] = {
    contexts.ToolContext: make_tool_context,
    contexts.ActionContext: make_action_context,
    contexts.GuardContext: make_guard_context,
    contexts.FunctionContext: make_function_context,
    contexts.ServiceContext: make_service_context,
    contexts.FormContext: make_form_context,
    contexts.HookContext: lambda: make_hook_context("TurnStart"),
}


def members(protocol: type[Any]) -> set[str]:
    return {name for name, _ in inspect.getmembers(protocol) if not name.startswith("_")}


@pytest.mark.parametrize("protocol", MAKERS, ids=lambda protocol: protocol.__name__)
def test_a_context_gives_members_of_its_protocol_and_no_others(protocol: type[Any]) -> None:
    made = MAKERS[protocol]()
    given = {name for name in vars(made) if not name.startswith("_")}
    assert given <= members(protocol)
    for name in members(protocol) - given:
        with pytest.raises(NotGiven, match=rf"ctx\.{name} was read, and the test gives none: "):
            getattr(made, name)


@pytest.mark.parametrize("protocol", MAKERS, ids=lambda protocol: protocol.__name__)
def test_no_test_has_a_member_that_the_host_has_not(protocol: type[Any]) -> None:
    with pytest.raises((NotGiven, AttributeError)):
        _ = MAKERS[protocol]().no_such_member


def test_every_member_of_a_context_can_be_given() -> None:
    for protocol, maker in MAKERS.items():
        if protocol in (contexts.FormContext, contexts.HookContext):
            continue
        for name in members(protocol):
            assert getattr(maker(**{name: "given"}), name) == "given"


@pytest.mark.parametrize("protocol", [kind for kind in MAKERS if kind is not contexts.FormContext])
def test_a_member_that_a_context_has_not_is_refused(protocol: type[Any]) -> None:
    is_hook = protocol is contexts.HookContext
    maker = partial(make_hook_context, "PreToolUse") if is_hook else MAKERS[protocol]
    told = f"takes no 'signall': {protocol.__name__} has none.*'signal'"
    with pytest.raises(TypeError, match=told):
        maker(signall=1)


def test_what_a_context_never_has_is_missing_as_in_a_host() -> None:
    with pytest.raises(AttributeError, match="ToolContext has no 'gateway'"):
        _ = make_tool_context().gateway  # type: ignore[attr-defined]


def test_the_kit_needs_no_host() -> None:
    script = "import sys, plugin_sdk.testing; assert 'covel_host' not in sys.modules"
    subprocess.run([sys.executable, "-c", script], check=True)


def test_everything_public_has_a_name() -> None:
    assert sorted(testing.__all__) == testing.__all__
    assert all(hasattr(testing, name) for name in testing.__all__)


def test_records_are_read_in_order_and_as_copies() -> None:
    ctx = make_tool_context(data={"notes": {"b": {"n": 2}, "a": {"n": 1}}})
    rows = resolved(ctx.store.list_plugin_data("notes"))
    assert [(row.key, row.value) for row in rows] == [("a", {"n": 1}), ("b", {"n": 2})]
    rows[0].value["n"] = 9
    assert resolved(ctx.store.get_plugin_data("notes", "a")) == {"n": 1}
    assert resolved(ctx.store.get_plugin_data("notes", "c")) is None
    page = resolved(ctx.store.list_plugin_data("notes", after="a", limit=1))
    assert [row.key for row in page] == ["b"]


def test_a_namespace_that_was_not_given_fails() -> None:
    ctx = make_tool_context(data={"notes": {}})
    assert resolved(ctx.store.list_plugin_data("notes")) == []
    with pytest.raises(NotGiven, match="'tones'"):
        resolved(ctx.store.get_plugin_data("tones", "a"))
    with pytest.raises(NotGiven, match="SessionView"):
        resolved(ctx.store.get_session())


def test_writes_of_a_function_are_read_by_it() -> None:
    ctx = make_function_context(data={"notes": {"a": {"n": 1, "tags": ["x"]}}})

    async def work() -> Any:
        data = ctx.plugin_data
        await data.set("notes", "b", {"n": 2})
        await data.delete("notes", "b")
        await data.set("other", "c", 3)
        ops = [{"op": "merge", "value": {"n": 5}}]
        return await data.update("notes", "a", ops)

    assert resolved(work()) == {"n": 5, "tags": ["x"]}
    assert ctx.store.data == {"notes": {"a": {"n": 5, "tags": ["x"]}}, "other": {"c": 3}}


def test_actions_write_at_once() -> None:
    ctx = make_action_context()
    resolved(ctx.store.set_plugin_data("notes", "a", 1))
    resolved(ctx.store.set_plugin_data("notes", "a", None))
    assert ctx.store.data == {"notes": {}}


def test_answers_of_tools_and_services_are_values_errors_or_functions() -> None:
    tools = CalledTools(
        {"add": lambda given: given["a"] + 1, "one": 1, "no": ToolError("conflict", "No.")}
    )
    ctx = make_function_context(tools={})
    assert resolved(tools.call("add", {"a": 2})) == 3
    assert resolved(tools.call("one", {})) == 1
    with pytest.raises(ToolError, match="No"):
        resolved(tools.call("no", {}))
    with pytest.raises(NotGiven, match="'two'"):
        resolved(ctx.tools.call("two", {}))
    assert tools.calls == [("add", {"a": 2}), ("one", {}), ("no", {})]
    services = GivenServices({"a.b@1": {"n": 1}})
    assert resolved(services.call("a.b@1")) == {"n": 1}
    assert resolved(services.discover("a.b@1")) == ["a.b@1"]
    assert resolved(services.discover("b.c@1")) == []
    with pytest.raises(ToolError, match=r"b\.c@1"):
        resolved(services.call("b.c@1", {}))


def test_nothing_is_discovered_unless_it_was_given() -> None:
    with pytest.raises(NotGiven, match="services"):
        _ = make_function_context().services


def test_replies_of_the_gateway_are_used_in_order() -> None:
    ctx = make_function_context(replies=["one", ToolError("unavailable", "Gone.")])
    assert resolved(ctx.gateway.generate_text("Say one.")).text == "one"
    with pytest.raises(ToolError, match="Gone"):
        resolved(ctx.gateway.generate_text("Say two."))
    with pytest.raises(NotGiven, match="once more"):
        resolved(ctx.gateway.generate_text("Say three."))
    assert ctx.gateway.prompts == ["Say one.", "Say two.", "Say three."]
    assert WrittenReplies([]).prompts == []


def test_chance_and_time_are_those_of_the_test() -> None:
    first, second = make_tool_context(seed=4), make_tool_context(seed=4)
    assert first.random.random() == second.random.random()
    start = first.clock.now()
    first.clock.advance(90)
    assert first.clock.now() - start == timedelta(seconds=90)
    with pytest.raises(ValueError, match="go back"):
        ManualClock().advance(-1)


def test_what_is_logged_and_reported_is_kept() -> None:
    ctx = make_function_context()
    ctx.logger.warning("Low.", left=1)
    resolved(ctx.progress.report("half"))
    assert ctx.logger.entries == [("warning", "Low.")]
    assert ctx.progress.reports == ["half"]


def test_a_world_is_what_was_given() -> None:
    world = GivenWorld(characters=[{"id": "ada"}])
    ctx = make_tool_context(world=world)
    assert ctx.world.characters == ({"id": "ada"},)
    assert ctx.world.dimensions == {}


def test_waiting_for_a_signal_that_never_comes_fails() -> None:
    with pytest.raises(NotGiven, match="wait for ever"):
        resolved(make_tool_context().signal.wait())


def test_replies_are_written_as_in_scripts() -> None:
    assert reply("Hi.") == {"text": "Hi.", "calls": []}
    assert reply(None, call("roll", sides=6)) == {
        "calls": [{"name": "roll", "arguments": {"sides": 6}}]
    }
    assert call("roll", '{"sides": 6')["arguments"] == '{"sides": 6'
    assert error_reply(429) == {"error": {"status": 429}}
