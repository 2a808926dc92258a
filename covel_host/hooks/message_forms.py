"""Prompts, offered tools and replies as the JSON that hooks read and write, and back.

A message is `{"role": "system" | "user" | "assistant" | "tool", "content"}`; an assistant message
may have `toolCalls` (`{"id", "name", "arguments"}`, the arguments being the text the model wrote),
a tool message has `toolCallId` and `toolName`.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from covel_host.hooks.refusals import (
    ReplacementRefused,
    json_list,
    json_object,
    only_members,
    text,
)
from covel_host.models.messages import (
    AssistantMessage,
    Message,
    ModelCall,
    ModelReply,
    SystemMessage,
    ToolMessage,
    ToolSpec,
    UserMessage,
)
from plugin_sdk.values import JsonObject, JsonValue

_ROLES = ("system", "user", "assistant", "tool")
_MEMBERS: dict[str, tuple[str, ...]] = {
    "system": ("role", "content"),
    "user": ("role", "content"),
    "assistant": ("role", "content", "toolCalls"),
    "tool": ("role", "content", "toolCallId", "toolName"),
}


def message_json(message: Message) -> JsonObject:
    """The JSON form of one message."""
    if isinstance(message, ToolMessage):
        return {
            "role": "tool",
            "content": message.text,
            "toolCallId": message.call_id,
            "toolName": message.tool_name,
        }
    if isinstance(message, AssistantMessage):
        said: JsonObject = {"role": "assistant", "content": message.text}
        return {**said, "toolCalls": _calls_json(message.calls)} if message.calls else said
    role = "system" if isinstance(message, SystemMessage) else "user"
    return {"role": role, "content": message.text}


def message_from_json(value: JsonValue, *, member: str) -> Message:
    """The message that its JSON form describes.

    Raises:
        ReplacementRefused: it describes none; `member` says where it stands.
    """
    form = json_object(value, member=member)
    role = form.get("role")
    if not isinstance(role, str) or role not in _ROLES:
        raise ReplacementRefused(f"'{member}.role' is {role!r}; roles are {', '.join(_ROLES)}.")
    only_members(form, _MEMBERS[role], member=member)
    content = _plain_text(form.get("content", "" if role == "assistant" else None), member)
    if role == "tool":
        return ToolMessage(
            text(form.get("toolCallId"), member=f"{member}.toolCallId"),
            text(form.get("toolName"), member=f"{member}.toolName"),
            content,
        )
    if role == "assistant":
        return AssistantMessage(content, calls_from_json(form.get("toolCalls", []), member=member))
    return SystemMessage(content) if role == "system" else UserMessage(content)


def messages_from_json(value: object, *, member: str) -> tuple[Message, ...]:
    """The messages of a conversation: at least one, every call with its result behind it.

    Raises:
        ReplacementRefused: the list cannot be sent to a model.
    """
    messages = tuple(
        message_from_json(item, member=f"{member}.{index}")
        for index, item in enumerate(json_list(value, member=member))
    )
    if not messages:
        raise ReplacementRefused(f"{member!r} is empty; a model needs at least one message.")
    _check_results(messages, member)
    return messages


def tool_json(tool: ToolSpec) -> JsonObject:
    """The JSON form of an offered tool: `{"name", "description", "inputSchema"}`."""
    return {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": dict(tool.input_schema),
    }


def tools_from_json(value: object, *, member: str) -> tuple[ToolSpec, ...]:
    """The offered tools that their JSON forms describe, names once each.

    Raises:
        ReplacementRefused: one describes no tool.
    """
    tools = tuple(
        _tool_from_json(item, member=f"{member}.{index}")
        for index, item in enumerate(json_list(value, member=member))
    )
    for name, count in Counter(tool.name for tool in tools).items():
        if count > 1:
            raise ReplacementRefused(f"{member!r} has the tool {name!r} {count} times.")
    return tools


def reply_json(reply: ModelReply) -> JsonObject:
    """The JSON form of a model's reply; `usage` counts its tokens."""
    return {
        "text": reply.text,
        "toolCalls": _calls_json(reply.calls),
        "finishReason": reply.finish_reason,
        "usage": {
            "inputTokens": reply.usage.input_tokens,
            "outputTokens": reply.usage.output_tokens,
        },
        "provider": reply.provider,
        "model": reply.model,
    }


def reply_from_json(reply: ModelReply, value: JsonObject) -> ModelReply:
    """`reply` with the text and the calls that a rewritten form of it holds.

    `value` has passed the check of the event: what it says of tokens and provider is the reply's.
    """
    return replace(
        reply,
        text=_plain_text(value["text"], "response.text"),
        calls=calls_from_json(value["toolCalls"], member="response"),
    )


def calls_from_json(value: object, *, member: str) -> tuple[ModelCall, ...]:
    """The tool calls under `toolCalls` of `member`.

    Raises:
        ReplacementRefused: one describes no call.
    """
    where = f"{member}.toolCalls"
    return tuple(
        _call_from_json(item, member=f"{where}.{index}")
        for index, item in enumerate(json_list(value, member=where))
    )


def _calls_json(calls: Sequence[ModelCall]) -> list[JsonValue]:
    return [{"id": call.call_id, "name": call.name, "arguments": call.arguments} for call in calls]


def _call_from_json(value: JsonValue, *, member: str) -> ModelCall:
    form = json_object(value, member=member)
    only_members(form, ("id", "name", "arguments"), member=member)
    return ModelCall(
        text(form.get("id"), member=f"{member}.id"),
        text(form.get("name"), member=f"{member}.name"),
        _plain_text(form.get("arguments"), member, "arguments"),
    )


def _tool_from_json(value: JsonValue, *, member: str) -> ToolSpec:
    form = json_object(value, member=member)
    only_members(form, ("name", "description", "inputSchema"), member=member)
    return ToolSpec(
        text(form.get("name"), member=f"{member}.name"),
        _plain_text(form.get("description"), member, "description"),
        json_object(form.get("inputSchema"), member=f"{member}.inputSchema"),
    )


def _plain_text(value: JsonValue, member: str, name: str = "content") -> str:
    if not isinstance(value, str):
        raise ReplacementRefused(f"'{member}.{name}' is {value!r:.80}; it must be a text.")
    return value


def _check_results(messages: Sequence[Message], member: str) -> None:
    """Providers refuse a conversation in which a call has no result, or a result no call."""
    open_calls: Counter[str] = Counter()
    for index, message in enumerate(messages):
        if isinstance(message, ToolMessage):
            if not open_calls[message.call_id]:
                raise ReplacementRefused(
                    f"'{member}.{index}' is the result of the call {message.call_id!r}, which no "
                    "message in front of it makes."
                )
            open_calls[message.call_id] -= 1
            continue
        _check_answered(+open_calls, member)
        if isinstance(message, AssistantMessage):
            open_calls = Counter(call.call_id for call in message.calls)
    _check_answered(+open_calls, member)


def _check_answered(open_calls: Counter[str], member: str) -> None:
    if open_calls:
        missing = ", ".join(map(repr, sorted(open_calls)))
        raise ReplacementRefused(
            f"{member!r} has no result for {missing} directly behind the message with the call."
        )
