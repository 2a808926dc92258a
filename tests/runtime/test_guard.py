"""Guards: asked before their runtime, with a context of their own."""

import asyncio
from typing import Any

import pytest

from covel_host.runtime.result import RunFailure, RuntimeResult
from plugin_sdk import skip
from plugin_sdk.errors import ToolError
from tests.runtime.conftest import BenchMaker
from tests.support.replies import say
from tests.support.runs import FUNCTION, RunBench

AGENT = {
    **FUNCTION,
    "runtime": {"schedule": {"trigger": {"type": "manual"}}, "agent": {}},
}
SCHEMA = {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}


def agent(bench: BenchMaker, *replies: Any) -> RunBench:
    return bench(manifest=AGENT, replies=replies)


def saying(answer: object) -> Any:
    async def guard(ctx: Any) -> object:
        return answer

    return guard


def code_of(result: RuntimeResult) -> str | None:
    return None if result.failure is None else result.failure.code


def test_without_a_word_of_the_guard_the_agent_runs(bench: BenchMaker) -> None:
    made = agent(bench, say("Done."))
    result = made.play(guard=saying(None))
    assert (result.status, result.text) == ("success", "Done.")
    assert made.trace_types[0] == "runtime.started"


def test_a_skip_saves_the_model_and_gives_the_output(bench: BenchMaker) -> None:
    made = agent(bench)
    result = made.play(guard=saying(skip(reason="Already set up.", preGameDone=True)))
    assert (result.status, result.reason) == ("skipped", "Already set up.")
    assert (result.output, result.value) == ({"preGameDone": True}, {"preGameDone": True})
    assert (result.has_value, result.is_explicit_skip, result.completion) == (True, True, "done")
    assert made.gateway.requests == []
    assert made.trace_types == ["runtime.skipped"]


def test_a_skip_without_fields_has_no_value(bench: BenchMaker) -> None:
    result = agent(bench).play(guard=saying(skip()), schema=SCHEMA)
    assert (result.status, result.output, result.has_value) == ("skipped", {}, False)


def test_the_output_of_a_skip_is_checked(bench: BenchMaker) -> None:
    made = agent(bench)
    assert made.play(guard=saying(skip(n=1)), schema=SCHEMA).status == "skipped"
    assert code_of(made.play(guard=saying(skip(n="x")), schema=SCHEMA)) == "output-schema-invalid"


@pytest.mark.parametrize("answer", [True, False, {"skip": True}, "skip"])
def test_another_answer_is_a_clear_failure(bench: BenchMaker, answer: object) -> None:
    result = agent(bench).play(guard=saying(answer))
    assert result.failure is not None
    assert result.failure.code == "outcome-invalid"
    assert result.failure.hint == "Return skip(…) to leave the run out, None to let it run."


def test_output_without_a_json_form_is_a_failure(bench: BenchMaker) -> None:
    result = agent(bench).play(guard=saying(skip(n=object())))  # type: ignore[arg-type]
    assert code_of(result) == "outcome-invalid"


def test_a_guard_that_fails_fails_the_run(bench: BenchMaker) -> None:
    def guard(ctx: Any) -> object:
        raise ValueError("broken")

    made = agent(bench)
    result = made.play(guard=guard)
    assert result.failure is not None
    assert result.failure.message == "The guard of 'demo' failed: ValueError: broken"
    assert made.trace_types == ["runtime.failed"]


def test_a_guard_has_its_limit(bench: BenchMaker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("covel_host.runtime.guard.GUARD_LIMIT_MS", 20)

    async def guard(ctx: Any) -> object:
        await asyncio.Event().wait()
        return None

    assert agent(bench).play(guard=guard).failure == RunFailure(
        "timeout", "The guard of 'demo' did not end within 20 ms."
    )


def test_what_a_guard_wrote_is_kept_by_a_skip_and_joins_a_run(bench: BenchMaker) -> None:
    async def skipping(ctx: Any) -> object:
        await ctx.plugin_data.set("notes", "a", 1)
        return skip()

    async def letting(ctx: Any) -> object:
        await ctx.plugin_data.set("notes", "a", 1)
        return None

    async def failing(ctx: Any) -> object:
        await ctx.plugin_data.set("notes", "a", 1)
        raise ToolError("conflict", "Taken.")

    made = agent(bench, say("Done."))
    assert len(made.play(guard=skipping).proposals) == 1
    assert len(made.play(guard=letting).proposals) == 1
    assert made.play(guard=failing).proposals == ()


def test_a_guard_runs_before_a_function_as_well(bench: BenchMaker) -> None:
    async def guard(ctx: Any) -> object:
        await ctx.plugin_data.set("notes", "a", 1)
        return None

    async def handle(ctx: Any) -> object:
        return await ctx.plugin_data.get("notes", "a")

    assert bench().play(guard=guard, handler=handle).value == 1


def test_a_guard_has_no_tools_and_no_hidden_data(bench: BenchMaker) -> None:
    codes: dict[str, str] = {}

    async def guard(ctx: Any) -> object:
        uses = {
            "tools": lambda: ctx.tools,
            "services": lambda: ctx.services,
            "agents": lambda: ctx.agents,
            "progress": lambda: ctx.progress,
        }
        for name, use in uses.items():
            with pytest.raises(ToolError) as raised:
                use()
            codes[name] = raised.value.code
        with pytest.raises(ToolError) as refused:
            await ctx.plugin_data.set("_hidden.notes", "a", 1)
        codes["hidden"] = refused.value.code
        return skip()

    result = bench().play(guard=guard, data_namespaces=frozenset({"notes"}))
    assert result.status == "skipped"
    expected = dict.fromkeys(("tools", "services", "agents", "progress"), "unavailable")
    assert codes == {**expected, "hidden": "refused"}


def test_a_guards_context_is_dead_once_its_runtime_runs(bench: BenchMaker) -> None:
    kept: list[Any] = []

    async def guard(ctx: Any) -> object:
        kept.append(ctx)
        return None

    async def handle(ctx: Any) -> object:
        with pytest.raises(ToolError) as raised:
            await kept[0].plugin_data.get("notes", "a")
        return raised.value.code

    assert bench().play(guard=guard, handler=handle).value == "unavailable"


def test_a_guards_model_calls_are_the_runs(bench: BenchMaker) -> None:
    async def guard(ctx: Any) -> object:
        await ctx.gateway.generate_text("Needed?")
        return None

    result = agent(bench, say("No."), say("Done.")).play(guard=guard)
    assert (result.model_use.calls, result.text) == (2, "Done.")


def test_guard_and_handler_draw_different_numbers(bench: BenchMaker) -> None:
    drawn: list[float] = []

    async def guard(ctx: Any) -> object:
        drawn.append(ctx.random.random())
        return None

    async def handle(ctx: Any) -> object:
        drawn.append(ctx.random.random())
        return None

    bench().play(guard=guard, handler=handle)
    assert drawn[0] != drawn[1]


def test_a_run_may_be_cut_short_while_its_guard_is_asked(bench: BenchMaker) -> None:
    made = agent(bench)

    async def main() -> RuntimeResult:
        asked = asyncio.Event()

        async def guard(ctx: Any) -> object:
            asked.set()
            await asyncio.Event().wait()
            return None

        run = made.made(guard=guard)
        task = asyncio.create_task(run.result())
        await asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return run.cut_short(RunFailure("cancelled", "Stopped."))

    assert code_of(asyncio.run(main())) == "cancelled"
    assert made.trace_types == ["runtime.failed"]
