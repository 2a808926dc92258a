"""Executions that are one tool call: the same path as a model's call, committed or not at all."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from covel_host.runtime.run import SingleCall
from covel_host.turn.admission import ManualRequest
from covel_host.turn.errors import RequestRefused
from tests.support.hosts import Played, opened, play, played_on
from tests.support.packages import write_package

CODE = """
@tool(name="keep")
async def keep(key: str, value: object = None) -> object:
    '''Keep a note.'''
    note = PluginData(namespace="notes", key=key, value=value)
    return with_pending_proposals({"kept": key}, [note])

@tool(name="recall", read_only=True)
async def recall(ctx: ToolContext, key: str) -> object:
    '''Read a note.'''
    return {"found": await ctx.store.get_plugin_data("notes", key), "by": ctx.runtime_id}

@tool(name="ring")
async def ring() -> object:
    '''Emit an event.'''
    return with_emitted_events(None, [Event(topic="bell.rang", data={"times": 2})])

@tool(name="secret")
async def secret() -> object:
    '''What the package does not contribute to models of others.'''
    raise ToolError("not-found", "There is no secret.", hint="Look elsewhere.")

@tool(name="hang", timeout_ms=20)
async def hang() -> object:
    '''Never end.'''
    await asyncio.Event().wait()

@tool(name="wait")
async def wait() -> object:
    '''Wait to be cancelled.'''
    await asyncio.Event().wait()
"""
TOOLS = ["keep", "recall", "ring", "secret", "hang", "wait"]
RANG = {"bell.rang": {"type": "object"}}


def bells(home: Path, code: str = "", **more: Any) -> None:
    given = {"tools": TOOLS, "events": RANG, **more}
    write_package(home / "plugins" / "bells", code=CODE + code, **given)


def called(
    home: Path, tool: str, arguments: Mapping[str, Any] | str | None = None, **request: Any
) -> Played:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments or {})
    return play(home, "bells", call=SingleCall(tool, text), **request)


def test_what_a_call_stages_is_committed_in_a_turn_of_its_own(tmp_path: Path) -> None:
    bells(tmp_path)
    played = called(tmp_path, "keep", {"key": "a", "value": [1, None]})
    assert (played.report.committed, played.report.revision) == (True, 1)
    assert played.rows.data == {("notes", "a"): [1, None]}
    assert played.requests == []
    [row] = played.rows.tool_calls
    assert (row.tool_name, row.runtime_id) == ("keep", "bells/tool:keep")
    assert (row.status, row.arguments, row.result) == (
        "completed",
        {"key": "a", "value": [1, None]},
        {"kept": "a"},
    )


def test_the_turn_keeps_the_whole_value_and_the_steps(tmp_path: Path) -> None:
    bells(tmp_path)
    played = called(tmp_path, "keep", {"key": "a"})
    assert played.rows.turn is not None
    assert (played.rows.turn.origin, played.rows.turn.commit_status) == ("manual", "committed")
    assert played.kept_result["output"] == {"kept": "a"}
    assert [event.type for event in played.rows.trace] == [
        "turn.started",
        "runtime.started",
        "tool.calling",
        "tool.completed",
        "runtime.completed",
        "turn.completed",
    ]


def test_a_later_call_of_the_session_reads_what_an_earlier_one_wrote(tmp_path: Path) -> None:
    bells(tmp_path)

    async def main() -> tuple[Played, Played]:
        async with opened(tmp_path) as host:
            keep = SingleCall("keep", '{"key": "a", "value": 7}')
            first = await played_on(host, ManualRequest(target="bells", call=keep))
            recall = SingleCall("recall", '{"key": "a"}')
            session_id = first.report.session_id
            request = ManualRequest(target="bells", call=recall, session_id=session_id)
            return first, await played_on(host, request)

    _, second = asyncio.run(main())
    assert second.report.result.value == {"found": 7, "by": "bells/tool:recall"}
    assert second.report.revision == 2


def test_an_emitted_event_is_committed_with_the_call(tmp_path: Path) -> None:
    bells(tmp_path)
    played = called(tmp_path, "ring")
    assert played.report.failure is None, played.report.failure
    assert [one.type for one in played.report.result.proposals] == ["event.emit"]
    assert "event.emitted" in played.observer.types


def test_arguments_are_mended_and_checked_as_a_models_are(tmp_path: Path) -> None:
    bells(tmp_path)
    mended = called(tmp_path, "keep", '{"key": "a", "value": 1}]')
    assert mended.rows.data == {("notes", "a"): 1}
    wrong = called(tmp_path, "keep", {"key": 5})
    assert (wrong.report.committed, wrong.rows.data) == (False, {})
    assert json.loads(wrong.envelopes[0])["error"]["code"] == "invalid-input"


@pytest.mark.parametrize(
    ("tool", "code"), [("secret", "not-found"), ("hang", "timeout")], ids=["raises", "too late"]
)
def test_a_call_that_fails_commits_nothing_and_keeps_its_audit(
    tmp_path: Path, tool: str, code: str
) -> None:
    bells(tmp_path)
    played = called(tmp_path, tool)
    assert (played.report.committed, played.rows.session.revision) == (False, 0)
    assert played.report.failure is not None
    assert played.report.failure.code == "tool-call-failed"
    [row] = played.rows.tool_calls
    assert row.status == "failed"
    assert row.error is not None
    assert row.error["code"] == code


def test_a_failure_carries_the_message_and_the_hint_of_the_tool(tmp_path: Path) -> None:
    bells(tmp_path)
    failure = called(tmp_path, "secret").report.failure
    assert failure is not None
    assert (failure.message, failure.hint) == ("There is no secret.", "Look elsewhere.")


def test_a_hook_may_refuse_a_call_and_change_another(tmp_path: Path) -> None:
    hook = """
from plugin_sdk.hooks import abort, proceed

@hookimpl
async def pre_tool_use(ctx, call):
    if call.name == "ring":
        return abort("not tonight")
    return proceed(replace={"arguments": {**call.arguments, "key": "b"}})

@hookimpl
async def post_tool_use(ctx, call):
    return proceed(replace={"result": {"changed": call.result}})
"""
    bells(tmp_path, hook, hooks=["PreToolUse", "PostToolUse"])
    refused = called(tmp_path, "ring")
    assert refused.report.committed is False
    assert json.loads(refused.envelopes[0]) == {
        "error": {"code": "refused", "message": "not tonight"}
    }
    kept = called(tmp_path, "keep", {"key": "a", "value": 1})
    assert kept.rows.data == {("notes", "b"): 1}
    assert kept.report.result.value == {"changed": {"kept": "b"}}


def test_a_hook_cannot_lead_a_call_to_a_framework_tool(tmp_path: Path) -> None:
    hook = """
from plugin_sdk.hooks import abort, proceed

from plugin_sdk.hooks import proceed

@hookimpl
async def pre_tool_use(ctx, call):
    return proceed(replace={"name": "render-ui"})
"""
    bells(tmp_path, hook, hooks=["PreToolUse"])
    played = called(tmp_path, "ring")
    assert json.loads(played.envelopes[0])["error"]["code"] == "unavailable"


def test_a_cancelled_call_leaves_a_failed_turn_without_writes(tmp_path: Path) -> None:
    bells(tmp_path)

    async def main() -> tuple[str, ...]:
        async with opened(tmp_path) as host:
            request = ManualRequest(target="bells", call=SingleCall("wait", "{}"))
            begun = asyncio.Event()

            class Watch:
                async def on_event(self, event: Any) -> None: ...
                async def on_text(self, text: str, *, reset: bool) -> None: ...
                def on_trace(self, event: Any) -> None:
                    if event.type == "tool.calling":
                        begun.set()

            running = asyncio.ensure_future(host.run(request, observer=Watch()))
            await begun.wait()
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running
            rows = host.ports.store.read_now(_turns)
            return tuple(rows)

    assert asyncio.run(main()) == ("failed",)


def test_a_tool_the_package_lacks_is_refused_with_the_nearest(tmp_path: Path) -> None:
    bells(tmp_path)
    with pytest.raises(RequestRefused) as caught:
        called(tmp_path, "kep")
    assert (caught.value.code, caught.value.hint) == ("tool-not-found", "Did you mean 'keep'?")


def _turns(reading: Any) -> list[str]:
    from covel_host.store.sessions import list_sessions
    from covel_host.store.turns import list_turns

    return [
        turn.commit_status
        for session in list_sessions(reading)
        for turn in list_turns(reading, session.session_id)
    ]
