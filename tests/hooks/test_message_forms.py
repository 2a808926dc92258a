"""Messages, tools and replies as hooks read and write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covel_host.hooks.message_forms import (
    message_from_json,
    message_json,
    messages_from_json,
    reply_from_json,
    reply_json,
    tool_json,
    tools_from_json,
)
from covel_host.hooks.refusals import ReplacementRefused
from covel_host.models.messages import (
    AssistantMessage,
    Message,
    ModelCall,
    ModelReply,
    SystemMessage,
    ToolMessage,
    ToolSpec,
    Usage,
    UserMessage,
)

TEXT = st.text(max_size=5)
NAME = TEXT.filter(str.strip)
CALLS = st.lists(st.builds(ModelCall, NAME, NAME, TEXT), max_size=2).map(tuple)
MESSAGES = st.one_of(
    st.builds(SystemMessage, TEXT),
    st.builds(UserMessage, TEXT),
    st.builds(AssistantMessage, TEXT, CALLS),
    st.builds(ToolMessage, NAME, NAME, TEXT),
)


@given(MESSAGES)
def test_a_message_comes_back_as_it_went_out(message: Message) -> None:
    assert message_from_json(message_json(message), member="messages.0") == message


@given(TEXT, CALLS)
def test_a_reply_comes_back_as_it_went_out(text: str, calls: tuple[ModelCall, ...]) -> None:
    reply = ModelReply(text, calls, usage=Usage(7, 3), provider="p", model="m", reasoning="hm")
    assert reply_from_json(reply, reply_json(reply)) == reply


def test_tools_come_back_as_they_went_out() -> None:
    tool = ToolSpec("ring", "Ring.", {"type": "object"})
    assert tools_from_json([tool_json(tool)], member="tools") == (tool,)


def test_results_may_come_in_any_order_and_calls_may_share_an_id() -> None:
    asks = AssistantMessage("", (ModelCall("c", "a", ""), ModelCall("c", "b", "")))
    messages: tuple[Message, ...] = (
        asks,
        ToolMessage("c", "b", ""),
        ToolMessage("c", "a", ""),
        UserMessage("x"),
    )
    forms = [message_json(message) for message in messages]
    assert messages_from_json(forms, member="messages") == messages
    with pytest.raises(ReplacementRefused, match="no result for 'c'"):
        messages_from_json([*forms[:2], forms[3]], member="messages")
