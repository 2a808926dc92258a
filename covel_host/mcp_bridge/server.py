"""The protocol: listing tools and answering calls, on the library's low-level server."""

from collections.abc import Sequence
from typing import Any

from mcp import types
from mcp.server.lowlevel import Server

from covel_host import __version__
from covel_host.mcp_bridge.answers import Answer
from covel_host.mcp_bridge.calls import BridgeCalls
from covel_host.mcp_bridge.served_tools import ServedTool
from covel_host.mcp_bridge.stdio import message_streams


async def serve(
    tools: Sequence[ServedTool], calls: BridgeCalls, *, read_from: int, write_to: int
) -> None:
    """Serve one client until it closes its stream; calls under way are cancelled then.

    Messages come by the file descriptor `read_from` and go by `write_to`; nothing else may write
    there.

    Raises:
        asyncio.CancelledError: the caller was cancelled; the connection is over at once.
    """
    server = bridge_server(tools, calls)
    async with message_streams(read_from, write_to) as streams:
        await server.run(streams.incoming, streams.outgoing, server.create_initialization_options())


def bridge_server(tools: Sequence[ServedTool], calls: BridgeCalls) -> "Server[Any, Any]":
    """A server of the library with these tools, over whatever streams it is run.

    Arguments are checked by the executor, never by the library: its check knows no mending, and
    fails in words of its own.
    """
    server: Server[Any, Any] = Server(
        "covel-host", version=__version__, instructions=_instructions(tools)
    )
    listed = types.ServerResult(types.ListToolsResult(tools=listed_tools(tools)))

    async def list_tools(_request: types.ListToolsRequest | None) -> types.ServerResult:
        return listed

    async def call_tool(request: types.CallToolRequest) -> types.ServerResult:
        answer = await calls.call(request.params.name, request.params.arguments or {})
        return types.ServerResult(_result(answer))

    server.request_handlers[types.ListToolsRequest] = list_tools
    server.request_handlers[types.CallToolRequest] = call_tool
    return server


def listed_tools(tools: Sequence[ServedTool]) -> list[types.Tool]:
    """The tools as a client is told of them."""
    return [_listed(tool) for tool in tools]


def _listed(served: ServedTool) -> types.Tool:
    tool = served.tool
    return types.Tool(
        name=served.name,
        description=tool.description,
        inputSchema=tool.input_schema,
        annotations=_hints(served),
        _meta={"covel/pluginId": served.plugin_id, "covel/tool": tool.name},
    )


def _hints(served: ServedTool) -> types.ToolAnnotations:
    """The annotations in the protocol's words; what an author cannot say here is left open.

    A tool that reads only destroys nothing. Whether another one does, and whether it reaches the
    outside world, no annotation tells.
    """
    annotations = served.tool.annotations
    return types.ToolAnnotations(
        readOnlyHint=annotations.read_only,
        destructiveHint=False if annotations.read_only else None,
        idempotentHint=annotations.idempotent,
    )


def _result(answer: Answer) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=answer.text)],
        structuredContent=answer.structured,
        isError=answer.is_error,
        _meta={f"covel/{name}": value for name, value in answer.place.items()} or None,
    )


def _instructions(tools: Sequence[ServedTool]) -> str:
    packages = ", ".join(dict.fromkeys(tool.plugin_id for tool in tools))
    return (
        f"Tools of these Covel packages: {packages}. All calls share one session and are made one "
        "after another; each is committed before it is answered, or changes nothing."
    )
