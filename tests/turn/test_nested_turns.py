"""Runs inside the runs of a turn: one commit with their caller's unit, records of their own."""

from pathlib import Path
from typing import Any

from tests.support.casts import Member, agent, cast, function, played
from tests.support.replies import call, calls, done, say

PRE = {"stage": "pre-turn"}
MANUAL = {"trigger": {"type": "manual"}}
KEEPS = 'await ctx.plugin_data.set("notes", "b", ctx.manual_payload)\nreturn success({"n": 2})'


def family(home: Path, code: str, inner: Member) -> None:
    cast(home, "calls", {"outer": function(code, schedule=PRE), "inner": inner})


def test_what_a_recursive_call_stages_is_committed_with_its_caller(tmp_path: Path) -> None:
    family(
        tmp_path,
        """
        await ctx.plugin_data.set("notes", "a", 1)
        given = await ctx.recursive_call("calls/inner", payload={"x": 1})
        seen = await ctx.plugin_data.get("notes", "b")
        return success({"given": given, "seen": seen})
        """,
        function(KEEPS, schedule=MANUAL),
    )
    turn = played(tmp_path)
    assert turn.report.committed
    outer, inner = turn.report.executions[0].results
    assert outer.output == {"given": {"n": 2}, "seen": {"x": 1}}
    assert (inner.runtime_id, inner.turn_id) == ("calls/inner", outer.turn_id)
    assert turn.rows.data == {("notes", "a"): 1, ("notes", "b"): {"x": 1}}
    kept: Any = turn.turn.results
    assert [one.get("origin") for one in kept] == [None, "recursive"]
    assert kept[1]["parentRunId"] == outer.run_id
    types = [event.type for event in turn.rows.trace]
    assert "recursive.calling" in types
    assert "recursive.completed" in types
    assert not any(kind.startswith("recursive") for kind in turn.observer.types)


def test_a_caller_that_fails_takes_the_writes_of_its_nested_runs_along(tmp_path: Path) -> None:
    family(
        tmp_path,
        'await ctx.recursive_call("calls/inner", payload=1)\nraise ValueError("no")',
        function(KEEPS, schedule=MANUAL),
    )
    turn = played(tmp_path)
    assert turn.statuses == {"calls/outer": "failed", "calls/inner": "success"}
    assert turn.rows.data == {}


def test_a_nested_run_that_fails_is_withdrawn_and_its_caller_may_go_on(tmp_path: Path) -> None:
    family(
        tmp_path,
        """
        await ctx.plugin_data.set("notes", "a", 1)
        try:
            await ctx.recursive_call("calls/inner", payload=1)
        except ToolError as error:
            return success({"code": error.code})
        """,
        function(KEEPS.replace("return success", "raise ValueError"), schedule=MANUAL),
    )
    turn = played(tmp_path)
    assert turn.statuses == {"calls/outer": "success", "calls/inner": "failed"}
    assert turn.rows.data == {("notes", "a"): 1}


def test_calls_deeper_than_the_limit_are_refused(tmp_path: Path) -> None:
    family(
        tmp_path,
        'return success(await ctx.recursive_call("calls/inner"))',
        function(
            """
            try:
                return success({"deep": 1 + (await ctx.recursive_call("calls/inner"))["deep"]})
            except ToolError as error:
                return success({"deep": 1, "code": error.code})
            """,
            schedule=MANUAL,
        ),
    )
    turn = played(tmp_path)
    results = turn.report.executions[0].results
    assert results[0].output["deep"] == 10
    assert len(results) == 11


def test_a_model_delegates_and_the_work_is_part_of_its_unit(tmp_path: Path) -> None:
    cast(
        tmp_path,
        "calls",
        {
            "lead": agent(schedule=PRE, agent={"tools": {"builtin": ["delegate"]}}),
            "scout": agent(schedule=MANUAL),
        },
    )
    asked = call("delegate", {"target": {"runtimeId": "calls/scout"}, "brief": "Look around."})
    turn = played(tmp_path, calls(asked), say("A quiet wood."), done())
    assert turn.report.committed
    assert turn.statuses == {"calls/lead": "success", "calls/scout": "success"}
    types = [event.type for event in turn.rows.trace]
    assert types.index("subagent.started") < types.index("subagent.completed")
    kept: Any = turn.turn.results
    assert [one.get("origin") for one in kept] == [None, "subagent"]
