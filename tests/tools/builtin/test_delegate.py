"""`delegate` with a runner of the test: what a request may hold, and what comes back."""

from typing import Any

import pytest

from covel_host.tools.builtin.installed import builtin_tools
from covel_host.tools.subagents import Delegation
from plugin_sdk.context import ToolContext
from plugin_sdk.errors import ToolError
from plugin_sdk.values import JsonValue
from tests.support.tool_calls import ToolBench
from tests.tools.builtin.calling import answer, called, error

ID = "0f8fad5b-d9cb-469f-a165-70867728950e"


class Runner:
    def __init__(self, fails: ToolError | None = None) -> None:
        self.asked: list[Delegation] = []
        self._fails = fails

    async def run(self, delegation: Delegation, context: ToolContext) -> JsonValue:
        self.asked.append(delegation)
        if self._fails is not None:
            raise self._fails
        return {"id": ID, "found": 3}


def bench(runner: Runner) -> ToolBench:
    return ToolBench(builtins=builtin_tools(subagents=runner))


def request(**members: Any) -> dict[str, Any]:
    return {"target": {"contract": "scout@1"}, "brief": "Look.", **members}


def test_the_output_comes_back_whole_for_code_and_projected_for_the_model() -> None:
    runner = Runner()
    given = request(data={"place": "pier"}, maxSteps=3)
    result = called("delegate", given, bench(runner))
    assert runner.asked == [
        Delegation(brief="Look.", contract="scout@1", data={"place": "pier"}, max_steps=3)
    ]
    assert result.content == {"id": ID, "found": 3}
    assert answer(result) == {"data": {"found": 3}}


def test_a_failure_keeps_its_code_and_text() -> None:
    runner = Runner(ToolError("ambiguous", "Two scouts.", hint="Name one."))
    result = called("delegate", request(), bench(runner))
    assert answer(result) == {
        "error": {"code": "ambiguous", "message": "Two scouts.", "hint": "Name one."}
    }


@pytest.mark.parametrize(
    ("members", "path"),
    [
        ({"target": {}}, "target"),
        ({"target": {"contract": "a@1", "runtimeId": "b"}}, "target"),
        ({"brief": ""}, "brief"),
        ({"brief": "x" * 20_001}, "brief"),
        ({"data": {"text": "é" * 16_384}}, "data"),
        ({"data": [1]}, "data"),
        ({"character": "x" * 81}, "character"),
        ({"instruction": "x" * 2_001}, "instruction"),
        ({"maxSteps": 0}, "maxSteps"),
    ],
)
def test_a_request_beyond_its_limits_never_reaches_the_runner(
    members: dict[str, Any], path: str
) -> None:
    runner = Runner()
    assert error(called("delegate", request(**members), bench(runner))) == ("invalid-input", [path])
    assert runner.asked == []


def test_it_stages_writes_and_runs_alone() -> None:
    annotations = builtin_tools(subagents=Runner())["delegate"].annotations
    assert (annotations.read_only, annotations.stages_writes) == (False, True)
    assert (annotations.idempotent, annotations.concurrency_safe) == (False, False)
