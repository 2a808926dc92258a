import asyncio
import json

import pytest

from covel_host.models.messages import (
    AssistantMessage,
    CompletionHint,
    Message,
    ModelCall,
    ModelReply,
    ModelRequest,
    NamedTool,
    SystemMessage,
    TextDelta,
    ToolChoice,
    ToolMessage,
    ToolSpec,
    UserMessage,
)
from covel_host.models.offline import (
    PLACEHOLDER_TEXT,
    OfflineModel,
    activation_payload,
    offline_reply,
)
from covel_host.models.port import CallProgress, StreamPiece

ECHO_SCHEMA = {
    "type": "object",
    "properties": {"value": {"type": "string", "minLength": 1, "maxLength": 80}},
    "required": ["value"],
    "additionalProperties": False,
}
DONE = ToolSpec("runtime-done", "End.", {"type": "object", "properties": {}})


def spec(name: str, schema: object = None) -> ToolSpec:
    return ToolSpec(name, name, schema or ECHO_SCHEMA)  # type: ignore[arg-type]


def activated(payload: object) -> SystemMessage:
    text = json.dumps({"payload": payload}, ensure_ascii=False)
    return SystemMessage(f"before <runtime-activation>\n{text}\n</runtime-activation> after")


def reply_to(
    *messages: Message,
    tools: tuple[ToolSpec, ...] = (),
    choice: ToolChoice = "auto",
    hint: CompletionHint | None = None,
) -> ModelReply:
    request = ModelRequest(
        messages or (UserMessage("go"),), tools, tool_choice=choice, completion=hint
    )
    return offline_reply(request)


def names(reply: ModelReply) -> list[str]:
    return [call.name for call in reply.calls]


def test_the_echo_demo_runs_in_two_steps() -> None:
    tools = (spec("echo-value"), DONE)
    start = (SystemMessage("prompt"), activated({"value": "你好"}), UserMessage("go"))
    first = reply_to(*start, tools=tools)

    assert names(first) == ["echo-value"]
    assert json.loads(first.calls[0].arguments) == {"value": "你好"}
    assert first.finish_reason == "tool_calls"

    answer = ToolMessage(first.calls[0].call_id, "echo-value", '{"data":{"ok":true}}')
    second = reply_to(*start, AssistantMessage("", first.calls), answer, tools=tools)
    assert names(second) == ["runtime-done"]
    assert second.calls[0].arguments == "{}"
    assert second.calls[0].call_id != first.calls[0].call_id


def test_every_own_tool_is_called_once_in_one_reply() -> None:
    tools = (spec("b-tool"), spec("get-character"), spec("a-tool"), DONE)

    assert names(reply_to(tools=tools)) == ["b-tool", "a-tool"]


def test_the_hint_says_which_tools_are_the_packages_own() -> None:
    tools = (spec("a-tool"), spec("dataset-tool"), DONE)

    assert names(reply_to(tools=tools, hint=CompletionHint(own_tools=("a-tool", "gone")))) == [
        "a-tool"
    ]
    assert names(reply_to(tools=tools, hint=CompletionHint(own_tools=()))) == ["runtime-done"]


def test_a_tool_that_ends_the_run_is_called_alone() -> None:
    tools = (spec("look"), spec("finish-a"), spec("finish-b"), DONE)
    hint = CompletionHint(own_tools=("look",), after_tools=("not-offered", "finish-a", "finish-b"))

    assert names(reply_to(tools=tools, hint=hint)) == ["finish-a"]


def test_a_named_tool_comes_first_even_when_it_was_called_before() -> None:
    tools = (spec("a-tool"), spec("b-tool"), DONE)
    before = AssistantMessage("", (ModelCall("c", "b-tool", "{}"),))

    assert names(reply_to(UserMessage("x"), before, tools=tools, choice=NamedTool("b-tool"))) == [
        "b-tool"
    ]


def test_a_named_tool_that_is_not_offered_counts_as_no_choice() -> None:
    assert names(reply_to(tools=(spec("a-tool"),), choice=NamedTool("gone"))) == ["a-tool"]


def test_a_required_call_is_made_even_when_nothing_is_left() -> None:
    tools = (spec("a-tool"),)
    before = AssistantMessage("", (ModelCall("c", "a-tool", "{}"),))

    assert names(reply_to(UserMessage("x"), before, tools=tools, choice="required")) == ["a-tool"]


def test_without_tools_the_text_says_it_comes_from_no_model() -> None:
    reply = reply_to()

    assert (reply.text, reply.finish_reason) == (PLACEHOLDER_TEXT, "stop")
    assert "ffline" in reply.text
    assert (reply.provider, reply.model) == ("offline", "offline")


def test_a_text_that_must_be_json_is_filled_from_its_schema() -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    reply = reply_to(activated({"n": 3}), hint=CompletionHint(output_schema=schema))  # type: ignore[arg-type]

    assert json.loads(reply.text) == {"n": 3}


def test_the_same_request_gets_the_same_reply() -> None:
    tools = (spec("a-tool"), DONE)

    assert reply_to(tools=tools) == reply_to(tools=tools)


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ((activated({"a": 1}),), {"a": 1}),
        ((activated({"a": 1}), UserMessage("later"), activated({"a": 2})), {"a": 2}),
        ((UserMessage("none"),), {}),
        ((activated([1, 2]),), {}),
        ((SystemMessage("<runtime-activation>not json</runtime-activation>"),), {}),
        ((SystemMessage("<runtime-activation>{}</runtime-activation>"),), {}),
        ((SystemMessage("<runtime-activation>open"),), {}),
        ((AssistantMessage('<runtime-activation>{"payload":{"a":1}}</runtime-activation>'),), {}),
    ],
)
def test_the_payload_is_the_last_one_that_can_be_read(
    messages: tuple[Message, ...], expected: object
) -> None:
    assert activation_payload(messages) == expected


def pieces(request: ModelRequest) -> list[StreamPiece]:
    seen: list[StreamPiece] = []

    async def note(piece: StreamPiece) -> None:
        seen.append(piece)

    asyncio.run(OfflineModel().complete(request, on_piece=note))
    return seen


def test_text_streams_in_pieces_and_calls_as_progress() -> None:
    texts = [
        piece.text
        for piece in pieces(ModelRequest((UserMessage("x"),)))
        if isinstance(piece, TextDelta)
    ]
    assert len(texts) > 5
    assert "".join(texts) == PLACEHOLDER_TEXT

    calling = ModelRequest((UserMessage("x"),), (spec("a-tool"),))
    assert pieces(calling) == [CallProgress()]


def test_nothing_streams_when_no_stream_is_asked_for() -> None:
    assert pieces(ModelRequest((UserMessage("x"),), stream=False)) == []
