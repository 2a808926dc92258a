"""Segments that join a prompt after it was put together."""

from typing import Any

from covel_host.models.messages import AssistantMessage, SystemMessage, ToolMessage, UserMessage
from covel_host.runtime.prompt_added import with_segments
from covel_host.runtime.prompt_inputs import (
    PromptMessage,
    PromptParts,
    PromptRuntime,
    PromptSegment,
)

HISTORY = PromptMessage(UserMessage("Once."), "history")
INPUT = PromptMessage(UserMessage("Ring!"), "input")
EXCHANGE = (
    PromptMessage(AssistantMessage("Hm."), "transcript"),
    PromptMessage(ToolMessage("c1", "look", "{}"), "transcript"),
)


def segment(content: str, **members: Any) -> PromptSegment:
    return PromptSegment("demo", content, content, **members)


def added(*segments: PromptSegment, before: tuple[PromptMessage, ...] = ()) -> PromptParts:
    parts = PromptParts("The system.", (HISTORY, *before, INPUT, *EXCHANGE))
    return with_segments(parts, segments, PromptRuntime("demo", "demo"), visibility="plugin")


def test_nothing_to_add_leaves_the_prompt_as_it_is() -> None:
    assert added().messages == (HISTORY, INPUT, *EXCHANGE)
    assert added().system == "The system."


def test_lasting_system_segments_end_the_system_prompt() -> None:
    parts = added(segment("Late.", order=2), segment("Early.", order=1))
    assert parts.system == "The system.\n\nEarly.\n\nLate."


def test_system_segments_of_the_turn_stand_before_the_input() -> None:
    parts = added(segment("Now.", volatility="turn"))
    assert parts.system == "The system."
    assert parts.messages[1] == PromptMessage(SystemMessage("Now."), "turn-context")


def test_they_join_a_turn_context_that_is_there() -> None:
    context = PromptMessage(SystemMessage("It rains."), "turn-context")
    parts = added(segment("Now.", volatility="turn"), before=(context,))
    assert parts.messages[1].message == SystemMessage("It rains.\n\nNow.")
    assert len(parts.messages) == 5


def test_other_segments_open_the_messages_or_stand_before_the_exchange() -> None:
    parts = added(
        segment("First.", position="pre-history", role="user"),
        segment("Last.", position="post-history", role="assistant"),
    )
    assert [entry.message for entry in parts.messages] == [
        UserMessage("First."),
        HISTORY.message,
        INPUT.message,
        AssistantMessage("Last."),
        *(entry.message for entry in EXCHANGE),
    ]


def test_segments_for_others_are_left_out() -> None:
    assert added(segment("Told.", audience="story")).system == "The system."
