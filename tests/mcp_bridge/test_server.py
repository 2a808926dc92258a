"""The protocol over a host, without a process between: the official client calls the tools."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import ClientSession, types
from mcp.shared.memory import create_connected_server_and_client_session

from covel_host.host import Host
from covel_host.mcp_bridge.calls import BridgeCalls
from covel_host.mcp_bridge.served_tools import served_tools
from covel_host.mcp_bridge.server import bridge_server
from covel_host.store.sessions import list_sessions
from covel_host.store.turns import list_turns
from tests.support.hosts import opened
from tests.support.packages import write_package

Body = Callable[[ClientSession, Host], Awaitable[Any]]


def connected(home: Path, body: Body, *packages: str, told: list[str] | None = None) -> Any:
    """What `body` gives with a client of these packages' tools."""
    names = packages or ("notes",)

    async def main() -> Any:
        async with opened(home) as host:
            tools = served_tools(host.catalog, names)
            calls = BridgeCalls(
                host,
                tools,
                session_id=None,
                packages=names,
                on_session=(told if told is not None else []).append,
            )
            server = bridge_server(tools, calls)
            async with create_connected_server_and_client_session(server) as client:
                return await body(client, host)

    return asyncio.run(main())


def text_of(result: types.CallToolResult) -> Any:
    [content] = result.content
    assert isinstance(content, types.TextContent)
    return json.loads(content.text)


def called(home: Path, tool: str, **arguments: Any) -> types.CallToolResult:
    async def body(client: ClientSession, host: Host) -> types.CallToolResult:
        return await client.call_tool(tool, arguments)

    result: types.CallToolResult = connected(home, body)
    return result


async def cancel_last(client: ClientSession) -> None:
    params = types.CancelledNotificationParams(requestId=client._request_id - 1)
    notification = types.CancelledNotification(params=params)
    await client.send_notification(types.ClientNotification(notification))


def test_tools_are_listed_with_schema_description_and_hints(notes: Path) -> None:
    async def body(client: ClientSession, host: Host) -> list[types.Tool]:
        return (await client.list_tools()).tools

    by_name = {tool.name: tool for tool in connected(notes, body)}
    assert list(by_name)[:3] == ["keep", "recall", "fail"]
    recall = by_name["recall"]
    assert recall.description == "Read a note."
    assert recall.inputSchema["required"] == ["key"]
    hints = recall.annotations
    assert hints is not None
    assert (hints.readOnlyHint, hints.idempotentHint, hints.destructiveHint) == (True, True, False)
    writes = by_name["keep"].annotations
    assert writes is not None
    assert (writes.readOnlyHint, writes.destructiveHint) == (False, None)
    assert recall.meta == {"covel/pluginId": "notes", "covel/tool": "recall"}


def test_a_write_is_committed_when_it_is_answered(notes: Path) -> None:
    result = called(notes, "keep", key="a", value=1)
    assert text_of(result) == {
        "data": {"kept": "a"},
        "staged": {
            "count": 1,
            "kinds": ["plugin.data"],
            "notice": "Committed: it has taken effect.",
        },
    }
    assert result.meta is not None
    assert result.meta["covel/revision"] == 1


def test_the_next_call_reads_what_the_last_one_wrote(notes: Path) -> None:
    async def body(client: ClientSession, host: Host) -> types.CallToolResult:
        await client.call_tool("keep", {"key": "a", "value": {"deep": [None, 10**30, 1.5]}})
        return await client.call_tool("recall", {"key": "a"})

    result = connected(notes, body)
    assert result.structuredContent == {"found": {"deep": [None, 10**30, 1.5]}}


def test_calls_share_one_session_which_is_told_once(notes: Path) -> None:
    told: list[str] = []

    async def body(client: ClientSession, host: Host) -> list[str]:
        results = await asyncio.gather(*(client.call_tool("list-all") for _ in range(3)))
        assert [result.meta["covel/revision"] for result in results if result.meta] == [1, 2, 3]
        return [one.session_id for one in host.ports.store.read_now(list_sessions)]

    assert connected(notes, body, told=told) == told


def test_an_object_is_structured_content_and_a_list_is_not(notes: Path) -> None:
    assert called(notes, "recall", key="a").structuredContent == {"found": None}
    listed = called(notes, "list-all")
    assert (text_of(listed), listed.structuredContent) == ({"data": ["a", "b"]}, None)


def test_a_view_keeps_the_rest_of_the_value_from_models(notes: Path) -> None:
    result = called(notes, "brief")
    assert (text_of(result), result.structuredContent) == ({"summary": "Much."}, None)


def test_a_tools_error_is_an_error_with_code_message_and_hint(notes: Path) -> None:
    result = called(notes, "fail")
    error = {"code": "ambiguous", "message": "There are two of them.", "hint": "Name one."}
    assert (result.isError, text_of(result)) == (True, {"error": error})
    assert result.structuredContent == {"error": error}


def test_wrong_arguments_are_told_in_the_executors_words(notes: Path) -> None:
    error = text_of(called(notes, "recall", key=5))["error"]
    assert error["code"] == "invalid-input"
    assert "Expected text, got 5" in error["message"]


def test_an_unknown_tool_is_named_with_the_nearest(notes: Path) -> None:
    error = text_of(called(notes, "recal", key="a"))["error"]
    assert (error["code"], error["hint"]) == ("not-found", 'Did you mean "recall"?')


def test_what_is_not_committed_is_an_error_of_its_call(notes: Path) -> None:
    hook = """
from plugin_sdk.hooks import abort

@tool(name="keep")
async def keep() -> object:
    'Keep a note.'
    return with_pending_proposals(1, [PluginData(namespace="notes", key="a", value=1)])

@hookimpl
async def pre_state_commit(ctx, commit):
    return abort("the page is full")
"""
    folder = notes / "plugins" / "vetoes"
    write_package(folder, code=hook, tools=["keep"], hooks=["PreStateCommit"])

    async def body(client: ClientSession, host: Host) -> Any:
        result = await client.call_tool("keep")
        [session] = host.ports.store.read_now(list_sessions)
        assert (result.isError, session.revision) == (True, 0)
        return text_of(result)["error"]

    error = connected(notes, body, "vetoes")
    assert error["code"] == "proposal-vetoed"
    assert "the page is full" in error["message"]


def test_a_cancelled_call_commits_nothing_and_the_next_one_works(notes: Path) -> None:
    async def body(client: ClientSession, host: Host) -> list[str]:
        waiting = asyncio.ensure_future(client.call_tool("wait"))
        await _until(lambda: "runtime notes/tool:wait" in host.ports.tasks.pending)
        await cancel_last(client)
        with pytest.raises(Exception, match="Request cancelled"):
            await waiting
        assert not (await client.call_tool("keep", {"key": "a"})).isError
        [session] = host.ports.store.read_now(list_sessions)
        turns = host.ports.store.read_now(lambda reading: list_turns(reading, session.session_id))
        return sorted(turn.commit_status for turn in turns)

    assert connected(notes, body) == ["committed", "failed"]


def test_a_call_that_waits_for_its_turn_can_be_cancelled(notes: Path) -> None:
    async def body(client: ClientSession, host: Host) -> bool:
        first = asyncio.ensure_future(client.call_tool("wait"))
        await _until(lambda: "runtime notes/tool:wait" in host.ports.tasks.pending)
        second = asyncio.ensure_future(client.call_tool("keep", {"key": "a"}))
        await _until(lambda: "MCP call of keep" in host.ports.tasks.pending)
        await cancel_last(client)
        with pytest.raises(Exception, match="Request cancelled"):
            await second
        return first.done()

    assert connected(notes, body) is False


def test_equal_names_of_two_packages_reach_their_own_tools(notes: Path) -> None:
    code = '@tool(name="recall", read_only=True)\nasync def recall() -> object:\n    "Other."\n'
    write_package(notes / "plugins" / "maps", code=code + "    return 'maps'\n", tools=["recall"])

    async def body(client: ClientSession, host: Host) -> list[Any]:
        own = await client.call_tool("maps__recall")
        other = await client.call_tool("notes__recall", {"key": "a"})
        return [text_of(own), text_of(other)]

    answers = connected(notes, body, "notes", "maps")
    assert answers == [{"data": "maps"}, {"data": {"found": None}}]


async def _until(holds: Callable[[], bool]) -> None:
    while not holds():
        await asyncio.sleep(0)
