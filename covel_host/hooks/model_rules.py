"""What a hook may change of a prompt, a model request and a reply (spec/manifest.md 10.5)."""

from typing import Any

from covel_host.hooks.message_forms import (
    calls_from_json,
    message_json,
    messages_from_json,
    tool_json,
    tools_from_json,
)
from covel_host.hooks.refusals import (
    ReplacementRefused,
    json_list,
    json_object,
    json_value,
    text,
)
from plugin_sdk.hook_events import AssembledPrompt, ModelRequest, ModelResponse
from plugin_sdk.values import JsonObject

_SEGMENT_PLACES = ("system", "pre-history", "post-history")


def replaced_system_prompt(payload: AssembledPrompt, value: object) -> str:
    """A system prompt; the framework's opening is put back in front by whoever sends it.

    Raises:
        ReplacementRefused: `value` is no text.
    """
    if not isinstance(value, str):
        raise ReplacementRefused(f"'system_prompt' is {value!r:.80}; it must be a text.")
    return value


def replaced_messages(
    payload: AssembledPrompt | ModelRequest, value: object
) -> tuple[JsonObject, ...]:
    """Messages that a model can be sent.

    Raises:
        ReplacementRefused: one is no message, there is none, or a call and its result are apart.
    """
    given = json_value(value, member="messages")
    if given == list(payload.messages):
        # What was good enough to be sent is good enough to be left as it is.
        return payload.messages
    return tuple(message_json(one) for one in messages_from_json(given, member="messages"))


def replaced_model(payload: ModelRequest, value: object) -> str:
    """The name of a model slot.

    Raises:
        ReplacementRefused: `value` is no text.
    """
    return text(value, member="model")


def replaced_tools(payload: ModelRequest, value: object) -> tuple[JsonObject, ...]:
    """Tools to offer in this call.

    What may be called stays what the runtime was allowed: a tool that a hook adds answers
    `unavailable`.

    Raises:
        ReplacementRefused: one is no tool, or a name stands twice.
    """
    return tuple(tool_json(one) for one in tools_from_json(value, member="tools"))


def replaced_stream(payload: ModelRequest, value: object) -> bool:
    """Whether the reply is streamed: a hook can turn it off and not on.

    Raises:
        ReplacementRefused: `value` would turn it on.
    """
    if value is not False and value is not payload.stream:
        raise ReplacementRefused(f"'stream' is {value!r:.80}; a hook may only set it to False.")
    return bool(value)


def replaced_prompt_segments(payload: ModelRequest, value: object) -> tuple[JsonObject, ...]:
    """Segments as `prompt.segment@1` gives them; they last for the turn.

    Raises:
        ReplacementRefused: one is no segment.
    """
    # pydantic builds the model on first use, which few executions need.
    from pydantic import ValidationError

    from plugin_sdk.extension_points import PromptSegment

    segments: list[JsonObject] = []
    for index, item in enumerate(json_list(value, member="prompt_segments")):
        member = f"prompt_segments.{index}"
        try:
            segment = PromptSegment.model_validate(json_object(item, member=member))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(map(str, (member, *first["loc"])))
            raise ReplacementRefused(f"'{where}': {first['msg']}.") from error
        if not isinstance(segment.position, str):
            raise ReplacementRefused(
                f"'{member}.position' is a depth; here it is one of {', '.join(_SEGMENT_PLACES)}."
            )
        segments.append(segment.members())
    return tuple(segments)


def replaced_response(payload: ModelResponse, value: object) -> JsonObject:
    """The reply with the text and the tool calls of `value`; the rest is what the provider said.

    Raises:
        ReplacementRefused: `value` is no reply.
    """
    wanted: dict[str, Any] = {**payload.response, **json_object(value, member="response")}
    if not isinstance(wanted["text"], str):
        raise ReplacementRefused(f"'response.text' is {wanted['text']!r:.80}; it must be a text.")
    calls_from_json(wanted["toolCalls"], member="response")
    return {**payload.response, "text": wanted["text"], "toolCalls": wanted["toolCalls"]}


def asked_correction(payload: ModelResponse, value: object) -> str:
    """What the model is told to do better; its draft is thrown away.

    Raises:
        ReplacementRefused: `value` is no text.
    """
    return text(value, member="correction")
