"""The same calls and runs on other libraries, each by its own means."""

import importlib.util
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

from mcp.server.fastmcp import FastMCP
from mcp.shared.memory import create_connected_server_and_client_session
from pydantic_ai import Agent, RunContext
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.tool_manager import ToolManager
from pydantic_ai.toolsets import FunctionToolset
from pydantic_ai.usage import RunUsage

from benchmarks.tools_host import CALLS_OF_A_RUN, TEXT

Case = Callable[[], Awaitable[object]]
ARGUMENTS = {"a": 1, "b": 30}


async def add(a: int, b: int = 2) -> dict[str, int]:
    """Add two numbers."""
    return {"sum": a + b}


async def call_peers(opened: AsyncExitStack) -> tuple[dict[str, Case], list[str]]:
    """One call of the same tool, by peer; what could not be measured as notes."""
    peers = {
        "pydantic-ai, tool manager": await _pydantic_ai(),
        "MCP, client and server in process": await _mcp(opened),
    }
    if importlib.util.find_spec("fastmcp") is None:
        return peers, ["", "FastMCP is not installed here, so it was not measured."]
    return {**peers, **await _fastmcp(opened)}, []


def agent_peers() -> dict[str, Case]:
    """A whole agent run with the same calls, by peer."""
    agent = Agent(FunctionModel(_reply), tools=[add])
    return {"pydantic-ai, `Agent.run`": lambda: agent.run("Do it.")}


async def _reply(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    if len(messages) == 1:
        return ModelResponse(parts=[ToolCallPart("add", TEXT) for _ in range(CALLS_OF_A_RUN)])
    return ModelResponse(parts=[TextPart("done")])


async def _pydantic_ai() -> Case:
    context = RunContext[None](deps=None, model=TestModel(), usage=RunUsage(), run_step=0)
    manager = await ToolManager[None](FunctionToolset([add])).for_run_step(context)
    return lambda: manager.handle_call(ToolCallPart("add", TEXT, tool_call_id="call-1"))


async def _mcp(opened: AsyncExitStack) -> Case:
    server = FastMCP("peer", log_level="ERROR")
    server.tool()(add)
    connected = create_connected_server_and_client_session(server._mcp_server)
    client = await opened.enter_async_context(connected)
    return lambda: client.call_tool("add", ARGUMENTS)


async def _fastmcp(opened: AsyncExitStack) -> dict[str, Case]:
    library: Any = importlib.import_module("fastmcp")
    server = library.FastMCP("peer")
    server.tool(add)
    client = await opened.enter_async_context(library.Client(server))
    return {"FastMCP, client in process": lambda: client.call_tool("add", ARGUMENTS)}
