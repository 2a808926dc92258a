"""The library's answers in our terms: pieces of a stream, calls, usage, reasoning."""

from collections.abc import Sequence
from typing import Any

from pydantic_ai import messages as wire
from pydantic_ai.usage import RequestUsage

from covel_host.base.json_text import dump_json
from covel_host.models.messages import ModelCall, ReasoningDelta, TextDelta, Usage
from covel_host.models.port import CallProgress, StreamPiece


def stream_piece(event: Any) -> StreamPiece | None:
    """What arrived with an event of a stream, `None` for one without output."""
    # The first piece of a part comes with its start.
    if isinstance(event, wire.PartStartEvent):
        return _piece_of(event.part, getattr(event.part, "content", None))
    if isinstance(event, wire.PartDeltaEvent):
        return _piece_of(event.delta, getattr(event.delta, "content_delta", None))
    return None


def _piece_of(part: Any, text: str | None) -> StreamPiece | None:
    if isinstance(part, (wire.TextPart, wire.TextPartDelta)):
        return TextDelta(text) if text else None
    if isinstance(part, (wire.ThinkingPart, wire.ThinkingPartDelta)):
        return ReasoningDelta(text) if text else None
    return CallProgress()


def joined_text(parts: Sequence[Any], kind: type[wire.TextPart] | type[wire.ThinkingPart]) -> str:
    """The text of all parts of one kind."""
    return "".join(part.content for part in parts if isinstance(part, kind))


def reply_calls(parts: Sequence[Any]) -> tuple[ModelCall, ...]:
    """The tool calls of a reply, their arguments as the model wrote them."""
    return tuple(
        ModelCall(part.tool_call_id, part.tool_name, _raw_arguments(part.args))
        for part in parts
        if isinstance(part, wire.ToolCallPart)
    )


def _raw_arguments(arguments: str | dict[str, Any] | None) -> str:
    if arguments is None:
        return ""
    return arguments if isinstance(arguments, str) else dump_json(arguments)


def reply_usage(usage: RequestUsage) -> Usage:
    """The tokens of a reply; cache parts that nobody reported are unknown, not 0."""
    return Usage(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cached_input_tokens=usage.cache_read_tokens or None,
        cache_write_input_tokens=usage.cache_write_tokens or None,
    )
