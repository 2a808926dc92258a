"""Segments that are added to a prompt that stands already (spec/execution.md 5.2)."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from covel_host.manifest.runtime_io import Visibility
from covel_host.models.messages import SystemMessage
from covel_host.runtime.prompt_inputs import (
    PromptMessage,
    PromptParts,
    PromptRuntime,
    PromptSegment,
    Section,
)
from covel_host.runtime.prompt_segments import (
    belongs_to_system,
    segment_message,
    segment_name,
    segments_for,
)


def with_segments(
    parts: PromptParts,
    segments: Sequence[PromptSegment],
    runtime: PromptRuntime,
    *,
    visibility: Visibility,
) -> PromptParts:
    """`parts` with those of `segments` that are meant for `runtime`, where each belongs.

    Lasting system segments end the system prompt; those of the turn join the turn context, which
    stands before the current input, so that the system prompt stays the same. `pre-history` ones
    open the messages, `post-history` ones stand behind the prompt and before the run's own
    exchange.
    """
    chosen = segments_for(segments, runtime, visibility=visibility)
    of_system = [segment for segment in chosen if belongs_to_system(segment)]
    lasting = _sections(segment for segment in of_system if segment.volatility != "turn")
    of_turn = _sections(segment for segment in of_system if segment.volatility == "turn")
    outside = [segment for segment in chosen if not belongs_to_system(segment)]
    messages = _with_turn_context(parts.messages, [section.text for section in of_turn])
    behind = _place(messages, lambda entry: entry.origin == "transcript")
    return PromptParts(
        "\n\n".join((parts.system, *(section.text for section in lasting))),
        (
            *(_message(segment) for segment in outside if segment.position == "pre-history"),
            *messages[:behind],
            *(_message(segment) for segment in outside if segment.position == "post-history"),
            *messages[behind:],
        ),
        system_sections=(*parts.system_sections, *lasting),
        context_sections=(*parts.context_sections, *of_turn),
    )


def _sections(segments: Iterable[PromptSegment]) -> tuple[Section, ...]:
    return tuple(Section(segment_name(segment), segment.content) for segment in segments)


def _with_turn_context(
    messages: Sequence[PromptMessage], contents: Sequence[str]
) -> tuple[PromptMessage, ...]:
    if not contents:
        return tuple(messages)
    place = _place(messages, lambda entry: entry.origin == "turn-context")
    if place < len(messages):
        text = "\n\n".join((messages[place].message.text, *contents))
        joined = replace(messages[place], message=SystemMessage(text))
        return (*messages[:place], joined, *messages[place + 1 :])
    place = _place(messages, lambda entry: entry.origin in ("input", "transcript"))
    added = PromptMessage(SystemMessage("\n\n".join(contents)), "turn-context")
    return (*messages[:place], added, *messages[place:])


def _place(messages: Sequence[PromptMessage], fits: Callable[[PromptMessage], bool]) -> int:
    """The place of the first message that fits, the end where none does."""
    return next((place for place, entry in enumerate(messages) if fits(entry)), len(messages))


def _message(segment: PromptSegment) -> PromptMessage:
    return PromptMessage(segment_message(segment), "segment")
