"""Batches of one reply: pools that overlap, barriers in order, what comes after the end."""

import json
from pathlib import Path
from typing import Any

from covel_host.models.messages import AssistantMessage, ToolMessage
from tests.support.hosts import Played, play
from tests.support.packages import write_package
from tests.support.replies import call, calls, done

CODE = """
meeting = asyncio.Barrier(2)
running = 0
most = 0
order = []

@tool(name="meet", read_only=True, concurrency_safe=True)
async def meet(name: str) -> object:
    '''Return when two calls are here at once.'''
    place = await meeting.wait()
    if place == 0:
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    order.append(name)
    return name

@tool(name="peek", read_only=True, concurrency_safe=True)
async def peek() -> object:
    '''Count how many run at once.'''
    global running, most
    running += 1
    most = max(most, running)
    for _ in range(20):
        await asyncio.sleep(0)
    running -= 1
    return most

@tool(name="note")
async def note(name: str) -> object:
    '''Not read-only, so alone.'''
    assert running == 0
    order.append(name)
    return list(order)

@tool(name="late", read_only=True, concurrency_safe=True, timeout_ms=1)
async def late() -> object:
    '''Never ends.'''
    await asyncio.Event().wait()

@tool(name="finish", read_only=True, concurrency_safe=True)
async def finish() -> object:
    '''A listed tool that may run beside others.'''
    return {"finished": True}

@tool(name="keep")
async def keep(key: str, value: int) -> object:
    '''Keep a note.'''
    return with_pending_proposals({}, [PluginData(namespace="notes", key=key, value=value)])

@tool(name="all-notes", read_only=True)
async def all_notes(ctx: ToolContext) -> object:
    '''Everything, and what is pending.'''
    items = await ctx.store.list_plugin_data("notes")
    return [{item.key: item.value for item in items}, len(ctx.pending_proposals)]
"""
TOOLS = ["meet", "peek", "note", "late", "finish", "keep", "all-notes"]


def package(home: Path, **agent: Any) -> str:
    return write_package(home / "plugins" / "demo", code=CODE, tools=TOOLS, agent=agent)


def contents(played: Played) -> list[Any]:
    return [found.content for found in played.report.result.tool_calls]


def test_a_pool_overlaps_and_results_come_in_the_models_order(tmp_path: Path) -> None:
    package(tmp_path)
    names = ("a", "b")
    played = play(
        tmp_path,
        "demo",
        calls(*(call("meet", {"name": name}) for name in names), call("note", {"name": "then"})),
        done(),
    )
    *pool, order = contents(played)[:3]
    assert pool == ["a", "b"]
    assert order[-1] == "then"
    answers = [m for m in played.requests[1].messages if isinstance(m, ToolMessage)]
    assert [answer.call_id for answer in answers] == ["call-1-1", "call-1-2", "call-1-3"]
    assert [row.tool_name for row in played.rows.tool_calls][:3] == ["meet", "meet", "note"]


def test_at_most_eight_calls_of_a_pool_run_at_once(tmp_path: Path) -> None:
    package(tmp_path)
    played = play(tmp_path, "demo", calls(*(call("peek") for _ in range(12))), done())
    assert max(contents(played)[:12]) == 8


def test_a_barrier_waits_for_the_pool_before_it_and_holds_the_one_after(tmp_path: Path) -> None:
    package(tmp_path)
    wanted = [call("peek"), call("peek"), call("note", {"name": "x"}), call("peek")]
    played = play(tmp_path, "demo", calls(*wanted), done())
    assert played.report.committed
    assert contents(played)[2] == ["x"]


def test_a_limit_inside_a_pool_ends_that_call_alone(tmp_path: Path) -> None:
    package(tmp_path)
    played = play(tmp_path, "demo", calls(call("peek"), call("late"), call("peek")), done())
    codes = [json.loads(text).get("error", {}).get("code") for text in played.envelopes]
    assert codes == [None, "timeout", None, None]


def test_calls_after_runtime_done_are_answered_and_not_run(tmp_path: Path) -> None:
    package(tmp_path)
    wanted = [call("keep", {"key": "a", "value": 1}), call("runtime-done"), call("note", "{oops")]
    played = play(tmp_path, "demo", calls(*wanted))
    assert played.report.committed
    skipped = played.report.result.tool_calls[2]
    assert (skipped.status, json.loads(skipped.envelope)["error"]["code"]) == (
        "skipped",
        "cancelled",
    )
    assert json.loads(skipped.history_arguments) == "{oops"
    assert [row.status for row in played.rows.tool_calls] == ["completed", "completed", "skipped"]
    failed = [row for row in played.rows.trace if row.type == "tool.failed"]
    assert "not executed" in str(failed[0].data["error"])


def test_a_listed_tool_inside_a_pool_ends_the_batch_too(tmp_path: Path) -> None:
    package(tmp_path, completion={"afterTools": ["finish"]})
    wanted = [call("finish"), call("peek"), call("note", {"name": "never"})]
    played = play(tmp_path, "demo", calls(*wanted))
    assert played.report.result.output == {"finished": True}
    statuses = [found.status for found in played.report.result.tool_calls]
    assert statuses == ["completed", "completed", "skipped"]


def test_the_next_call_sees_what_was_staged(tmp_path: Path) -> None:
    package(tmp_path)
    wanted = [
        call("keep", {"key": "a", "value": 1}),
        call("all-notes"),
        call("keep", {"key": "a", "value": 2}),
        call("all-notes"),
    ]
    played = play(tmp_path, "demo", calls(*wanted), done())
    assert contents(played)[1] == [{"a": 1}, 1]
    assert contents(played)[3] == [{"a": 2}, 2]


def test_the_history_holds_the_repaired_text_and_the_trace_the_models_own(tmp_path: Path) -> None:
    package(tmp_path)
    written = '{"key":"a","value":1}]'
    played = play(tmp_path, "demo", calls(call("keep", written), call("keep", "{x")), done())
    reply = next(m for m in played.requests[1].messages if isinstance(m, AssistantMessage))
    assert [found.arguments for found in reply.calls] == ['{"key":"a","value":1}', '"{x"']
    calling = [row.data["arguments"] for row in played.rows.trace if row.type == "tool.calling"]
    assert calling[:2] == [written, "{x"]
    assert played.rows.tool_calls[1].arguments == "{x"
