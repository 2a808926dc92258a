"""What a tool's context gives, and that it dies with the call."""

import asyncio
from pathlib import Path
from typing import Any

from covel_host.host import Host
from covel_host.turn.admission import ManualRequest
from tests.support.hosts import Played, opened, play
from tests.support.packages import write_package
from tests.support.replies import call, calls, done, say

CODE = """
import inspect
from plugin_sdk.errors import ToolError

kept = {}

@tool(name="facts")
async def facts(ctx: ToolContext) -> object:
    '''Plain members.'''
    session = await ctx.store.get_session()
    return {
        "pluginId": ctx.plugin_id, "runtimeId": ctx.runtime_id, "locale": ctx.locale,
        "logicalTurn": ctx.logical_turn, "turnNumber": ctx.turn_number,
        "sameSession": session.id == ctx.session_id, "phase": session.phase,
        "messages": dict(ctx.messages), "inputs": dict(ctx.inputs),
        "settings": ctx.user_settings, "year": ctx.clock.now().year > 2000,
        "cancelled": ctx.signal.cancelled,
        "topics": list(ctx.emitted_event_topics), "upstream": list(ctx.upstream_proposals),
    }

@tool(name="absent")
async def absent(ctx: ToolContext) -> object:
    '''The history of a character that there is none of.'''
    async def history(): return await ctx.history_for("npc-1")
    answers = {}
    for name, use in {
        "history": history,
    }.items():
        try:
            result = use()
            if inspect.isawaitable(result):
                await result
        except ToolError as error:
            answers[name] = error.code
    return answers

@tool(name="spoil")
async def spoil(ctx: ToolContext) -> object:
    '''Change what was read.'''
    ctx.user_settings["mood"] = "spoiled"
    value = await ctx.store.get_plugin_data("notes", "a")
    value["n"] = 99
    ctx.pending_proposals[0].value["n"] = 99
    return [
        ctx.user_settings["mood"], await ctx.store.get_plugin_data("notes", "a"),
        ctx.pending_proposals[0].value,
    ]

@tool(name="keep")
async def keep() -> object:
    '''Keep a note.'''
    return with_pending_proposals({}, [PluginData(namespace="notes", key="a", value={"n": 1})])

@tool(name="smuggle")
async def smuggle(ctx: ToolContext) -> object:
    '''Keep the context and a read under way.'''
    kept["ctx"] = ctx
    kept["read"] = asyncio.ensure_future(ctx.store.get_plugin_data("notes", "a"))
    await asyncio.sleep(0)

@tool(name="use-smuggled")
async def use_smuggled() -> object:
    '''Use what another call kept.'''
    answers = [kept["read"].done(), kept["read"].result()]
    for use in (
        lambda: kept["ctx"].store.get_plugin_data("notes", "a"),
        lambda: kept["ctx"].store.get_session(),
        lambda: kept["ctx"].store.list_turn_messages(),
    ):
        try:
            await use()
        except ToolError as error:
            answers.append(error.code)
    try:
        kept["ctx"].pending_proposals
    except ToolError as error:
        answers.append(error.code)
    return answers

@tool(name="told")
async def told(ctx: ToolContext) -> object:
    '''The story so far.'''
    page = await ctx.store.read_turn_messages(limit=1)
    return [
        [m.content for m in await ctx.store.list_turn_messages()],
        [m.content for m in await ctx.store.list_turn_messages(1)],
        [m.content for m in page.messages], page.has_more,
    ]
"""
TOOLS = ["facts", "absent", "spoil", "keep", "smuggle", "use-smuggled", "told"]


def package(home: Path) -> str:
    return write_package(home / "plugins" / "demo", code=CODE, tools=TOOLS)


def contents(played: Played) -> list[Any]:
    assert played.report.committed, played.envelopes
    return [found.content for found in played.report.result.tool_calls]


def test_a_context_knows_run_and_session(tmp_path: Path) -> None:
    package(tmp_path)
    played = play(tmp_path, "demo", calls(call("facts")), done(), environ={"COVEL_LOCALE": "zh"})
    assert contents(played)[0] == {
        "pluginId": "demo",
        "runtimeId": "demo",
        "locale": "zh",
        "logicalTurn": 1,
        "turnNumber": 0,
        "sameSession": True,
        "phase": "playing",
        "messages": {},
        "inputs": {},
        "settings": {},
        "year": True,
        "cancelled": False,
        "topics": [],
        "upstream": [],
    }


def test_the_history_of_nobody_is_not_found(tmp_path: Path) -> None:
    package(tmp_path)
    played = play(tmp_path, "demo", calls(call("absent")), done())
    assert contents(played)[0] == {"history": "not-found"}


def test_changing_what_was_read_changes_nothing(tmp_path: Path) -> None:
    package(tmp_path)
    manifest = tmp_path / "plugins" / "demo" / "PLUGIN.md"
    setting = "  settings:\n  - {key: mood, type: text, label: Mood, default: calm}\n"
    text = manifest.read_text(encoding="utf-8")
    manifest.write_text(text.replace("contributes:\n", f"contributes:\n{setting}"))
    played = play(tmp_path, "demo", calls(call("keep"), call("spoil")), done())
    assert contents(played)[1] == ["calm", {"n": 1}, {"n": 1}]
    assert played.rows.data == {("notes", "a"): {"n": 1}}


def test_a_call_ends_after_its_reads_and_takes_its_context_with_it(tmp_path: Path) -> None:
    package(tmp_path)
    played = play(
        tmp_path, "demo", calls(call("keep"), call("smuggle"), call("use-smuggled")), done()
    )
    assert contents(played)[2] == [True, {"n": 1}, *["unavailable"] * 4]


def test_messages_are_those_of_committed_turns(tmp_path: Path) -> None:
    package(tmp_path)
    write_package(tmp_path / "plugins" / "tale", io={"visibility": "story"})

    async def story(host: Host) -> str:
        first = await host.run(ManualRequest(target="tale", message="Begin."))
        return first.session_id

    async def main() -> Any:
        replies = [say("Once."), calls(call("told")), done()]
        async with opened(tmp_path, *replies) as host:
            session_id = await story(host)
            request = ManualRequest(target="demo", message="And now?", session_id=session_id)
            return (await host.run(request)).result.tool_calls[0].content

    assert asyncio.run(main()) == [["Begin.", "Once."], ["Once."], ["Begin."], True]
