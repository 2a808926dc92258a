"""`ctx.tools.call`: whose tools, one after another, and what a failed call does to the run."""

import asyncio
from typing import Any

import pytest

from covel_host.runtime.result import RuntimeResult
from covel_host.tools.builtin.installed import BUILTIN_TOOLS
from plugin_sdk import failed, skipped, tool, with_pending_proposals
from plugin_sdk.context import ToolContext
from plugin_sdk.errors import ToolError
from plugin_sdk.proposals import PluginData
from tests.runtime.conftest import BenchMaker
from tests.support.runs import RunBench, function_manifest

running: list[str] = []


@tool(name="save")
async def save(n: int) -> object:
    """Save."""
    running.append(f"begin {n}")
    await asyncio.sleep(0)
    running.append(f"end {n}")
    return with_pending_proposals(
        {"id": f"n{n}", "at": "2026-01-01T00:00:00Z", "n": n},
        [PluginData(namespace="notes", key="n", value=n)],
    )


@tool(name="look", read_only=True)
async def look(ctx: ToolContext) -> object:
    """Look."""
    return await ctx.store.get_plugin_data("notes", "n")


@tool(name="deny")
async def deny() -> object:
    """Deny."""
    raise ToolError("refused", "Not now.", hint="Later.")


@tool(name="crash")
async def crash() -> object:
    """Crash."""
    raise ValueError("broken")


@tool(name="peek-hidden", read_only=True)
async def peek_hidden(ctx: ToolContext) -> object:
    """Peek."""
    return await ctx.store.get_plugin_data("_hidden.notes", "a")


@tool(name="facts", read_only=True)
async def facts(ctx: ToolContext) -> object:
    """Facts."""
    return [ctx.logical_turn, ctx.inputs, len(ctx.upstream_proposals), len(ctx.pending_proposals)]


TOOLS = (save, look, deny, crash, peek_hidden, facts)
DECLARED = [one.name for one in TOOLS]


def made(bench: BenchMaker, *, builtins: Any = BUILTIN_TOOLS, **tools: Any) -> RunBench:
    tools.setdefault("plugin", DECLARED)
    manifest = function_manifest(function={"tools": tools})
    return bench(manifest=manifest, tools=TOOLS, builtins=builtins)


def code_of(result: RuntimeResult) -> str | None:
    return None if result.failure is None else result.failure.code


@pytest.fixture(autouse=True)
def nothing_running() -> None:
    running.clear()


def test_code_gets_the_whole_content_of_its_own(bench: BenchMaker) -> None:
    async def handle(ctx: Any) -> object:
        content = await ctx.tools.call("save", {"n": 1})
        kept = dict(content)
        content["n"] = 99
        return kept

    result = made(bench).play(handler=handle)
    assert result.value == {"id": "n1", "at": "2026-01-01T00:00:00Z", "n": 1}
    assert [call.content for call in result.tool_calls] == [result.value]
    assert [call.status for call in result.tool_calls] == ["completed"]
    assert [proposal.type for proposal in result.proposals] == ["plugin.data"]


def test_calls_go_the_way_of_a_models_calls(bench: BenchMaker) -> None:
    async def handle(ctx: Any) -> object:
        return await ctx.tools.call("save", {"n": 1})

    one = made(bench)
    result = one.play(handler=handle)
    assert "tool.calling" in one.trace_types
    assert "tool.completed" in one.trace_types
    [call] = result.tool_calls
    assert (call.request.call_id, call.source, call.arguments) == ("call-1", "local", {"n": 1})


def test_calls_asked_for_at_once_run_in_their_order_and_see_what_was_staged(
    bench: BenchMaker,
) -> None:
    async def handle(ctx: Any) -> object:
        return await asyncio.gather(
            ctx.tools.call("save", {"n": 1}),
            ctx.tools.call("look", {}),
            ctx.tools.call("save", {"n": 2}),
            ctx.tools.call("look", {}),
        )

    result = made(bench).play(handler=handle)
    assert isinstance(result.value, list)
    assert [result.value[1], result.value[3]] == [1, 2]
    assert running == ["begin 1", "end 1", "begin 2", "end 2"]
    assert [call.request.name for call in result.tool_calls] == ["save", "look"] * 2


def test_the_handlers_own_writes_show_in_tools_and_the_other_way_round(bench: BenchMaker) -> None:
    async def handle(ctx: Any) -> object:
        await ctx.plugin_data.set("notes", "n", 7)
        seen = await ctx.tools.call("look", {})
        await ctx.tools.call("save", {"n": 8})
        return [seen, await ctx.plugin_data.get("notes", "n")]

    assert made(bench).play(handler=handle).value == [7, 8]


def test_a_call_that_was_not_awaited_belongs_to_the_run(bench: BenchMaker) -> None:
    async def handle(ctx: Any) -> object:
        handle.task = asyncio.ensure_future(ctx.tools.call("save", {"n": 1}))  # type: ignore[attr-defined]
        await asyncio.sleep(0)
        return None

    result = made(bench).play(handler=handle)
    assert (result.status, len(result.tool_calls), len(result.proposals)) == ("success", 1, 1)


# --- failures --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "arguments", "code", "counts"),
    [
        ("crash", {}, "internal", True),
        ("save", {"n": "x"}, "invalid-input", True),
        ("deny", {}, "refused", False),
        ("unknown", {}, "unavailable", True),
    ],
)
def test_a_failed_call_fails_the_run_even_when_caught(
    bench: BenchMaker, name: str, arguments: Any, code: str, counts: bool
) -> None:
    seen: list[str] = []

    async def handle(ctx: Any) -> object:
        await ctx.plugin_data.set("notes", "a", 1)
        try:
            await ctx.tools.call(name, arguments)
        except ToolError as error:
            seen.append(error.code)
        return await ctx.tools.call("save", {"n": 2})

    result = made(bench).play(handler=handle)
    assert seen == [code]
    assert result.failure is not None
    assert result.failure.code == "tool-call-failed"
    assert f"{name!r} failed ({code})" in result.failure.message
    assert result.failure.counts_as_error is counts
    assert result.proposals == ()
    assert [call.status for call in result.tool_calls] == ["failed", "completed"]


def test_an_unexpected_error_of_a_tool_names_the_tool(bench: BenchMaker) -> None:
    async def handle(ctx: Any) -> object:
        return await ctx.tools.call("crash", {})

    result = made(bench).play(handler=handle)
    assert result.failure is not None
    assert result.failure.code == "internal"
    assert result.failure.message.startswith('Tool "crash" failed: ')


def test_a_failed_call_fails_a_skipped_run_as_well(bench: BenchMaker) -> None:
    async def handle(ctx: Any) -> object:
        try:
            await ctx.tools.call("deny", {})
        except ToolError:
            return skipped("Not today.")
        return None

    assert code_of(made(bench).play(handler=handle)) == "tool-call-failed"


@pytest.mark.parametrize("way", ["raised", "told"])
def test_an_error_that_is_passed_on_keeps_its_words(bench: BenchMaker, way: str) -> None:
    async def handle(ctx: Any) -> object:
        try:
            return await ctx.tools.call("deny", {})
        except ToolError as error:
            if way == "raised":
                raise
            return failed(error)

    failure = made(bench).play(handler=handle).failure
    assert failure is not None
    assert (failure.code, failure.message, failure.hint) == ("refused", "Not now.", "Later.")
    assert not failure.counts_as_error


class Circle(dict[str, Any]):
    pass


@pytest.mark.parametrize("arguments", [{"n": object()}, {"n": float("nan")}, {1: 2}, "circle"])
def test_arguments_that_are_no_json_are_invalid_input(bench: BenchMaker, arguments: Any) -> None:
    if arguments == "circle":
        arguments = {}
        arguments["n"] = arguments

    async def handle(ctx: Any) -> object:
        try:
            await ctx.tools.call("save", arguments)
        except ToolError as error:
            handle.code = error.code  # type: ignore[attr-defined]
        return None

    result = made(bench).play(handler=handle)
    assert handle.code == "invalid-input"  # type: ignore[attr-defined]
    assert code_of(result) == "tool-call-failed"
    [call] = result.tool_calls
    assert (call.status, call.request.name, running) == ("failed", "save", [])


def test_arguments_that_are_no_object_are_invalid_input(bench: BenchMaker) -> None:
    async def handle(ctx: Any) -> object:
        return await ctx.tools.call("save", [1])

    assert code_of(made(bench).play(handler=handle)) == "invalid-input"


def test_a_call_given_up_while_it_waited_fails_the_run(bench: BenchMaker) -> None:
    async def handle(ctx: Any) -> object:
        first = asyncio.ensure_future(ctx.tools.call("save", {"n": 1}))
        second = asyncio.ensure_future(ctx.tools.call("save", {"n": 2}))
        await asyncio.sleep(0)
        second.cancel()
        await first
        return None

    result = made(bench).play(handler=handle)
    assert code_of(result) == "tool-call-failed"
    assert [call.status for call in result.tool_calls] == ["completed", "skipped"]


# --- which tools -----------------------------------------------------------------------------


def test_only_listed_tools_are_there(bench: BenchMaker) -> None:
    async def handle(ctx: Any) -> object:
        return await ctx.tools.call("save", {"n": 1})

    assert code_of(made(bench, plugin=["look"]).play(handler=handle)) == "unavailable"


def test_a_listed_tool_that_is_not_registered_fails_the_run_before_its_handler(
    bench: BenchMaker,
) -> None:
    called: list[int] = []
    one = bench(manifest=function_manifest(function={"tools": {"plugin": ["gone"]}}))
    assert code_of(one.play(handler=called.append)) == "tool-not-registered"
    assert called == []


def test_a_builtin_that_this_host_lacks_is_left_out_with_a_warning(bench: BenchMaker) -> None:
    async def handle(ctx: Any) -> object:
        return await ctx.tools.call("create-form", {})

    result = made(bench, builtin=["create-form"], builtins={}).play(handler=handle)
    assert (code_of(result), len(result.warnings)) == ("unavailable", 1)
    assert "create-form" in result.warnings[0]


def test_code_does_not_delegate_but_has_agents(bench: BenchMaker) -> None:
    async def handle(ctx: Any) -> object:
        return await ctx.tools.call("delegate", {"target": {"contract": "a@1"}, "brief": "b"})

    result = made(bench, builtin=["delegate"]).play(handler=handle)
    assert code_of(result) == "unavailable"
    assert result.failure is not None
    assert "ctx.agents.run" in str(result.failure.hint)


def test_a_closed_executor_answers_unavailable(bench: BenchMaker) -> None:
    one = made(bench)

    async def handle(ctx: Any) -> object:
        await one.executor.close()
        return await ctx.tools.call("save", {"n": 1})

    assert code_of(one.play(handler=handle)) == "unavailable"


def test_a_called_tool_cannot_reach_hidden_data(bench: BenchMaker) -> None:
    async def handle(ctx: Any) -> object:
        await ctx.plugin_data.set("_hidden.notes", "a", 1)
        return [
            await ctx.plugin_data.get("_hidden.notes", "a"),
            await ctx.tools.call("peek-hidden", {}),
        ]

    result = made(bench).play(handler=handle, data_namespaces=frozenset({"notes"}))
    assert result.value == [1, None]


def test_a_call_knows_its_run(bench: BenchMaker) -> None:
    async def handle(ctx: Any) -> object:
        await ctx.plugin_data.set("notes", "n", 7)
        return await ctx.tools.call("facts", {})

    assert made(bench).play(handler=handle, logical_turn=8).value == [8, {}, 0, 1]


def test_the_handle_is_dead_after_the_run(bench: BenchMaker) -> None:
    kept: list[Any] = []

    async def handle(ctx: Any) -> object:
        kept.append(ctx.tools)
        return None

    async def main() -> str:
        await one.made(handler=handle).result()
        try:
            await kept[0].call("save", {"n": 1})
        except ToolError as error:
            return error.code
        return "none"

    one = made(bench)
    assert asyncio.run(main()) == "unavailable"
    assert running == []
