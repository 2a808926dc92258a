"""A request's messages, tools and schema in the library's terms."""

from collections.abc import Sequence
from typing import Any, cast

from pydantic_ai import messages as wire
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.tools import ToolDefinition

from covel_host.base.json_text import dump_json
from covel_host.models.messages import (
    AssistantMessage,
    Message,
    ModelRequest,
    SystemMessage,
    ToolMessage,
    ToolSpec,
    UserMessage,
)
from covel_host.models.wire_continuation import ReplyIdentity, earlier_parts

LATE_SYSTEM = "<system-message>\n{}\n</system-message>"
"""A system message inside a conversation, where only the first ones may be of that role."""

_SCHEMA_NOTE = (
    "Reply with one JSON value and nothing else: no code fence, no words around it. "
    "The value satisfies this JSON Schema:\n{}"
)


def wire_history(
    items: Sequence[Message],
    *,
    identity: ReplyIdentity,
    late_system_as_user: bool,
    has_cache_marks: bool,
) -> list[wire.ModelMessage]:
    """The conversation for the library, neighbouring requests joined.

    Earlier replies get back what their provider asked to see again, where `identity` is the same.
    """
    history: list[wire.ModelMessage] = []
    leading = _leading(items)
    is_marked = not has_cache_marks
    for number, item in enumerate(items):
        if isinstance(item, AssistantMessage):
            history.append(wire.ModelResponse(parts=earlier_parts(item, identity)))
            continue
        is_late = isinstance(item, SystemMessage) and number >= leading
        if is_late and late_system_as_user:
            # What comes before the first of them is the history, the same from turn to turn.
            is_first, is_marked = not is_marked and number > leading, True
            part: wire.ModelRequestPart = _late_system(item.text, with_mark=is_first)
        else:
            part = _request_part(item)
        _append(history, part)
    return history


def wire_parameters(request: ModelRequest, *, sends_schema: bool) -> ModelRequestParameters:
    """Tools and, where the format has a place for it, the schema of the reply."""
    tools = [_tool(spec) for spec in request.tools]
    schema = request.response_schema
    if schema is None or not sends_schema or tools:
        return ModelRequestParameters(function_tools=tools)
    shape = OutputObjectDefinition(json_schema=cast(dict[str, Any], schema))
    return ModelRequestParameters(
        function_tools=tools, output_mode="native", output_object=shape, allow_text_output=True
    )


def told_schema(request: ModelRequest, *, sends_schema: bool) -> tuple[Message, ...]:
    """The messages, with the schema of the reply told in words where it is not sent.

    Beside tools it is always told: a reply that must be JSON could not be a call.
    """
    schema, items = request.response_schema, request.messages
    if schema is None or (sends_schema and not request.tools):
        return items
    leading = _leading(items)
    note = SystemMessage(_SCHEMA_NOTE.format(dump_json(schema)))
    return (*items[:leading], note, *items[leading:])


def _leading(items: Sequence[Message]) -> int:
    """How many system messages open the conversation."""
    others = (number for number, item in enumerate(items) if not isinstance(item, SystemMessage))
    return next(others, len(items))


def _append(history: list[wire.ModelMessage], part: wire.ModelRequestPart) -> None:
    last = history[-1] if history else None
    if isinstance(last, wire.ModelRequest):
        last.parts = [*last.parts, part]
    else:
        history.append(wire.ModelRequest(parts=[part]))


def _late_system(text: str, *, with_mark: bool) -> wire.UserPromptPart:
    tagged = LATE_SYSTEM.format(text)
    return wire.UserPromptPart([wire.CachePoint(), tagged] if with_mark else tagged)


def _request_part(
    item: SystemMessage | UserMessage | ToolMessage,
) -> wire.ModelRequestPart:
    if isinstance(item, SystemMessage):
        return wire.SystemPromptPart(item.text)
    if isinstance(item, UserMessage):
        return wire.UserPromptPart(item.text)
    return wire.ToolReturnPart(item.tool_name, item.text, tool_call_id=item.call_id)


def _tool(spec: ToolSpec) -> ToolDefinition:
    return ToolDefinition(
        name=spec.name,
        description=spec.description,
        parameters_json_schema=cast(dict[str, Any], spec.input_schema),
        strict=False,
    )
