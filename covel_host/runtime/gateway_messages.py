"""Requests that package code makes of a model, and reading an object out of a reply."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from covel_host.base.json_text import JsonValueError, json_copy
from covel_host.models.messages import (
    AssistantMessage,
    Message,
    ModelReply,
    ModelRequest,
    NamedTool,
    SystemMessage,
    ToolMessage,
    ToolSpec,
    UserMessage,
)
from covel_host.schemas.compiled import CompiledSchema, SchemaError, compile_schema
from covel_host.tools.arguments import ArgumentsError, parse_arguments
from plugin_sdk.errors import ToolError
from plugin_sdk.records import ChatMessage
from plugin_sdk.values import JsonValue

ANSWER_TOOL: Final = NamedTool("answer")
"""The tool through which a model gives an object: providers check its schema, and it is forced."""

_DEFINITIONS: Final = ("$defs", "definitions")


def chat_messages(messages: str | Sequence[ChatMessage]) -> tuple[Message, ...]:
    """The messages of a request; a text is one message of the user.

    Raises:
        ToolError: `invalid-input`, there is no message or one is not as expected.
    """
    given = [ChatMessage("user", messages)] if isinstance(messages, str) else list(messages)
    if not given:
        raise ToolError("invalid-input", "A model needs at least one message.")
    return tuple(_message(one, index) for index, one in enumerate(given))


def compiled(schema: Mapping[str, JsonValue]) -> CompiledSchema:
    """The checker of an author's schema.

    Raises:
        ToolError: `invalid-input`, it is no JSON Schema.
    """
    try:
        return compile_schema(schema)
    except SchemaError as error:
        raise ToolError("invalid-input", f"The schema cannot be used: {error}.") from error


def answer_spec(schema: Mapping[str, JsonValue]) -> ToolSpec:
    """The tool whose arguments are the wanted value; others than objects stand under `value`.

    Raises:
        ToolError: `invalid-input`, the schema is not JSON.
    """
    copy = _schema_copy(schema)
    if not _is_object(copy):
        lifted: dict[str, JsonValue] = {
            name: copy.pop(name) for name in _DEFINITIONS if name in copy
        }
        copy = {"type": "object", "properties": {"value": copy}, "required": ["value"], **lifted}
    return ToolSpec(ANSWER_TOOL.name, "Give your answer with this tool.", copy)


def asked_schema(response_format: Mapping[str, JsonValue] | None) -> dict[str, JsonValue] | None:
    """The schema that a text is asked to satisfy, None without a format (spec/models.md 8).

    Raises:
        ToolError: `invalid-input`, it is another format, or the schema is no JSON Schema.
    """
    if response_format is None:
        return None
    schema = response_format.get("schema") if isinstance(response_format, Mapping) else None
    if not isinstance(schema, Mapping) or response_format.get("type") != "json_schema":
        raise ToolError(
            "invalid-input",
            'A response_format is {"type": "json_schema", "schema": …} with a JSON Schema object.',
        )
    compiled(schema)
    return _schema_copy(schema)


def answer_of(
    reply: ModelReply, schema: Mapping[str, JsonValue], checker: CompiledSchema
) -> tuple[JsonValue, str | None]:
    """The value of a reply, and what is wrong with it, None when nothing is.

    A model that did not call the tool may have written the value as text.
    """
    if reply.finish_reason == "length":
        return None, "The reply was cut off at the output limit; give a shorter one."
    calls = [call.arguments for call in reply.calls if call.name == ANSWER_TOOL.name]
    try:
        value = parse_arguments(calls[0] if calls else reply.text).value
    except ArgumentsError as error:
        return None, error.message
    if calls and not _is_object(schema):
        value = value.get("value") if isinstance(value, dict) else None
    problems = checker.problems(value, limit=3)
    return value, "; ".join(str(problem) for problem in problems) or None


def correction(request: ModelRequest, reply: ModelReply, problem: str) -> ModelRequest:
    """The request once more, with what was wrong about `reply`."""
    told: tuple[Message, ...] = tuple(
        ToolMessage(call.call_id, call.name, problem) for call in reply.calls
    ) or (UserMessage(problem),)
    before = AssistantMessage(reply.text, reply.calls)
    return replace(request, messages=(*request.messages, before, *told))


def _schema_copy(schema: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    try:
        copy = json_copy(schema)
    except JsonValueError as error:
        raise ToolError("invalid-input", f"The schema is not JSON: {error}.") from error
    if not isinstance(copy, dict):
        raise ToolError("invalid-input", "The schema is not an object.")
    return copy


def _is_object(schema: Mapping[str, JsonValue]) -> bool:
    return schema.get("type") == "object"


def _message(message: ChatMessage, index: int) -> Message:
    if not isinstance(message, ChatMessage) or not isinstance(message.content, str):
        raise ToolError(
            "invalid-input", f"Message {index} is no ChatMessage with a text as its content."
        )
    match message.role:
        case "system":
            return SystemMessage(message.content)
        case "assistant":
            return AssistantMessage(message.content)
        case "user":
            return UserMessage(message.content)
    raise ToolError("invalid-input", f"Message {index} has the unknown role {message.role!r}.")
