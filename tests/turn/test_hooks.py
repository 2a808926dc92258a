"""Life-cycle hooks of packages in executions through the host: what each event may do."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from covel_host.hooks.dispatcher import HookDispatcher
from covel_host.host import Host
from covel_host.models.messages import SystemMessage, ToolMessage, UserMessage
from covel_host.models.slots import SlotTable
from covel_host.settings import read_settings
from covel_host.turn.admission import ManualRequest
from covel_host.turn.hook_calls import tell_session_start
from covel_host.turn.sessions import new_session
from tests.support.hosts import Played, Recorder, Rows, opened, play, rows_of
from tests.support.packages import write_package
from tests.support.replies import PlayedGateway, call, calls, done, say

CODE = """
import json
from pathlib import Path

def note(**facts):
    with (Path(__file__).parent / "seen.log").open("a") as seen:
        seen.write(json.dumps(facts) + "\\n")

@tool(name="keep", stages_writes=True)
async def keep(key: str, value: object = 1) -> object:
    '''Keep a note.'''
    note = PluginData(namespace="notes", key=key, value=value)
    return with_pending_proposals({"kept": key}, [note])

@tool(name="look", read_only=True, concurrency_safe=True)
async def look(at: str = "") -> object:
    '''Look.'''
    await asyncio.sleep(0)
    return {"seen": at}

@tool(name="secret", read_only=True)
async def secret() -> object:
    '''What no runtime lists.'''
    return {"secret": 1}
"""

FUNCTION = {"handler": "./server/handler.py", "tools": {"plugin": ["look", "keep"]}}


def bells(home: Path, hook: str, *events: str, **more: Any) -> None:
    """A package `bells` with tools and the hooks that `hook` defines."""
    agent = {"tools": {"plugin": ["keep", "look"]}}
    given = {"agent": agent, "tools": ["keep", "look", "secret"], **more}
    write_package(home / "plugins" / "bells", code=CODE + hook, hooks=events, **given)


def seen(home: Path) -> list[Any]:
    """What the hooks of `bells` noted."""
    log = home / "plugins" / "bells" / "server" / "seen.log"
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def traced(played: Played, *types: str) -> list[tuple[str, str]]:
    """The trace events of hooks, with the event each was about."""
    return [
        (event.type, str(event.data["event"]))
        for event in played.observer.trace
        if event.type.startswith("hook.") and (not types or event.type in types)
    ]


# --- the session and the turn -----------------------------------------------------------------


def test_session_start_is_told_once_of_a_new_session(tmp_path: Path) -> None:
    bells(
        tmp_path,
        """
@hookimpl
def session_start(ctx, session):
    note(session=session.session_id, same=ctx.session_id == session.session_id, turn=ctx.turn_id)
""",
        "SessionStart",
    )
    first = play(tmp_path, "bells", done())
    play(tmp_path, "bells", done(), session_id=first.report.session_id)
    assert seen(tmp_path) == [{"session": first.report.session_id, "same": True, "turn": ""}]


@pytest.mark.parametrize("hook", ["pass", "raise ValueError('no rope')"])
def test_session_start_is_told_of_a_session_that_no_execution_was_made_for(
    tmp_path: Path, hook: str
) -> None:
    bells(
        tmp_path,
        f"""
@hookimpl
def session_start(ctx, session):
    note(session=session.session_id, world=session.world_id, turn=ctx.turn_id)
    {hook}
""",
        "SessionStart",
    )

    async def main() -> tuple[str, list[str]]:
        async with opened(tmp_path, done()) as host:
            observer = Recorder()
            session = await new_session(host.ports, ("bells",))
            await tell_session_start(session, host.ports, observer)
            await host.run(ManualRequest(target="bells", session_id=session.session_id))
            return session.session_id, [event.type for event in observer.trace]

    session_id, traced_types = asyncio.run(main())
    assert seen(tmp_path) == [{"session": session_id, "world": None, "turn": ""}]
    assert traced_types == ["hook.fired" if hook == "pass" else "hook.error"]


def test_session_start_is_called_for_active_packages_whose_code_may_run(tmp_path: Path) -> None:
    hook = """
@hookimpl
def session_start(session):
    note(told=session.session_id)
"""
    bells(tmp_path, hook, "SessionStart")

    async def main(environ: dict[str, str], packages: list[str]) -> None:
        settings = read_settings({"COVEL_HOME": str(tmp_path), **environ})
        host = await Host.open(settings, load=())
        try:
            await host.open_session(packages)
        finally:
            await host.close()

    asyncio.run(main({}, ["bells"]))
    asyncio.run(main({"COVEL_TRUST": "bells"}, []))
    assert seen(tmp_path) == []
    asyncio.run(main({"COVEL_TRUST": "bells"}, ["bells"]))
    assert len(seen(tmp_path)) == 1


def test_a_turn_start_hook_ends_the_execution_before_anything_runs(tmp_path: Path) -> None:
    bells(
        tmp_path,
        """
@hookimpl
async def turn_start(ctx, turn):
    note(said=turn.player_message, runtimes=turn.active_runtimes)
    return abort("Not at night.")
""",
        "TurnStart",
    )
    played = play(tmp_path, "bells", message="Ring!")
    failure = played.report.failure
    assert failure is not None
    assert (failure.code, failure.message) == ("turn-vetoed", "Not at night.")
    assert seen(tmp_path) == [{"said": "Ring!", "runtimes": ["bells"]}]
    assert (played.requests, played.rows.messages) == ([], [])
    assert played.observer.types == ["execution.started", "execution.completed"]
    assert played.observer.events[-1].payload["abortReason"] == "Not at night."
    assert played.rows.turn is not None
    assert played.rows.turn.commit_status == "failed"


def test_a_guard_hook_that_raises_has_the_effect_of_an_abort(tmp_path: Path) -> None:
    bells(
        tmp_path,
        """
@hookimpl
def turn_start(ctx):
    raise ValueError("the key of the tower is 1234")
""",
        "TurnStart",
    )
    played = play(tmp_path, "bells")
    assert played.report.failure is not None
    assert played.report.failure.message == "The hook 'turn_start' of the package 'bells' failed."
    assert traced(played) == [("hook.error", "TurnStart"), ("hook.aborted", "TurnStart")]


def test_turn_stop_sees_the_results_before_they_are_committed(tmp_path: Path) -> None:
    bells(
        tmp_path,
        """
@hookimpl
def turn_stop(ctx, turn):
    [result] = turn.runtime_results
    note(status=result["status"], output=result["output"], took=turn.duration_ms >= 0)
""",
        "TurnStop",
    )
    played = play(tmp_path, "bells", say("Nothing rings."))
    assert played.report.committed
    assert seen(tmp_path) == [
        {"status": "success", "output": {"value": "Nothing rings."}, "took": True}
    ]


# --- the runtime ------------------------------------------------------------------------------


def test_a_pre_runtime_hook_skips_the_runtime_with_its_reason(tmp_path: Path) -> None:
    bells(
        tmp_path,
        """
@hookimpl
async def pre_runtime(ctx, run):
    note(runtime=ctx.runtime_id, input=run.input, trigger=run.manifest["schedule"]["trigger"])
    return abort("The bells are being cast.")
""",
        "PreRuntime",
    )
    played = play(tmp_path, "bells", payload={"times": 3}, message="Ring!")
    assert (played.report.result.status, played.report.committed) == ("skipped", True)
    assert played.report.result.reason == "The bells are being cast."
    assert seen(tmp_path) == [
        {
            "runtime": "bells",
            "input": {"playerMessage": "Ring!", "manualPayload": {"times": 3}},
            "trigger": {"type": "manual"},
        }
    ]


def test_a_post_runtime_hook_replaces_the_result(tmp_path: Path) -> None:
    bells(
        tmp_path,
        """
@hookimpl
async def post_runtime(run):
    return proceed(replace={"result": {"canonicalValue": {"rings": run.result["canonicalValue"]}}})
""",
        "PostRuntime",
    )
    played = play(tmp_path, "bells", say("twelve"))
    assert played.kept_result["output"] == {"rings": "twelve"}
    assert played.report.result.value == {"rings": "twelve"}


def test_a_result_that_a_hook_broke_fails_the_run_and_is_told_once(tmp_path: Path) -> None:
    bells(
        tmp_path,
        """
@hookimpl
async def post_runtime():
    return proceed(replace={"result": {"canonicalValue": "three"}})
""",
        "PostRuntime",
        io={"output": {"schema": "./rings.json"}},
        files={"rings.json": '{"type": "integer"}'},
    )
    played = play(tmp_path, "bells", say("3"))
    assert played.report.failure is not None
    assert played.report.failure.code == "output-schema-invalid"
    ends = [event.type for event in played.observer.trace if event.type.startswith("runtime.")]
    assert ends == ["runtime.started", "runtime.failed"]


def test_a_story_is_told_as_a_post_runtime_hook_left_it(tmp_path: Path) -> None:
    bells(
        tmp_path,
        """
@hookimpl
async def post_runtime(run):
    text = run.result["canonicalValue"].replace("Rome", "R.")
    return proceed(replace={"result": {"canonicalValue": text}})
""",
        "PostRuntime",
        agent={},
        io={"visibility": "story"},
    )
    played = play(tmp_path, "bells", say("All roads lead to Rome."))
    assert [message.content for message in played.rows.messages] == ["All roads lead to R.."]
    assert played.observer.texts[-2:] == [None, "All roads lead to R.."]


def test_a_run_that_a_hook_fails_writes_nothing(tmp_path: Path) -> None:
    bells(
        tmp_path,
        """
@hookimpl
async def post_runtime():
    error = {"code": "too-loud", "message": "The neighbours complained."}
    return proceed(replace={"result": {"status": "failed", "error": error}})
""",
        "PostRuntime",
    )
    played = play(tmp_path, "bells", calls(call("keep", {"key": "a"})), done())
    assert (played.report.committed, played.rows.data) == (False, {})
    assert played.report.failure is not None
    assert played.report.failure.code == "too-loud"
    assert not played.report.failure.counts_as_error


def test_a_failed_run_that_a_hook_calls_a_success_still_writes_nothing(tmp_path: Path) -> None:
    bells(
        tmp_path,
        """
@hookimpl
async def post_runtime(run):
    assert run.result["error"]["code"] == "max_steps"
    return proceed(replace={"result": {"status": "success"}})
""",
        "PostRuntime",
        agent={"tools": {"plugin": ["keep"]}, "loop": {"maxSteps": 1}},
    )
    played = play(tmp_path, "bells", calls(call("keep", {"key": "a"})))
    assert (played.report.committed, played.rows.data) == (True, {})


# --- the model --------------------------------------------------------------------------------


def test_a_post_context_assembly_hook_rewrites_the_prompt_behind_the_opening(
    tmp_path: Path,
) -> None:
    bells(
        tmp_path,
        """
@hookimpl
async def post_context_assembly(prompt):
    note(kind=prompt.output_kind, template=prompt.prompt_template)
    messages = [*prompt.messages, {"role": "user", "content": "Hush."}]
    return proceed(replace={"system_prompt": "Whisper.", "messages": messages})
""",
        "PostContextAssembly",
    )
    played = play(tmp_path, "bells", done(), message="Ring!")
    [request] = played.requests
    system, *_, said, added = request.messages
    assert isinstance(system, SystemMessage)
    assert system.text.startswith("[FRAME]")
    assert system.text.endswith("\n\nWhisper.")
    assert (said, added) == (UserMessage("Ring!"), UserMessage("Hush."))
    assert seen(tmp_path) == [{"kind": "runtime-done", "template": "Do what you are asked.\n"}]


def test_a_pre_llm_call_hook_changes_one_call_and_its_segments_last(tmp_path: Path) -> None:
    bells(
        tmp_path,
        """
@hookimpl
async def pre_llm_call(request):
    note(model=request.model, segments=len(request.prompt_segments), stream=request.stream)
    if request.prompt_segments:
        return None
    return proceed(replace={
        "messages": [*request.messages, {"role": "user", "content": "Once."}],
        "tools": [tool for tool in request.tools if tool["name"] != "keep"],
        "stream": False,
        "prompt_segments": [
            {"id": "tone", "content": "Stay calm.", "position": "system", "volatility": "session"},
            {"id": "end", "content": "Remember.", "position": "post-history", "role": "user"},
        ],
    })
""",
        "PreLLMCall",
    )
    played = play(tmp_path, "bells", say("Hm.", call("look")), done())
    first, second = played.requests
    assert played.observer.texts == ["Hm.", None]
    assert [tool.name for tool in first.tools] == ["look", "runtime-done"]
    assert [tool.name for tool in second.tools] == ["keep", "look", "runtime-done"]
    assert (first.stream, second.stream) == (False, True)
    for request in played.requests:
        assert request.messages[0].text.startswith("[FRAME]")
        assert request.messages[0].text.endswith("\n\nStay calm.")
        assert UserMessage("Remember.") in request.messages
    assert UserMessage("Once.") in first.messages
    assert UserMessage("Once.") not in second.messages
    assert [fact["segments"] for fact in seen(tmp_path)] == [0, 2]


SLOT = """
@hookimpl
async def pre_llm_call(request):
    return proceed(replace={"model": "fast"})
"""


def test_a_pre_llm_call_hook_chooses_the_slot(tmp_path: Path) -> None:
    bells(tmp_path, SLOT, "PreLLMCall")
    asked: list[str | None] = []

    async def main() -> None:
        async with opened(tmp_path, done()) as host:
            await host.run(ManualRequest(target="bells"))
            gateway = host.ports.gateway
            assert isinstance(gateway, PlayedGateway)
            asked.extend(gateway.asked_slots)

    asyncio.run(main())
    assert asked == ["fast"]


def test_a_slot_that_nobody_configured_fails_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bells(tmp_path, SLOT, "PreLLMCall")
    slots = SlotTable({})
    monkeypatch.setattr(PlayedGateway, "check_slot", lambda _, name: slots.exact(name))
    played = play(tmp_path, "bells")
    assert played.report.failure is not None
    assert played.report.failure.code == "config-error"
    assert "There is no model slot 'fast'" in played.report.failure.message


def test_a_reply_is_taken_as_a_post_llm_response_hook_left_it(tmp_path: Path) -> None:
    bells(
        tmp_path,
        """
@hookimpl
async def post_llm_response(response):
    text = response.response["text"].upper()
    return proceed(replace={"response": {"text": text, "toolCalls": []}})
""",
        "PostLLMResponse",
    )
    played = play(tmp_path, "bells", say("ding", call("keep", {"key": "a"})))
    assert played.report.result.value == "DING"
    assert (played.report.result.tool_calls, played.rows.data) == ((), {})
    assert played.observer.texts == ["ding", None, "DING"]


REJECTING = """
@hookimpl
async def post_llm_response(response):
    if "Rome" in response.response["text"]:
        return proceed(replace={"correction": "Do not name the city."})
"""


def test_a_rejected_draft_is_answered_and_written_again(tmp_path: Path) -> None:
    bells(tmp_path, REJECTING, "PostLLMResponse")
    played = play(
        tmp_path, "bells", say("To Rome!", call("keep", {"key": "a"})), say("To the city!")
    )
    _, second = played.requests
    told, correction = second.messages[-2:]
    assert isinstance(told, ToolMessage)
    assert json.loads(told.text)["error"]["code"] == "cancelled"
    assert correction == UserMessage("Do not name the city.")
    assert (played.report.result.value, played.rows.data) == ("To the city!", {})
    assert [row.status for row in played.rows.tool_calls] == ["skipped"]


def test_one_rejected_draft_more_than_allowed_fails_the_run(tmp_path: Path) -> None:
    bells(tmp_path, REJECTING, "PostLLMResponse")
    played = play(tmp_path, "bells", *[say("Rome.")] * 3)
    assert played.report.failure is not None
    assert played.report.failure.code == "draft_rejected"


# --- tool calls -------------------------------------------------------------------------------


def test_a_pre_tool_use_hook_renames_and_rewrites_a_call_everywhere(tmp_path: Path) -> None:
    bells(
        tmp_path,
        """
@hookimpl
async def pre_tool_use(call):
    if call.name == "look":
        return proceed(replace={"name": "keep", "arguments": {"key": call.arguments["at"]}})
""",
        "PreToolUse",
    )
    played = play(tmp_path, "bells", calls(call("look", {"at": "b"}, call_id="c1")), done())
    assert played.rows.data == {("notes", "b"): 1}
    [asked] = [m for m in played.requests[1].messages if getattr(m, "calls", ())]
    assert asked.calls == (call("keep", '{"key":"b"}', call_id="c1"),)
    row = played.rows.tool_calls[0]
    assert (row.call_id, row.tool_name, row.arguments) == ("c1", "keep", {"key": "b"})


def test_a_refused_call_tells_the_model_why_and_counts_for_nothing(tmp_path: Path) -> None:
    bells(
        tmp_path,
        """
@hookimpl
def pre_tool_use(call):
    return abort("Ask the sexton first.") if call.name == "keep" else None
""",
        "PreToolUse",
        agent={"tools": {"plugin": ["keep"]}, "completion": {"require": "explicit"}},
    )
    played = play(tmp_path, "bells", calls(call("keep", {"key": "a"})), done())
    assert played.report.committed
    assert json.loads(played.envelopes[0]) == {
        "error": {"code": "refused", "message": "Ask the sexton first."}
    }
    assert [row.status for row in played.rows.tool_calls] == ["skipped", "completed"]
    assert played.rows.data == {}


def test_a_name_outside_the_whitelist_is_unavailable(tmp_path: Path) -> None:
    bells(
        tmp_path,
        """
@hookimpl
async def pre_tool_use(call):
    return proceed(replace={"name": "secret", "arguments": {}}) if call.name == "look" else None
""",
        "PreToolUse",
    )
    played = play(tmp_path, "bells", calls(call("look")), say("No secret."))
    assert json.loads(played.envelopes[0])["error"]["code"] == "unavailable"


def test_calls_that_hooks_made_pure_reads_share_a_pool(tmp_path: Path) -> None:
    bells(
        tmp_path,
        """
@hookimpl
async def pre_tool_use(call):
    if call.name == "keep":
        return proceed(replace={"name": "look", "arguments": {"at": "here"}})
""",
        "PreToolUse",
    )
    reply = calls(call("look", {"at": "there"}), call("keep", {"key": "a"}))
    played = play(tmp_path, "bells", reply, done())
    steps = [event.type for event in played.observer.trace if event.type.startswith("tool.")]
    assert steps[:4] == ["tool.calling", "tool.calling", "tool.completed", "tool.completed"]


def test_a_post_tool_use_hook_replaces_what_code_and_model_read(tmp_path: Path) -> None:
    bells(
        tmp_path,
        """
@hookimpl
async def post_tool_use(call):
    if call.name == "keep":
        return proceed(replace={"result": {"kept": "something"}})
""",
        "PostToolUse",
        agent={"tools": {"plugin": ["keep"]}, "completion": {"afterTools": ["keep"]}},
    )
    played = play(tmp_path, "bells", calls(call("keep", {"key": "a"})))
    told = json.loads(played.envelopes[0])
    assert told["data"] == {"kept": "something"}
    assert told["staged"]["kinds"] == ["plugin.data"]
    assert played.report.result.value == {"kept": "something"}
    assert played.rows.data == {("notes", "a"): 1}
    # What is stored, and what a terminal shows, is what was read.
    assert played.rows.tool_calls[0].result == {"kept": "something"}
    steps = {event.type: event.data for event in played.observer.trace}
    assert json.loads(str(steps["tool.completed"]["result"]))["data"] == {"kept": "a"}
    assert steps["tool.replaced"]["result"] == played.envelopes[0]


def test_an_answer_that_cannot_be_used_leaves_a_warning_of_the_run(tmp_path: Path) -> None:
    bells(
        tmp_path,
        """
@hookimpl
async def post_tool_use(call):
    return proceed(replace={"result": object()})
""",
        "PostToolUse",
    )
    played = play(tmp_path, "bells", calls(call("look"), call("look")), done())
    (warning,) = played.report.result.warnings
    assert warning.startswith("The hook 'post_tool_use' of 'bells' failed on PostToolUse: ")
    assert played.kept_result["warnings"] == [warning]
    assert played.report.result.tool_calls[0].content == {"seen": ""}


def test_a_post_tool_use_hook_ends_the_loop_and_the_rest_is_answered(tmp_path: Path) -> None:
    bells(
        tmp_path,
        """
@hookimpl
async def post_tool_use(call):
    return proceed(replace={"terminate": True})
""",
        "PostToolUse",
    )
    reply = calls(call("keep", {"key": "a"}), call("keep", {"key": "b"}))
    played = play(tmp_path, "bells", reply)
    assert (played.report.committed, played.report.result.ended_by) == (True, "hook")
    assert [row.status for row in played.rows.tool_calls] == ["completed", "skipped"]
    assert played.rows.data == {("notes", "a"): 1}


def test_hooks_see_the_failure_of_a_call(tmp_path: Path) -> None:
    bells(
        tmp_path,
        """
@hookimpl
def post_tool_use(call):
    note(code=call.error.code, arguments=call.arguments)
""",
        "PostToolUse",
    )
    play(tmp_path, "bells", calls(call("look", {"at": 3})), say("Well."))
    assert seen(tmp_path) == [{"code": "invalid-input", "arguments": {"at": 3}}]


def function(home: Path, handler: str, hook: str, *events: str) -> None:
    bells(home, hook, *events, function=FUNCTION, files={"server/handler.py": handler})


def test_a_refused_call_fails_a_function_even_when_it_is_caught(tmp_path: Path) -> None:
    function(
        tmp_path,
        """
from plugin_sdk import ToolError

async def handle(ctx):
    try:
        await ctx.tools.call("look", {})
    except ToolError as error:
        return [error.code, error.message]
""",
        """
@hookimpl
def pre_tool_use(call):
    return abort("Ask the sexton first.")
""",
        "PreToolUse",
    )
    played = play(tmp_path, "bells")
    assert played.report.failure is not None
    assert played.report.failure.code == "tool-call-failed"
    assert "(refused)" in played.report.failure.message
    [row] = played.rows.tool_calls
    assert (row.status, row.error) == (
        "skipped",
        {"code": "refused", "message": "Ask the sexton first."},
    )


def test_a_function_reads_the_result_that_hooks_left(tmp_path: Path) -> None:
    function(
        tmp_path,
        """
async def handle(ctx):
    return await ctx.tools.call("look", {"at": "Rome"})
""",
        """
@hookimpl
def post_tool_use(call):
    return proceed(replace={"result": {"seen": "a city"}, "terminate": True})
""",
        "PostToolUse",
    )
    assert play(tmp_path, "bells").kept_result["output"] == {"seen": "a city"}


def test_calls_of_a_function_behind_a_termination_are_cancelled_and_fail_it(
    tmp_path: Path,
) -> None:
    function(
        tmp_path,
        """
async def handle(ctx):
    first = await ctx.tools.call("look", {})
    await ctx.tools.call("keep", {"key": "a"})
    return first
""",
        """
@hookimpl
def post_tool_use(call):
    return proceed(replace={"terminate": True})
""",
        "PostToolUse",
    )
    played = play(tmp_path, "bells")
    assert played.report.result.status == "failed"
    assert [(row.tool_name, row.status) for row in played.rows.tool_calls] == [
        ("look", "completed"),
        ("keep", "skipped"),
    ]
    assert played.rows.data == {}


# --- the commit -------------------------------------------------------------------------------


def test_a_pre_state_commit_hook_replaces_the_payload(tmp_path: Path) -> None:
    bells(
        tmp_path,
        """
@hookimpl
async def pre_state_commit(ctx, commit):
    if commit.proposal.type == "plugin.data":
        note(plugin=ctx.plugin_id, runtime=ctx.runtime_id)
        return proceed(replace={"payload": {**commit.proposal.payload(), "value": "better"}})
""",
        "PreStateCommit",
    )
    played = play(tmp_path, "bells", calls(call("keep", {"key": "a", "value": "good"})), done())
    assert played.rows.data == {("notes", "a"): "better"}
    assert seen(tmp_path) == [{"plugin": "bells", "runtime": "bells"}]


def test_a_vetoed_proposal_takes_its_unit_with_it(tmp_path: Path) -> None:
    bells(
        tmp_path,
        """
@hookimpl
async def pre_state_commit(commit):
    note(key=commit.proposal.key)
    return abort("Not this one.") if commit.proposal.key == "b" else None
""",
        "PreStateCommit",
    )
    keep = [call("keep", {"key": key}) for key in "abc"]
    played = play(tmp_path, "bells", calls(*keep), done())
    failure = played.report.failure
    assert failure is not None
    assert (failure.code, played.rows.data) == ("proposal-vetoed", {})
    assert failure.message.endswith("a hook kept it from being committed: Not this one.")
    [failed] = [event for event in played.observer.events if event.type == "proposal.failed"]
    assert failed.payload["code"] == "proposal-vetoed"
    assert [fact["key"] for fact in seen(tmp_path)] == ["a", "b"]


def test_a_payload_that_fits_no_proposal_has_the_effect_of_an_abort(tmp_path: Path) -> None:
    bells(
        tmp_path,
        """
@hookimpl
async def pre_state_commit(commit):
    return proceed(replace={"payload": {"namespace": 3}})
""",
        "PreStateCommit",
    )
    played = play(tmp_path, "bells", calls(call("keep", {"key": "a"})), done())
    assert (played.report.committed, played.rows.data) == (False, {})


def test_post_state_commit_is_told_of_each_committed_proposal(tmp_path: Path) -> None:
    bells(
        tmp_path,
        """
@hookimpl
def post_state_commit(commit):
    note(key=commit.proposal.key, revision=commit.result["revision"])
    raise ValueError("too late to matter")
""",
        "PostStateCommit",
    )
    keep = [call("keep", {"key": key}) for key in "ab"]
    played = play(tmp_path, "bells", calls(*keep), done())
    assert played.report.committed
    assert seen(tmp_path) == [{"key": "a", "revision": 1}, {"key": "b", "revision": 1}]
    kept = [row.type for row in played.rows.trace]
    assert kept.count("hook.error") == 2


# --- who is called ----------------------------------------------------------------------------


def test_hooks_of_packages_that_are_not_in_the_session_are_not_called(tmp_path: Path) -> None:
    bells(
        tmp_path,
        """
@hookimpl
def turn_start():
    return abort("Not in my session.")
""",
        "TurnStart",
    )
    write_package(tmp_path / "plugins" / "alone")
    assert play(tmp_path, "alone", done()).report.committed


def test_hooks_of_the_sessions_other_packages_are_called_in_later_turns(tmp_path: Path) -> None:
    bells(
        tmp_path,
        """
@hookimpl
def turn_start(ctx):
    note(active=ctx.active_plugin_ids)
""",
        "TurnStart",
    )
    write_package(tmp_path / "plugins" / "alone")
    first = play(tmp_path, "alone", done())
    play(tmp_path, "bells", done(), session_id=first.report.session_id)
    play(tmp_path, "alone", done(), session_id=first.report.session_id)
    assert seen(tmp_path) == [{"active": ["alone", "bells"]}] * 2


def test_a_hook_for_an_event_that_never_fires_is_loaded_and_told(tmp_path: Path) -> None:
    bells(tmp_path, "\n@hookimpl\ndef session_end(): ...\n", "SessionEnd")
    played = play(tmp_path, "bells", done())
    assert played.report.committed


def test_nothing_is_made_for_events_that_nobody_listens_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a payload was made for nobody")

    for name in ("RuntimeStart", "RuntimeEnd"):
        monkeypatch.setattr(f"covel_host.runtime.runtime_hooks.{name}", refuse)
    for name in ("AssembledPrompt", "ModelRequest"):
        monkeypatch.setattr(f"covel_host.runtime.prompt_hooks.{name}", refuse)
    monkeypatch.setattr("covel_host.runtime.reply_hooks.ModelResponse", refuse)
    for name in ("ToolCall", "FinishedToolCall"):
        monkeypatch.setattr(f"covel_host.tools.call_hooks.{name}", refuse)
    for name in ("TurnStop", "ProposalCommit", "CommittedProposal"):
        monkeypatch.setattr(f"covel_host.turn.hook_calls.{name}", refuse)
    monkeypatch.setattr(HookDispatcher, "_ended", refuse)
    bells(tmp_path, "")
    assert play(tmp_path, "bells", calls(call("keep", {"key": "a"})), done()).report.committed


def test_an_abort_while_a_hook_of_the_commit_runs_keeps_the_turn_as_aborted(
    tmp_path: Path,
) -> None:
    bells(
        tmp_path,
        """
@hookimpl(timeout_ms=60_000)
async def pre_state_commit(ctx, commit):
    note(reached=commit.proposal.type)
    await asyncio.Event().wait()
""",
        "PreStateCommit",
    )

    async def main() -> tuple[Recorder, Rows]:
        observer = Recorder()
        async with opened(tmp_path, calls(call("keep", {"key": "a"})), done()) as host:
            run = asyncio.ensure_future(host.run(ManualRequest(target="bells"), observer=observer))
            while not seen(tmp_path):
                await asyncio.sleep(0.001)
            run.cancel()
            with pytest.raises(asyncio.CancelledError):
                await run
            session_id = observer.events[0].session_id
            turn_id = observer.trace[0].turn_id
            return observer, rows_of(host.ports.store, session_id, turn_id, "bells")

    observer, rows = asyncio.run(main())
    assert rows.data == {}
    assert rows.turn is not None
    assert rows.turn.commit_status == "failed"
    assert observer.events[-1].payload["abortReason"] == "aborted-by-player"
    ends = [kind for kind in observer.types if kind in ("runtime.completed", "runtime.failed")]
    assert ends == ["runtime.completed"]
    assert [e.type for e in observer.trace if e.type.startswith("runtime.")] == [
        "runtime.started",
        "runtime.completed",
    ]


def test_a_rule_of_the_host_denies_a_tool_and_the_audit_says_so(tmp_path: Path) -> None:
    bells(tmp_path, "")
    played = play(
        tmp_path,
        "bells",
        calls(call("keep", {"key": "a"}), call("look")),
        say("Nothing kept."),
        environ={"COVEL_TOOL_RULES": "deny keep"},
    )
    assert json.loads(played.envelopes[0])["error"]["code"] == "refused"
    assert [row.approval for row in played.rows.tool_calls] == ["denied", "auto-allowed"]
