"""`ctx.recursive_call`: who may be called, how deep, and whose unit the writes belong to."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from covel_host.runtime.result import RuntimeResult
from covel_host.runtime.runs import new_run
from plugin_sdk.errors import ToolError
from plugin_sdk.outcomes import failed, skipped, success
from tests.runtime.conftest import BenchMaker
from tests.support.nested import BenchNested, Handler, write_runtimes
from tests.support.runs import RunBench

FUNCTION = {"type": "function", "function": {"handler": "./server/handler.py"}}


def nested_of(bench: RunBench, tmp_path: Path, **handlers: Handler) -> BenchNested:
    names = ["inner", "other"]
    code = {name: f"demo/{name}" for name in names}
    generation = write_runtimes(tmp_path / "packages" / "demo", dict.fromkeys(names, FUNCTION))
    by_id = {code[name]: handler for name, handler in handlers.items()}
    return BenchNested(bench, generation, handlers=by_id)


def play(bench: RunBench, nested: BenchNested, handler: Handler, **facts: Any) -> RuntimeResult:
    async def main() -> RuntimeResult:
        run = bench.run(handler=handler, **facts)
        try:
            return await new_run(run, nested.ports).result()
        finally:
            assert await bench.executor.close() == ()
            assert await bench.tasks.close() == ()

    return asyncio.run(main())


async def outer(ctx: Any) -> object:
    return await ctx.recursive_call("demo/inner", payload={"n": 2})


def types(bench: RunBench) -> list[str]:
    return [event.type for event in bench.log.events if event.type.startswith("recursive.")]


def test_the_value_comes_back_and_the_writes_join_the_callers(
    bench: BenchMaker, tmp_path: Path
) -> None:
    async def inner(ctx: Any) -> object:
        await ctx.plugin_data.set("notes", "a", ctx.manual_payload["n"])
        return success({"n": ctx.manual_payload["n"] * 2})

    async def handle(ctx: Any) -> object:
        value = await ctx.recursive_call("demo/inner", payload={"n": 2})
        return [value, await ctx.plugin_data.get("notes", "a")]

    made = bench()
    nested = nested_of(made, tmp_path, inner=inner)
    result = play(made, nested, handle)
    assert result.value == [{"n": 4}, 2]
    assert [one.run_id for one in result.proposals] == ["run-2"]
    assert nested.results[0].nested == "recursive"
    assert types(made) == ["recursive.calling", "recursive.completed"]


def test_it_sees_what_its_caller_has_staged(bench: BenchMaker, tmp_path: Path) -> None:
    async def inner(ctx: Any) -> object:
        return await ctx.plugin_data.get("notes", "a")

    async def handle(ctx: Any) -> object:
        await ctx.plugin_data.set("notes", "a", 7)
        return await ctx.recursive_call("demo/inner")

    made = bench()
    assert play(made, nested_of(made, tmp_path, inner=inner), handle).value == 7


def test_a_failure_takes_its_writes_with_it_and_can_be_caught(
    bench: BenchMaker, tmp_path: Path
) -> None:
    async def inner(ctx: Any) -> object:
        await ctx.plugin_data.set("notes", "a", 1)
        return failed("Not today.")

    async def handle(ctx: Any) -> object:
        try:
            return await ctx.recursive_call("demo/inner")
        except ToolError as error:
            return [error.code, await ctx.plugin_data.get("notes", "a")]

    made = bench()
    result = play(made, nested_of(made, tmp_path, inner=inner), handle)
    assert result.value == ["internal", None]
    assert result.proposals == ()
    assert types(made) == ["recursive.calling", "recursive.failed"]


def test_a_run_that_chose_to_skip_gives_nothing(bench: BenchMaker, tmp_path: Path) -> None:
    async def inner(ctx: Any) -> object:
        return skipped("Nothing to do.")

    made = bench()
    result = play(made, nested_of(made, tmp_path, inner=inner), outer)
    assert (result.status, result.value) == ("success", None)


def test_depth_has_a_limit(bench: BenchMaker, tmp_path: Path) -> None:
    async def again(ctx: Any) -> object:
        return await ctx.recursive_call("demo/inner")

    made = bench()
    nested = nested_of(made, tmp_path, inner=again)
    result = play(made, nested, outer)
    assert result.failure is not None
    assert result.failure.code == "unavailable"
    assert "allows 10" in result.failure.message
    assert len(nested.runs) == 10


@pytest.mark.parametrize("runtime_id", ["demo/gone", "other/inner", "inner"])
def test_only_runtimes_of_the_own_package_are_found(
    bench: BenchMaker, tmp_path: Path, runtime_id: str
) -> None:
    async def handle(ctx: Any) -> None:
        await ctx.recursive_call(runtime_id)

    made = bench()
    result = play(made, nested_of(made, tmp_path), handle)
    assert result.failure is not None
    assert result.failure.code == "not-found"


def test_a_guard_has_it_too(bench: BenchMaker, tmp_path: Path) -> None:
    async def inner(ctx: Any) -> object:
        return True

    async def guard(ctx: Any) -> None:
        assert await ctx.recursive_call("demo/inner") is True

    async def handle(ctx: Any) -> object:
        return "ran"

    made = bench()
    nested = nested_of(made, tmp_path, inner=inner)
    assert play(made, nested, handle, guard=guard).value == "ran"


def test_a_call_ends_with_its_caller(bench: BenchMaker, tmp_path: Path) -> None:
    kept: list[Any] = []

    async def handle(ctx: Any) -> object:
        kept.append(ctx.recursive_call)
        return None

    made = bench()
    play(made, nested_of(made, tmp_path), handle)
    with pytest.raises(ToolError, match="has ended"):
        asyncio.run(kept[0]("demo/inner"))


def test_a_cancelled_caller_cancels_it(bench: BenchMaker, tmp_path: Path) -> None:
    seen: list[bool] = []

    async def inner(ctx: Any) -> object:
        made.signal.cancel("test")
        await ctx.signal.wait()
        seen.append(ctx.signal.cancelled)
        return None

    made = bench()
    play(made, nested_of(made, tmp_path, inner=inner), outer)
    assert seen == [True]
