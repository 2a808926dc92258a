"""Whole agent runs through the host: how they end, how they are corrected, when they give up."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from covel_host.models.messages import (
    AssistantMessage,
    Message,
    ModelReply,
    ModelRequest,
    NamedTool,
    SystemMessage,
    TextDelta,
    ToolMessage,
    UserMessage,
)
from covel_host.turn.admission import ManualRequest
from tests.support.hosts import Played, opened, play
from tests.support.packages import write_package
from tests.support.replies import call, calls, done, say

CODE = """
from plugin_sdk.errors import ToolError

@tool(name="save")
async def save(n: int = 0) -> object:
    '''Save.'''
    return {"n": n}

@tool(name="deny")
async def deny() -> object:
    '''Deny.'''
    raise ToolError("refused", "Not now.")

@tool(name="crash")
async def crash() -> object:
    '''Crash.'''
    raise ValueError("broken")

@tool(name="look", read_only=True)
async def look() -> object:
    '''Look.'''
    return "seen"
"""
TOOLS = ["save", "deny", "crash", "look"]
SCHEMA = {
    "type": "object",
    "required": ["n"],
    "properties": {"n": {"type": "integer", "minimum": 1}},
}


def package(home: Path, *, agent: Any = None, io: Any = None, **more: Any) -> str:
    return write_package(
        home / "plugins" / "demo",
        code=CODE,
        tools=TOOLS,
        agent=agent,
        io=io,
        files={"schemas/out.json": json.dumps(SCHEMA)},
        **more,
    )


def with_schema(home: Path, **agent: Any) -> str:
    return package(home, agent=agent, io={"output": {"schema": "./schemas/out.json"}})


def ended(played: Played) -> tuple[str, str | None]:
    result = played.report.result
    code = None if result.failure is None else result.failure.code
    return result.status, code or result.ended_by


def tail(request: ModelRequest, first: ModelRequest) -> list[Message]:
    """What the run itself added to the prompt."""
    assert request.messages[: len(first.messages)] == first.messages
    return list(request.messages[len(first.messages) :])


# --- endings ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("reply", "by"), [(say("Fine."), "text"), (done(), "runtime-done")])
def test_text_or_runtime_done_ends_a_run(tmp_path: Path, reply: ModelReply, by: str) -> None:
    package(tmp_path)
    assert ended(play(tmp_path, "demo", reply)) == ("success", by)


def test_a_listed_tool_ends_the_run_and_its_full_content_is_the_output(tmp_path: Path) -> None:
    package(tmp_path, agent={"completion": {"afterTools": ["save"]}})
    played = play(tmp_path, "demo", calls(call("save", {"n": 4})))
    assert ended(played) == ("success", "after-tools")
    assert played.report.result.output == {"n": 4}
    assert len(played.requests) == 1


def test_a_forced_tool_is_asked_for_in_every_request(tmp_path: Path) -> None:
    package(tmp_path, agent={"finishWith": "save"})
    played = play(tmp_path, "demo", calls(call("save", {"n": "x"})), calls(call("save")))
    assert [request.tool_choice for request in played.requests] == [NamedTool("save")] * 2
    assert "runtime-done" not in [spec.name for spec in played.requests[0].tools]
    assert ended(played) == ("success", "after-tools")


def test_runtime_done_without_the_needed_call_is_corrected_once_then_fails(tmp_path: Path) -> None:
    package(tmp_path, agent={"completion": {"require": "tool-use"}})
    played = play(tmp_path, "demo", say("Nothing."), done())
    assert ended(played) == ("failed", "completion_not_met")
    draft, correction = tail(played.requests[1], played.requests[0])
    assert draft == AssistantMessage("Nothing.")
    assert isinstance(correction, UserMessage)
    assert played.observer.texts == ["Nothing.", None]
    again = play(tmp_path, "demo", say("Nothing."), calls(call("save")), done())
    assert ended(again) == ("success", "runtime-done")


def test_a_story_that_only_calls_runtime_done_is_asked_for_its_prose(tmp_path: Path) -> None:
    write_package(tmp_path / "plugins" / "tale", io={"visibility": "story"})
    played = play(tmp_path, "tale", done(), say("", finish="stop"), say("At last."))
    assert ended(played) == ("success", "text")
    assert [message.content for message in played.rows.messages] == ["At last."]
    assert "runtime-done" not in [spec.name for spec in played.requests[0].tools]
    reply, answer, note = tail(played.requests[1], played.requests[0])
    assert isinstance(reply, AssistantMessage)
    assert isinstance(answer, ToolMessage)
    assert isinstance(note, UserMessage)
    # An empty reply leaves nothing in the history but the correction.
    assert len(tail(played.requests[2], played.requests[1])) == 1


def test_a_story_without_prose_fails(tmp_path: Path) -> None:
    write_package(tmp_path / "plugins" / "tale", io={"visibility": "story"})
    played = play(tmp_path, "tale", say("  "), say(""))
    assert ended(played) == ("failed", "story_without_prose")
    assert played.rows.messages == []


# --- output schema ---------------------------------------------------------------------------


@pytest.mark.parametrize("first", ["no json", '{"n": 0}', "[]"])
def test_text_that_breaks_the_output_schema_is_corrected(tmp_path: Path, first: str) -> None:
    with_schema(tmp_path)
    played = play(tmp_path, "demo", say(first), say('{"n": 2}'))
    assert (ended(played), played.report.result.output) == (("success", "text"), {"n": 2})
    draft, correction = tail(played.requests[1], played.requests[0])
    assert draft == AssistantMessage(first)
    assert isinstance(correction, UserMessage)
    hint = played.requests[0].completion
    assert hint is not None
    assert hint.output_schema == SCHEMA


def test_a_second_output_that_breaks_the_schema_fails_and_stages_nothing(tmp_path: Path) -> None:
    with_schema(tmp_path)
    played = play(tmp_path, "demo", say("{}"), say("{}"))
    assert ended(played) == ("failed", "output-schema-invalid")
    assert played.report.result.output == {}


def test_the_content_of_a_listed_tool_is_checked_against_the_schema(tmp_path: Path) -> None:
    with_schema(tmp_path, completion={"afterTools": ["save"]})
    played = play(tmp_path, "demo", calls(call("save", {"n": 0})), calls(call("save", {"n": 3})))
    assert (ended(played), played.report.result.output) == (("success", "after-tools"), {"n": 3})
    *_, answer, correction = tail(played.requests[1], played.requests[0])
    assert isinstance(answer, ToolMessage)
    assert isinstance(correction, UserMessage)
    assert "save" in correction.text


def test_the_output_is_of_the_call_that_succeeded_even_if_ids_repeat(tmp_path: Path) -> None:
    package(tmp_path, agent={"completion": {"afterTools": ["save"]}})
    same = {"call_id": "0"}
    reply = calls(
        call("save", {"n": "x"}, **same), call("look", **same), call("save", {"n": 7}, **same)
    )
    assert play(tmp_path, "demo", reply).report.result.output == {"n": 7}


# --- failures --------------------------------------------------------------------------------


def test_an_unknown_tool_is_unavailable_and_the_loop_goes_on(tmp_path: Path) -> None:
    package(tmp_path, agent={"tools": {"plugin": ["save"]}})
    played = play(
        tmp_path, "demo", calls(call("look"), call("nowhere")), calls(call("save")), done()
    )
    codes = [json.loads(text).get("error", {}).get("code") for text in played.envelopes]
    assert codes == ["unavailable", "unavailable", None, None]
    assert played.report.committed


def test_a_broken_tool_fails_a_run_without_other_output(tmp_path: Path) -> None:
    package(tmp_path, io={"visibility": "system"})
    played = play(tmp_path, "demo", calls(call("crash")), done())
    assert ended(played) == ("failed", "tool_failed_without_output")
    assert ended(play(tmp_path, "demo", calls(call("deny")), done())) == ("success", "runtime-done")


def test_steps_run_out(tmp_path: Path) -> None:
    package(tmp_path, agent={"loop": {"maxSteps": 2}})
    played = play(tmp_path, "demo", calls(call("save")), calls(call("look")))
    assert ended(played) == ("failed", "max_steps")
    assert (played.report.result.steps, played.report.result.model_use.calls) == (2, 2)


def test_one_call_over_and_over_is_a_loop(tmp_path: Path) -> None:
    package(tmp_path)
    same = [calls(call("save", text)) for text in ('{"n":1}', '{ "n": 1 }', '{"n":1}}')]
    assert ended(play(tmp_path, "demo", *same)) == ("failed", "repeated_tool_calls")


# --- time ------------------------------------------------------------------------------------


def test_a_run_past_its_deadline_fails_and_says_which_limit(tmp_path: Path) -> None:
    package(tmp_path, agent={"loop": {"timeoutMs": 20}})

    async def silence(request: Any, on_delta: Any) -> ModelReply:
        await asyncio.Event().wait()
        raise AssertionError

    played = play(tmp_path, "demo", calls(call("save")), silence)
    assert ended(played) == ("failed", "timeout")
    assert played.report.failure is not None
    assert "agent.loop.timeoutMs" in played.report.failure.message
    assert [found.request.name for found in played.report.result.tool_calls] == ["save"]
    assert played.rows.turn is not None
    assert played.rows.turn.commit_status == "failed"


def test_the_call_that_ran_when_time_was_up_is_kept_as_cancelled(tmp_path: Path) -> None:
    write_package(
        tmp_path / "plugins" / "slow",
        code="""
        @tool(name="wait")
        async def wait() -> object:
            '''Wait.'''
            await asyncio.Event().wait()
        """,
        tools=["wait"],
        agent={"loop": {"timeoutMs": 20}},
    )
    played = play(tmp_path, "slow", calls(call("wait"), call("wait")))
    assert ended(played) == ("failed", "timeout")
    (row,) = played.rows.tool_calls
    assert row.error is not None
    assert (row.status, row.error["code"]) == ("failed", "cancelled")


def test_a_tool_that_cancels_its_own_run_ends_that_run_alone(tmp_path: Path) -> None:
    write_package(
        tmp_path / "plugins" / "odd",
        code="""
        @tool(name="end")
        async def end() -> object:
            '''End.'''
            asyncio.current_task().cancel()
            await asyncio.sleep(0)
        """,
        tools=["end"],
    )
    played = play(tmp_path, "odd", calls(call("end")))
    assert ended(played) == ("failed", "cancelled")
    assert [row.tool_name for row in played.rows.tool_calls] == ["end"]


def test_a_run_that_swallows_its_cancellation_is_left_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("covel_host.runtime.deadline.GRACE_S", 0.01)
    write_package(
        tmp_path / "plugins" / "stubborn",
        code="""
        release = asyncio.Event()

        @tool(name="stay")
        async def stay() -> object:
            '''Stay.'''
            while not release.is_set():
                try:
                    await release.wait()
                except asyncio.CancelledError:
                    continue
            return with_pending_proposals({}, [PluginData(namespace="notes", key="k", value=1)])

        @tool(name="free")
        async def free() -> object:
            '''Free.'''
            release.set()
        """,
        tools=["stay", "free"],
        agent={"loop": {"timeoutMs": 50}},
    )

    async def main() -> tuple[Any, int, tuple[str, ...]]:
        replies = [calls(call("stay")), calls(call("free")), done()]
        async with opened(tmp_path, *replies) as host:
            report = await host.run(ManualRequest(target="stubborn"))
            # The left run ends when the tool does, without asking its model again.
            await host.run(ManualRequest(target="stubborn"))
            for _ in range(20):
                await asyncio.sleep(0)
            requests = host.ports.gateway.requests  # type: ignore[attr-defined]
            return report, len(requests), host.ports.tasks.pending

    report, asked, pending = asyncio.run(main())
    assert report.failure.code == "timeout"
    assert "left behind" in report.failure.message
    assert asked == 3
    assert pending == ()


def test_the_time_a_reply_is_written_does_not_count(tmp_path: Path) -> None:
    package(tmp_path, agent={"loop": {"timeoutMs": 50}})

    async def slow_writer(request: Any, on_delta: Any) -> ModelReply:
        await on_delta(TextDelta("Slow"))
        # Longer than the whole run may take, and written all the while.
        await asyncio.sleep(0.2)
        return say("Slow and steady.")

    assert ended(play(tmp_path, "demo", slow_writer)) == ("success", "text")


# --- prompts ---------------------------------------------------------------------------------


def test_an_agent_reads_as_much_history_as_it_asks_for(tmp_path: Path) -> None:
    write_package(
        tmp_path / "plugins" / "tale",
        io={"visibility": "story"},
        agent={"history": {"maxTurns": 1}},
    )
    session: dict[str, Any] = {}
    for number in range(3):
        played = play(tmp_path, "tale", say(f"Part {number}."), message=f"Go {number}.", **session)
        session = {"session_id": played.report.session_id}
    texts = [
        message.text
        for message in played.requests[0].messages
        if not isinstance(message, SystemMessage)
    ]
    assert texts == ["Go 1.", "Part 1.", "Go 2."]


def test_the_body_and_the_payload_reach_the_model(tmp_path: Path) -> None:
    package(tmp_path, body="Count to {{ player.message }} and {{ session.turnNumber }}.")
    played = play(tmp_path, "demo", done(), payload={"value": "hello"}, message="ten")
    request = played.requests[0]
    assert "Count to ten and 0." in request.messages[0].text
    activation = [m.text for m in request.messages if "<runtime-activation>" in m.text]
    assert '"hello"' in activation[-1]
    assert [spec.name for spec in request.tools] == [*TOOLS, "runtime-done"]


@pytest.mark.parametrize(
    ("environ", "summary"),
    [
        ({"COVEL_LOCALE": "zh"}, "完成。"),
        ({"COVEL_LOCALE": "zh", "COVEL_INSTRUCTION_LOCALE": "en"}, "Done."),
        ({"COVEL_LOCALE": "fr"}, "Done."),
    ],
)
def test_fixed_texts_are_in_the_instruction_language(
    tmp_path: Path, environ: dict[str, str], summary: str
) -> None:
    package(tmp_path)
    played = play(tmp_path, "demo", done(), environ=environ)
    assert json.loads(played.envelopes[0]) == {"summary": summary}


def test_a_slot_of_the_request_goes_before_the_manifests(tmp_path: Path) -> None:
    package(tmp_path, agent={"model": "plugin"})

    async def main() -> list[str | None]:
        async with opened(tmp_path, done(), done()) as host:
            await host.run(ManualRequest(target="demo"))
            await host.run(ManualRequest(target="demo", slot="fast"))
            return host.ports.gateway.asked_slots  # type: ignore[attr-defined, no-any-return]

    assert asyncio.run(main()) == ["plugin", "fast"]
