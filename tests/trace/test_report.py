"""A stored trace as steps: what began and ended is one, runs hold theirs, totals count once."""

from typing import Any

from covel_host.trace.log import TraceLog
from covel_host.trace.report import Step, totals_of, trace_report
from plugin_sdk.testing import ManualClock

USAGE = {"inputTokens": 10, "outputTokens": 5, "cachedInputTokens": 4}


def a_turn() -> TraceLog:
    log = TraceLog(turn_id="t1", clock=ManualClock())
    log.add("turn.started", origin="player", seed=1)
    log.add("scheduling.hazard", code="effects-conflict", resource="a", runtimeIds=["x", "y"])
    outer = log.of_run("run-1", runtime_id="p/outer", plugin_id="p")
    outer.add("runtime.started")
    outer.add("llm.calling", attempt=1)
    outer.add("llm.responded", usage=USAGE, durationMs=7, queueWaitMs=2, **cost(0.25))
    for call_id in ("a", "b"):
        outer.add("tool.calling", toolCallId=call_id, toolName="look", arguments="{}")
    outer.add("tool.failed", toolCallId="b", toolName="look", code="internal", error="No.")
    outer.add("tool.completed", toolCallId="a", toolName="look", result="{}", durationMs=1)
    outer.add("tool.replaced", toolCallId="a", toolName="look", result='{"x":1}')
    outer.add("subagent.started", runtimeId="p/inner", parentCallId="c")
    inner = outer.child("run-2", runtime_id="p/inner", plugin_id="p")
    inner.add("runtime.started")
    inner.add("llm.calling", attempt=1)
    inner.add("llm.responded", usage=USAGE, durationMs=3, **cost(0.5))
    inner.add("runtime.completed", status="success", durationMs=4)
    outer.add("subagent.completed", runtimeId="p/inner", parentCallId="c", status="success")
    outer.add("hook.fired", event="PostToolUse", hookName="watch", pluginId="q")
    outer.add("llm.calling", attempt=1)
    outer.add("llm.responded", error="Busy.", code="provider-error", durationMs=1)
    outer.add("runtime.failed", status="failed", durationMs=9, error={"code": "x", "message": "y"})
    log.add("turn.completed", status="failed")
    return log


def cost(amount: float) -> dict[str, Any]:
    return {"cost": {"amount": amount, "currency": "USD", "isComplete": True}}


def outer_of(turn: Step) -> Step:
    [run] = [step for step in turn.steps if step.kind == "run"]
    return run


def test_what_begins_and_ends_is_one_step() -> None:
    turn = trace_report(a_turn().events)
    outer = outer_of(turn)
    kinds = [(step.kind, step.status) for step in outer.steps]
    assert kinds == [
        ("model", "responded"),
        ("tool", "completed"),
        ("tool", "failed"),
        ("subagent", "completed"),
        ("run", "completed"),
        ("hook", "fired"),
        ("model", "responded"),
    ]
    assert (outer.status, outer.data["runtimeId"]) == ("failed", "p/outer")
    assert turn.data["origin"] == "player"


def test_calls_are_told_apart_by_their_ids_and_a_replaced_result_counts() -> None:
    tools = [step for step in outer_of(trace_report(a_turn().events)).steps if step.kind == "tool"]
    assert (tools[0].data["result"], tools[0].data["isReplaced"]) == ('{"x":1}', True)
    assert tools[1].data["error"] == "No."


def test_model_calls_are_numbered_through_the_whole_turn() -> None:
    calls = [step for step in trace_report(a_turn().events).all_steps() if step.kind == "model"]
    assert sorted((step.number, step.run_id) for step in calls) == [
        (1, "run-1"),
        (2, "run-2"),
        (3, "run-1"),
    ]


def test_totals_count_everything_once() -> None:
    totals = totals_of(trace_report(a_turn().events))
    assert (totals.model_calls, totals.input_tokens, totals.output_tokens) == (3, 20, 10)
    assert (totals.cached_input_tokens, totals.queue_wait_ms) == (8, 2)
    assert totals.cost == {"USD": 0.75}
    assert not totals.is_cost_complete
    assert (totals.tool_calls, totals.subagents, totals.hooks, totals.hazards) == (2, 1, 1, 1)
    assert totals.failures == 3


def test_a_call_that_never_ended_stays_open() -> None:
    log = TraceLog(turn_id="t1", clock=ManualClock())
    log.of_run("run-1").add("llm.calling", attempt=1)
    [run] = trace_report(log.events).steps
    assert [(step.kind, step.status) for step in run.steps] == [("model", "calling")]
