"""Requests, replies, errors and slots as JSON, for recordings; no key is ever in it."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any, Final

from pydantic import TypeAdapter

from covel_host.models.embeddings import EmbeddedTexts
from covel_host.models.errors import ErrorFacts, ModelError
from covel_host.models.messages import (
    AssistantMessage,
    Delta,
    Message,
    ModelReply,
    ModelRequest,
    NamedTool,
    ReasoningDelta,
    SystemMessage,
    TextDelta,
    ToolMessage,
    UserMessage,
)
from covel_host.models.slots import ApiKey, Slot
from plugin_sdk.values import JsonObject, JsonValue

KEY_NOT_RECORDED: Final = "not-recorded"
"""What stands in a replay for the key of a slot that had one."""

_ROLES: Final[dict[type, str]] = {
    SystemMessage: "system",
    UserMessage: "user",
    AssistantMessage: "assistant",
    ToolMessage: "tool",
}


def request_json(request: ModelRequest, slot: str | None) -> JsonObject:
    """A request as recordings compare it: `messages`, `tools` and how the reply is wanted."""
    choice = request.tool_choice
    wanted: JsonObject = {
        "slot": slot,
        "toolChoice": {"tool": choice.name} if isinstance(choice, NamedTool) else choice,
        "maxOutputTokens": request.max_output_tokens,
        "temperature": request.temperature,
        "responseSchema": request.response_schema,
        "reasoningEffort": request.reasoning_effort,
    }
    return {
        "messages": [_message(message) for message in request.messages],
        "tools": [
            {"name": one.name, "description": one.description, "inputSchema": one.input_schema}
            for one in request.tools
        ],
        **{name: value for name, value in wanted.items() if value is not None},
    }


def _message(message: Message) -> JsonObject:
    told: JsonObject = {"role": _ROLES[type(message)], "text": message.text}
    if isinstance(message, AssistantMessage) and message.calls:
        told["calls"] = [
            {"id": call.call_id, "name": call.name, "arguments": call.arguments}
            for call in message.calls
        ]
    if isinstance(message, ToolMessage):
        told |= {"callId": message.call_id, "tool": message.tool_name}
    return told


def reply_json(reply: ModelReply) -> JsonObject:
    """A reply, complete."""
    told: JsonObject = TypeAdapter(ModelReply).dump_python(reply, mode="json")
    return told


def reply_of(told: Any) -> ModelReply:
    """The reply again."""
    return TypeAdapter(ModelReply).validate_python(told)


def embedded_json(reply: EmbeddedTexts) -> JsonObject:
    """Vectors and what is known of them."""
    told: JsonObject = TypeAdapter(EmbeddedTexts).dump_python(reply, mode="json")
    return told


def embedded_of(told: Any) -> EmbeddedTexts:
    """The vectors again."""
    return TypeAdapter(EmbeddedTexts).validate_python(told)


def error_json(error: ModelError) -> JsonObject:
    """Why there was no reply."""
    return {
        "message": error.message,
        "code": error.code,
        "hint": error.hint,
        "facts": TypeAdapter(ErrorFacts).dump_python(error.facts, mode="json"),
    }


def error_of(told: Any) -> ModelError:
    """The error again."""
    return ModelError(
        told["message"],
        code=told["code"],
        hint=told["hint"],
        facts=TypeAdapter(ErrorFacts).validate_python(told["facts"]),
    )


def deltas_json(deltas: Sequence[Delta]) -> list[JsonValue]:
    """What was streamed, piece by piece: text as it is, reasoning in a list of one."""
    return [one.text if isinstance(one, TextDelta) else [one.text] for one in deltas]


def deltas_of(told: Any) -> list[Delta]:
    """The pieces again."""
    return [TextDelta(one) if isinstance(one, str) else ReasoningDelta(one[0]) for one in told]


def slot_json(slot: Slot) -> JsonObject:
    """A slot without its key; `key.value` only says whether there was one."""
    had_key = slot.key.value is not None
    shown = replace(
        slot, key=ApiKey(slot.key.variable, KEY_NOT_RECORDED if had_key else None, None)
    )
    told: JsonObject = TypeAdapter(dict[str, JsonValue]).validate_python(
        TypeAdapter(dict[str, Any]).dump_python(asdict(shown), mode="json")
    )
    return told


def slot_of(told: Any) -> Slot:
    """The slot again."""
    return TypeAdapter(Slot).validate_python(told)
