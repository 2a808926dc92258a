"""Which segments a runtime gets, and in which order (spec/execution.md 5.2)."""

from collections.abc import Iterable

from covel_host.manifest.runtime_io import Visibility
from covel_host.models.messages import AssistantMessage, Message, SystemMessage, UserMessage
from covel_host.runtime.prompt_inputs import (
    ContractAudience,
    PromptRuntime,
    PromptSegment,
    Volatility,
)

_RANKS: dict[Volatility, int] = {"stable": 0, "session": 1, "turn": 2}


def segments_for(
    segments: Iterable[PromptSegment], runtime: PromptRuntime, *, visibility: Visibility
) -> tuple[PromptSegment, ...]:
    """The segments meant for `runtime`, by volatility, order, provider and segment ID.

    Segments without visible content are left out.
    """
    chosen = [
        segment
        for segment in segments
        if segment.content.strip() and _is_for(segment, runtime, visibility)
    ]
    return tuple(sorted(chosen, key=_sort_key))


def segment_name(segment: PromptSegment) -> str:
    """What outlines of prompts call a segment."""
    return f"segment {segment.provider_plugin_id}/{segment.segment_id}"


def segment_message(segment: PromptSegment) -> Message:
    """The message a segment outside the system prompt becomes."""
    if segment.role == "user":
        return UserMessage(segment.content)
    if segment.role == "assistant":
        return AssistantMessage(segment.content)
    return SystemMessage(segment.content)


def belongs_to_system(segment: PromptSegment) -> bool:
    """Whether a segment is part of the system prompt or, when it is volatile, the turn context."""
    if segment.position == "system":
        return True
    return segment.position == "pre-history" and segment.role == "system"


def _is_for(segment: PromptSegment, runtime: PromptRuntime, visibility: Visibility) -> bool:
    audience = segment.audience
    if isinstance(audience, ContractAudience):
        return audience.contract == runtime.contract
    if audience == "self":
        return segment.provider_plugin_id == runtime.plugin_id
    return audience == "all" or visibility == "story"


def _sort_key(segment: PromptSegment) -> tuple[int, float, str, str]:
    return (
        _RANKS[segment.volatility],
        segment.order,
        segment.provider_plugin_id,
        segment.segment_id,
    )
