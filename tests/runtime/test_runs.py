"""What keeps a run from starting, and which kind of run a runtime has."""

from typing import Any

import pytest

from covel_host.runtime.prompt_inputs import BoundValue, InputBinding
from tests.runtime.conftest import BenchMaker
from tests.support.replies import say
from tests.support.runs import function_manifest

BOUND = InputBinding((BoundValue(5, "dice/roll"),))


def inputs(*, required: bool, scope: str) -> dict[str, Any]:
    wanted: dict[str, Any] = {"from": {"runtime": "roll"}, "required": required, "scope": scope}
    if scope == "committed":
        wanted["recordAs"] = "roll"
    return {"inputs": {"roll": wanted}}


@pytest.mark.parametrize(
    ("scope", "said"),
    [("turn", "no runtime of this execution"), ("committed", "no committed export")],
)
def test_a_required_input_without_a_value_skips_the_run(
    bench: BenchMaker, scope: str, said: str
) -> None:
    called: list[Any] = []
    made = bench(manifest=function_manifest(io=inputs(required=True, scope=scope)))
    result = made.play(handler=called.append, guard=called.append)
    assert (result.status, result.is_explicit_skip, called) == ("skipped", False, [])
    assert result.reason is not None
    assert "'io.inputs.roll'" in result.reason
    assert said in result.reason
    assert made.trace_types == ["runtime.skipped"]


@pytest.mark.parametrize("scope", ["turn", "committed"])
def test_an_optional_input_without_a_value_is_left_out(bench: BenchMaker, scope: str) -> None:
    async def handle(ctx: Any) -> object:
        return [ctx.inputs, ctx.exports]

    made = bench(manifest=function_manifest(io=inputs(required=False, scope=scope)))
    assert made.play(handler=handle).value == [{}, {}]


@pytest.mark.parametrize(("scope", "member"), [("turn", "inputs"), ("committed", "exports")])
def test_a_required_input_with_a_value_lets_the_run_start(
    bench: BenchMaker, scope: str, member: str
) -> None:
    async def handle(ctx: Any) -> object:
        return getattr(ctx, member)["roll"]["value"]

    made = bench(manifest=function_manifest(io=inputs(required=True, scope=scope)))
    assert made.play(handler=handle, **{member: {"roll": BOUND}}).value == 5


def test_an_agent_reads_what_is_bound_in_its_prompt(bench: BenchMaker) -> None:
    runtime = {
        "schedule": {"trigger": {"type": "manual"}},
        "agent": {},
        "io": inputs(required=True, scope="committed"),
    }
    made = bench(manifest={"description": "A test.", "runtime": runtime}, replies=[say("Done.")])
    assert made.play(exports={"roll": BOUND}).status == "success"
    texts = [getattr(message, "text", "") for message in made.gateway.requests[0].messages]
    assert any("runtime-exports" in text and "dice/roll" in text for text in texts)


def test_a_result_tells_what_the_run_read(bench: BenchMaker) -> None:
    async def handle(ctx: Any) -> object:
        await ctx.plugin_data.get("notes", "a")
        return None

    reads = bench().play(handler=handle).reads
    assert reads is not None
    assert len(reads.reads) == 1
