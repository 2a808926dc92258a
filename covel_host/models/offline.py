"""The model that needs no network: it fills in tool calls and writes placeholder text.

It answers the same request the same way every time (spec/decisions.md 6): first what completes the
run (the named tool, a tool of `after_tools`, else each of the package's own tools once), then
`runtime-done` where it is offered, else text that says it comes from no model.
"""

import re
from collections.abc import Iterable, Sequence

from covel_host.base.json_text import JsonTextError, dump_json, parse_json
from covel_host.models.messages import (
    AssistantMessage,
    CompletionHint,
    Message,
    ModelCall,
    ModelReply,
    ModelRequest,
    NamedTool,
    SystemMessage,
    TextDelta,
    ToolSpec,
    UserMessage,
)
from covel_host.models.port import CallProgress, PieceSink, text_pieces
from covel_host.models.schema_fill import fill_schema
from plugin_sdk.names import FRAMEWORK_TOOL_NAMES
from plugin_sdk.values import JsonValue

PLACEHOLDER_TEXT = (
    "(Offline model) This is placeholder text: no language model was asked. "
    "Tool calls were filled in from the tools' schemas. "
    "Configure a model in llm.toml to get real replies."
)

_DONE = "runtime-done"
_ACTIVATION = re.compile(r"<runtime-activation>(.*?)</runtime-activation>", re.DOTALL)


class OfflineModel:
    """Answers without a network and without state; calls may run at once."""

    async def complete(self, request: ModelRequest, *, on_piece: PieceSink) -> ModelReply:
        """The reply that the request itself determines."""
        reply = offline_reply(request)
        if request.stream:
            for piece in text_pieces(reply.text):
                await on_piece(TextDelta(piece))
            for _ in reply.calls:
                await on_piece(CallProgress())
        return reply

    async def aclose(self) -> None:
        """Nothing is held."""


def offline_reply(request: ModelRequest) -> ModelReply:
    """The offline model's reply to `request`."""
    payload = activation_payload(request.messages)
    tools = _tools_to_call(request)
    if tools:
        return _calling(tools, payload, step=_replies_so_far(request.messages))
    schema = request.completion and request.completion.output_schema
    text = dump_json(fill_schema(schema, payload)) if schema else PLACEHOLDER_TEXT
    return ModelReply(text, provider="offline", model="offline", raw_finish_reason="stop")


def activation_payload(messages: Sequence[Message]) -> dict[str, JsonValue]:
    """The payload of the last `<runtime-activation>` block, empty when there is none to read."""
    for message in reversed(messages):
        if not isinstance(message, (SystemMessage, UserMessage)):
            continue
        for block in reversed(_ACTIVATION.findall(message.text)):
            payload = _payload_of(block)
            if payload is not None:
                return payload
    return {}


def _payload_of(block: str) -> dict[str, JsonValue] | None:
    try:
        value = parse_json(block)
    except JsonTextError:
        return None
    payload = value.get("payload") if isinstance(value, dict) else None
    return payload if isinstance(payload, dict) else None


def _tools_to_call(request: ModelRequest) -> list[ToolSpec]:
    offered = {tool.name: tool for tool in request.tools}
    called = {
        call.name
        for message in request.messages
        if isinstance(message, AssistantMessage)
        for call in message.calls
    }
    choice = request.tool_choice
    if isinstance(choice, NamedTool) and choice.name in offered:
        # The caller forces this tool, called before or not.
        return [offered[choice.name]]
    wanted = _completing_tools(offered, request.completion or CompletionHint())
    open_tools = _only(offered, [name for name in wanted if name not in called])
    if open_tools:
        return open_tools
    if _DONE in offered and _DONE not in called:
        return [offered[_DONE]]
    return list(offered.values())[:1] if request.tool_choice == "required" else []


def _completing_tools(offered: Iterable[str], hint: CompletionHint) -> list[str]:
    if hint.after_tools:
        # One of them ends the run; the others would only write more.
        return [name for name in hint.after_tools if name in offered][:1]
    if hint.own_tools is not None:
        return list(hint.own_tools)
    return [name for name in offered if name not in FRAMEWORK_TOOL_NAMES]


def _only(offered: dict[str, ToolSpec], names: Iterable[str]) -> list[ToolSpec]:
    return [offered[name] for name in names if name in offered]


def _replies_so_far(messages: Sequence[Message]) -> int:
    return sum(isinstance(message, AssistantMessage) for message in messages)


def _calling(tools: Sequence[ToolSpec], payload: dict[str, JsonValue], *, step: int) -> ModelReply:
    calls = tuple(
        ModelCall(
            call_id=f"offline-{step + 1}-{number}",
            name=tool.name,
            arguments=dump_json(fill_schema(tool.input_schema, payload)),
        )
        for number, tool in enumerate(tools, start=1)
    )
    return ModelReply(
        "",
        calls,
        finish_reason="tool_calls",
        raw_finish_reason="tool_calls",
        provider="offline",
        model="offline",
    )
