"""`covel mcp` in a process of its own, with the official client and with bare pipes."""

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import CallToolResult

from tests.cli.support import SCRIPT, Covel, covel_process
from tests.mcp_bridge.notes import TOOLS, write_notes

Body = Callable[[ClientSession], Awaitable[Any]]
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def environ_of(home: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    return {**kept, "COVEL_HOME": str(home), "COVEL_PLUGINS_DIR": str(home.parent / "bundled")}


def with_client(home: Path, body: Body, *arguments: str) -> Any:
    """What `body` gives with the official client connected to `covel mcp notes`."""
    parameters = StdioServerParameters(
        command=str(SCRIPT),
        args=["mcp", "notes", "--trust", "notes", *arguments],
        env=environ_of(home),
    )

    async def main() -> Any:
        with (home / "errors.txt").open("a") as errors:
            async with (
                stdio_client(parameters, errlog=errors) as (incoming, outgoing),
                ClientSession(incoming, outgoing) as client,
            ):
                await client.initialize()
                return await body(client)

    return asyncio.run(main())


@contextmanager
def served(home: Path) -> Iterator["subprocess.Popen[str]"]:
    """`covel mcp notes` with bare pipes, past the first words of the protocol."""
    with subprocess.Popen(
        [SCRIPT, "mcp", "notes", "--trust", "notes"],
        env=environ_of(home),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        send(process, INITIALIZE)
        assert receive(process)["result"]["serverInfo"]["name"] == "covel-host"
        send(process, INITIALIZED)
        try:
            yield process
        finally:
            process.kill()


def send(process: "subprocess.Popen[str]", *messages: object) -> None:
    assert process.stdin is not None
    process.stdin.write("".join(f"{json.dumps(message)}\n" for message in messages))
    process.stdin.flush()


def receive(process: "subprocess.Popen[str]") -> Any:
    assert process.stdout is not None
    return json.loads(process.stdout.readline())


def request(request_id: int, tool: str, **arguments: Any) -> dict[str, Any]:
    params = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": params}


def cancelling(request_id: int) -> dict[str, Any]:
    params = {"requestId": request_id}
    return {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}


def data_of(result: CallToolResult) -> Any:
    return json.loads(getattr(result.content[0], "text", "null"))


@pytest.fixture
def notes(plugins: Path) -> Path:
    """A home with the package `notes`, whose tools also print."""
    write_notes(plugins)
    return plugins.parent


def test_the_official_client_lists_calls_and_reads_back_what_was_committed(
    notes: Path, covel: Covel
) -> None:
    async def body(client: ClientSession) -> list[Any]:
        names = [tool.name for tool in (await client.list_tools()).tools]
        kept = await client.call_tool("keep", {"key": "gate", "value": "open"})
        found = await client.call_tool("recall", {"key": "gate"})
        failed = await client.call_tool("fail")
        return [names, kept, found, failed]

    names, kept, found, failed = with_client(notes, body)
    assert names == TOOLS
    assert found.structuredContent == {"found": "open"}
    assert (failed.isError, data_of(failed)["error"]["code"]) == (True, "ambiguous")
    session_id = kept.meta["covel/sessionId"]
    assert session_id in (notes / "errors.txt").read_text()
    shown = covel("sessions", "show", session_id, "--json").json
    turns = {turn["turnId"]: turn for turn in shown["turns"]}
    turn = turns[kept.meta["covel/turnId"]]
    assert (turn["commitStatus"], turn["revision"]) == ("committed", kept.meta["covel/revision"])
    assert len(turns) == 3


def test_what_packages_print_goes_to_the_log_and_not_to_the_client(notes: Path) -> None:
    async def body(client: ClientSession) -> CallToolResult:
        return await client.call_tool("keep", {"key": "a"})

    assert data_of(with_client(notes, body))["data"] == {"kept": "a"}
    log = (notes / "logs" / "covel.log").read_text()
    assert "printed: keeping a note" in log
    assert "written past Python" in log


def test_calls_go_on_in_the_session_that_is_named(notes: Path) -> None:
    async def keep(client: ClientSession) -> CallToolResult:
        return await client.call_tool("keep", {"key": "a", "value": 1})

    async def recall(client: ClientSession) -> CallToolResult:
        return await client.call_tool("recall", {"key": "a"})

    kept = with_client(notes, keep)
    session_id = kept.meta["covel/sessionId"]
    found = with_client(notes, recall, "--session", session_id)
    assert (found.structuredContent, found.meta["covel/revision"]) == ({"found": 1}, 2)


def test_a_word_that_cancels_counts_also_right_behind_its_request(notes: Path) -> None:
    with served(notes) as process:
        send(process, request(1, "wait"), cancelling(1), request(2, "recall", key="a"))
        answers = {answer["id"]: answer for answer in (receive(process), receive(process))}
    assert answers[1]["error"]["message"] == "Request cancelled"
    assert answers[2]["result"]["structuredContent"] == {"found": None}


def test_a_number_json_does_not_have_is_refused_and_not_read_as_null(notes: Path) -> None:
    with served(notes) as process:
        send(process, request(1, "keep", key="a", value=float("nan")))
        assert receive(process)["error"]["code"] == -32700
        send(process, request(2, "recall", key="a"))
        assert receive(process)["result"]["structuredContent"] == {"found": None}


@pytest.mark.parametrize("tool", [None, "wait"], ids=["idle", "while a call waits"])
@pytest.mark.parametrize("how", ["end of input", "SIGTERM", "SIGINT"])
def test_it_ends_cleanly_when_the_client_or_a_signal_ends_it(
    notes: Path, how: str, tool: str | None
) -> None:
    with served(notes) as process:
        if tool is not None:
            send(process, request(1, "keep", key="a"), request(2, tool))
            assert receive(process)["id"] == 1
        if how == "end of input":
            assert process.stdin is not None
            process.stdin.close()
        else:
            process.send_signal(getattr(signal, how))
        assert process.wait(timeout=20) == 0
        assert process.stderr is not None
        errors = process.stderr.read()
    assert "Traceback" not in errors
    assert "error" not in errors


def test_a_client_that_reads_no_more_ends_it(notes: Path) -> None:
    with served(notes) as process:
        assert process.stdout is not None
        process.stdout.close()
        send(process, request(1, "recall", key="a"))
        assert process.wait(timeout=20) == 0


def test_the_tools_are_printed_as_the_client_sees_them(notes: Path, covel: Covel) -> None:
    async def body(client: ClientSession) -> list[Any]:
        tools = (await client.list_tools()).tools
        return [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]

    printed = covel("mcp", "notes", "--trust", "notes", "--json")
    assert (printed.code, printed.json) == (0, {"tools": with_client(notes, body)})


def test_without_the_library_the_message_says_how_to_install_it(
    notes: Path, covel: Covel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    called = covel("mcp", "notes")
    assert (called.code, called.out) == (1, "")
    assert "needs the Python package 'mcp'" in called.err
    assert f"{sys.executable} -m pip install 'covel-host[mcp]'" in called.err


def test_a_session_that_has_ended_is_not_served(notes: Path) -> None:
    async def keep(client: ClientSession) -> CallToolResult:
        return await client.call_tool("keep", {"key": "a"})

    session_id = with_client(notes, keep).meta["covel/sessionId"]
    with sqlite3.connect(notes / "covel.db") as database:
        database.execute("UPDATE sessions SET status = 'ended'")
    database.close()
    called = covel_process(
        "mcp", "notes", "--trust", "notes", "--session", session_id, environ=environ_of(notes)
    )
    assert (called.returncode, called.stdout) == (1, "")
    assert "is ended; nothing runs in it" in called.stderr


def test_what_cannot_be_served_is_said_before_the_protocol_begins(notes: Path) -> None:
    (notes / "plugins" / "plain").mkdir()
    (notes / "plugins" / "plain" / "PLUGIN.md").write_text("---\ndescription: None.\n---\n")
    cases = {
        ("mcp", "nots"): "Did you mean 'notes'?",
        ("mcp", "notes"): "--trust notes",
        ("mcp", "plain"): "plain has no tool",
        ("mcp", "notes", "--trust", "notes", "--session", "gone"): "'gone'",
    }
    for arguments, expected in cases.items():
        called = covel_process(*arguments, environ=environ_of(notes))
        assert (called.returncode, called.stdout) == (1, ""), arguments
        assert expected in called.stderr
