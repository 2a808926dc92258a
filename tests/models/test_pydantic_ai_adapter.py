"""What OpenAI Chat owes beside the contract of all formats, against a server that speaks it."""

import asyncio
import json
import socket
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from covel_host.models.errors import ModelError
from covel_host.models.gateway import GatewayOptions, ModelGateway
from covel_host.models.messages import (
    AssistantMessage,
    Delta,
    ModelCall,
    ModelRequest,
    NamedTool,
    ReasoningDelta,
    SystemMessage,
    ToolMessage,
    Usage,
    UserMessage,
)
from covel_host.models.providers import BUILTIN_PROVIDERS, BuiltinProvider
from covel_host.models.slots import ApiKey, Slot
from tests.models.http_double import (
    DONE,
    USAGE_CHUNK,
    Answer,
    HttpDouble,
    body,
    call_fragment,
    chat_message,
    chunk,
    error,
    events,
    hang,
    http_double,
)
from tests.models.support import KEY, QuickTime, ask, make_slot, make_table, settle, sourced
from tests.models.wire_calls import ECHO, Outcome, call_format
from tests.models.wire_formats import CHAT

both = pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])


def call(request: ModelRequest, *answers: Answer, **slot_changes: Any) -> Outcome:
    """Send `request` to a server that plays `answers`, waits passing at once."""
    return call_format(CHAT, request, *answers, **slot_changes)


def gateway_for(slot: Slot, time: QuickTime) -> ModelGateway:
    return ModelGateway(GatewayOptions(), make_table(slot), clock=time.clock, sleep=time.sleep)


def answer_with(stream: bool, text: str | None, calls: Any = (), finish: str = "stop") -> Answer:
    """One reply in either form."""
    if not stream:
        return body(json.dumps(chat_message(text, calls, finish=finish)))
    parts = [chunk({"role": "assistant", "content": text or ""})]
    parts += [
        call_fragment(index, arguments, call=call_id, name=name)
        for index, (call_id, name, arguments) in enumerate(calls)
    ]
    return events([*parts, chunk(finish=finish), USAGE_CHUNK, DONE])


# --- good replies ----------------------------------------------------------------------------


def test_usage_of_a_whole_reply_is_kept() -> None:
    usage = {
        "prompt_tokens": 40,
        "completion_tokens": 9,
        "total_tokens": 49,
        "prompt_tokens_details": {"cached_tokens": 32},
    }
    outcome = call(ask(stream=False), body(json.dumps(chat_message("x", usage=usage))))

    assert outcome.reply.usage == Usage(40, 9, cached_input_tokens=32)


def test_missing_usage_counts_as_nothing() -> None:
    outcome = call(ask(), events([chunk({"content": "x"}), chunk(finish="stop"), DONE]))

    assert outcome.reply.usage == Usage()


@both
def test_special_tokens_in_a_players_text_are_sent_as_they_are(stream: bool) -> None:
    outcome = call(ask("say <|endoftext|>", stream=stream), answer_with(stream, "x"))

    assert outcome.double.requests[0]["messages"][0]["content"] == "say <|endoftext|>"


@both
@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ("stop", "stop"),
        ("length", "length"),
        ("tool_calls", "tool_calls"),
        ("function_call", "tool_calls"),
        ("content_filter", "content_filter"),
        ("error", "error"),
        ("guardrail", "other"),
    ],
)
def test_finish_reasons_read_alike_and_keep_the_providers_word(
    stream: bool, sent: str, expected: str
) -> None:
    reply = call(ask(stream=stream), answer_with(stream, "x", finish=sent)).reply

    assert (reply.finish_reason, reply.raw_finish_reason) == (expected, sent)


def test_a_whole_reply_without_a_finish_reason_is_kept() -> None:
    reply = call(ask(stream=False), body(json.dumps(chat_message("x", finish=None)))).reply

    assert (reply.text, reply.finish_reason, reply.raw_finish_reason) == ("x", "other", None)


@both
def test_a_reply_with_no_content_is_an_empty_text(stream: bool) -> None:
    reply = call(ask(stream=stream), answer_with(stream, None)).reply

    assert (reply.text, reply.calls, reply.finish_reason) == ("", (), "stop")


def test_reasoning_streams_apart_from_the_text() -> None:
    outcome = call(
        ask(),
        events(
            [
                chunk({"reasoning_content": "think "}),
                chunk({"reasoning_content": "more"}),
                chunk({"content": "Yes."}),
                chunk(finish="stop"),
                DONE,
            ]
        ),
    )

    assert outcome.deltas[:2] == [ReasoningDelta("think "), ReasoningDelta("more")]
    assert (outcome.reply.text, outcome.reply.reasoning) == ("Yes.", "think more")


def test_inline_thinking_is_moved_out_of_the_text() -> None:
    answer = body(json.dumps(chat_message("<think>hm</think>Yes.")))
    reply = call(ask(stream=False), answer).reply

    assert (reply.text, reply.reasoning) == ("Yes.", "hm")


# --- tool calls ------------------------------------------------------------------------------


@both
def test_tool_calls_keep_order_ids_and_raw_arguments(stream: bool) -> None:
    calls = [("c-1", "echo-value", '{ "value" : "a" }'), ("c-2", "echo-value", '{"value":"b"}')]
    outcome = call(
        ask(stream=stream, tools=(ECHO,)), answer_with(stream, None, calls, "tool_calls")
    )

    assert outcome.reply.calls == tuple(ModelCall(*item) for item in calls)
    assert outcome.reply.finish_reason == "tool_calls"
    assert outcome.deltas == []


def test_interleaved_parallel_calls_are_told_apart() -> None:
    outcome = call(
        ask(tools=(ECHO,)),
        events(
            [
                call_fragment(0, '{"value":', call="c-1", name="echo-value"),
                call_fragment(1, '{"value":', call="c-2", name="echo-value"),
                call_fragment(0, '"a"'),
                call_fragment(1, '"b"}'),
                call_fragment(0, "}"),
                chunk(finish="tool_calls"),
                DONE,
            ]
        ),
    )

    assert outcome.reply.calls == (
        ModelCall("c-1", "echo-value", '{"value":"a"}'),
        ModelCall("c-2", "echo-value", '{"value":"b"}'),
    )


@both
@pytest.mark.parametrize(
    "arguments",
    ['{"value": "a"}]}', '{"note": "叫作"锁"而不是灯。"}', '{"value": ', "", "not json", "[1]"],
)
def test_malformed_arguments_stay_as_the_model_wrote_them(stream: bool, arguments: str) -> None:
    answer = answer_with(stream, None, [("c-1", "echo-value", arguments)], "tool_calls")
    reply = call(ask(stream=stream, tools=(ECHO,)), answer).reply

    assert reply.calls == (ModelCall("c-1", "echo-value", arguments),)


@both
def test_unparsable_arguments_in_the_history_go_out_as_an_object(stream: bool) -> None:
    history = (
        UserMessage("go"),
        AssistantMessage("", (ModelCall("c-1", "echo-value", '{"value": '),)),
        ToolMessage("c-1", "echo-value", "invalid-input"),
    )
    outcome = call(ModelRequest(history, tools=(ECHO,), stream=stream), answer_with(stream, "fine"))

    sent = outcome.double.requests[0]["messages"][1]["tool_calls"][0]["function"]["arguments"]
    assert isinstance(json.loads(sent), dict)
    assert '{\\"value\\": ' in sent
    assert outcome.reply.text == "fine"


def test_the_conversation_goes_out_in_its_order() -> None:
    history = (
        SystemMessage("rules"),
        UserMessage("one"),
        AssistantMessage("two", (ModelCall("c-1", "echo-value", '{"value":"x"}'),)),
        ToolMessage("c-1", "echo-value", '{"data":1}'),
        AssistantMessage("three"),
        SystemMessage("turn context"),
        UserMessage("four"),
    )
    outcome = call(ModelRequest(history, tools=(ECHO,)), answer_with(True, "x"))

    sent = outcome.double.requests[0]
    assert [(item["role"], item["content"]) for item in sent["messages"]] == [
        ("system", "rules"),
        ("user", "one"),
        ("assistant", "two"),
        ("tool", '{"data":1}'),
        ("assistant", "three"),
        ("system", "turn context"),
        ("user", "four"),
    ]
    assert sent["messages"][3]["tool_call_id"] == "c-1"
    assert outcome.double.paths == ["/v1/chat/completions"]


def test_a_tools_schema_goes_out_unchanged() -> None:
    outcome = call(ask(tools=(ECHO,)), answer_with(True, "x"))

    assert outcome.double.requests[0]["tools"] == [
        {
            "type": "function",
            "function": {
                "name": "echo-value",
                "description": "Echo one value.",
                "parameters": ECHO.input_schema,
            },
        }
    ]


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ("auto", "auto"),
        ("required", "required"),
        (
            NamedTool("echo-value"),
            {"type": "function", "function": {"name": "echo-value"}},
        ),
        (NamedTool("not-offered"), "auto"),
    ],
)
def test_the_tool_choice_is_mapped(choice: Any, expected: Any) -> None:
    other = replace(ECHO, name="other-tool")
    outcome = call(ask(tools=(ECHO, other), tool_choice=choice), answer_with(True, "x"))

    assert outcome.double.requests[0]["tool_choice"] == expected


def test_without_tools_no_choice_is_sent() -> None:
    sent = call(ask(tool_choice="required"), answer_with(True, "x")).double.requests[0]

    assert "tools" not in sent
    assert "tool_choice" not in sent


# --- settings --------------------------------------------------------------------------------


def test_settings_of_the_slot_reach_the_request() -> None:
    outcome = call(
        ask(),
        answer_with(True, "x"),
        max_output_tokens=sourced(900),
        reasoning_effort=sourced("low"),
        provider_options=sourced(
            {"openai-chat-v1": {"seed": 1, "top_k": 2}, "lab": {"seed": 3}, "other": {"no": 1}}
        ),
    )

    sent = outcome.double.requests[0]
    assert (sent["model"], sent["max_tokens"]) == ("lab/model-1", 900)
    assert (sent["reasoning_effort"], sent["seed"], sent["top_k"]) == ("low", 3, 2)
    assert "no" not in sent
    assert sent["stream_options"] == {"include_usage": True}


@pytest.mark.parametrize(("asked", "sent"), [(0.0, 0.0), (0.7, 0.7), (None, None)])
def test_a_temperature_is_sent_where_one_is_asked_for(
    asked: float | None, sent: float | None
) -> None:
    outcome = call(ask(temperature=asked), answer_with(True, "x"))

    assert outcome.double.requests[0].get("temperature") == sent


@pytest.mark.parametrize("effort", ["automatic", "provider-default"])
def test_an_effort_left_to_the_provider_is_not_sent(effort: str) -> None:
    outcome = call(ask(), answer_with(True, "x"), reasoning_effort=sourced(effort))

    assert "reasoning_effort" not in outcome.double.requests[0]


def test_openais_own_host_gets_its_own_fields(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-mine")
    seen: list[HttpDouble] = []

    async def run() -> None:
        async with http_double(answer_with(True, "x")) as double:
            seen.append(double)
            own = BuiltinProvider(double.base_url)
            monkeypatch.setitem(BUILTIN_PROVIDERS, "openai", own)
            slot = make_slot(
                double.base_url, provider=sourced("openai"), max_output_tokens=sourced(50)
            )
            gateway = gateway_for(slot, QuickTime())
            await gateway.complete(ask(cache_key="covel-1"))
            await gateway.aclose()

    asyncio.run(run())
    assert seen[0].requests[0]["prompt_cache_key"] == "covel-1"
    assert seen[0].requests[0]["max_completion_tokens"] == 50
    assert seen[0].headers[0]["openai-organization"] == "org-mine"


def test_only_the_needed_headers_leave_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-other")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-secret")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "Authorization: Bearer stolen\nX-Mine: 1")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/")
    headers = call(ask(), answer_with(True, "x")).double.headers[0]

    assert headers["authorization"] == f"Bearer {KEY}"
    assert headers["user-agent"] == "covel-host"
    assert not {"x-mine", "openai-organization"} & set(headers)
    assert not [name for name in headers if name.startswith("x-stainless")]


def test_a_slot_without_a_key_sends_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-other")
    outcome = call(ask(), answer_with(True, "x"), key=ApiKey("LAB_API_KEY", None))

    assert "authorization" not in outcome.double.headers[0]


# --- HTTP errors -----------------------------------------------------------------------------


@both
def test_a_401_names_the_variable_of_the_key(stream: bool) -> None:
    assert "LAB_API_KEY" in str(call(ask(stream=stream), error(401)).error)


@both
def test_a_lasting_500_ends_after_three_retries(stream: bool) -> None:
    failure = call(ask(stream=stream), error(500, "boom")).error

    assert (failure.status, failure.error_kind, failure.retriable) == (500, "server", True)
    assert failure.facts.http_requests == 4
    assert "boom" in failure.message


@both
def test_an_exhausted_quota_is_no_rate_limit(stream: bool) -> None:
    text = json.dumps({"error": {"message": "no credit", "code": "insufficient_quota"}})
    failure = call(ask(stream=stream), body(text, status=429)).error

    assert (failure.error_kind, failure.retriable) == ("quota", False)
    assert failure.facts.http_requests == 1


# --- connections -----------------------------------------------------------------------------


@both
def test_a_refused_connection_is_unreachable(stream: bool) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
    time = QuickTime()

    async def run() -> ModelError:
        gateway = gateway_for(make_slot(address), time)
        with pytest.raises(ModelError) as caught:
            await gateway.complete(ask(stream=stream))
        await gateway.aclose()
        return caught.value

    failure = asyncio.run(run())
    assert (failure.error_kind, failure.retriable) == ("unreachable", True)
    assert failure.facts.http_requests == 4
    assert address in str(failure)


def test_a_stream_cut_before_output_is_sent_again() -> None:
    cut = events([chunk({"role": "assistant", "content": ""})], cut=True)
    outcome = call(ask(), cut, answer_with(True, "whole"))

    assert (outcome.reply.text, outcome.reply.http_requests) == ("whole", 2)
    assert outcome.text == "whole"


def test_a_stream_cut_inside_arguments_gives_no_call() -> None:
    cut = [
        chunk({"content": "I will."}),
        call_fragment(0, '{"value":"a', call="c-1", name="echo-value"),
    ]
    failure = call(ask(tools=(ECHO,)), events(cut, cut=True)).error

    assert failure.facts.output_started


@pytest.mark.parametrize("chunked", [True, False])
@pytest.mark.parametrize("ending", [[], [DONE], [USAGE_CHUNK, DONE]])
def test_a_stream_without_its_end_mark_is_an_error(chunked: bool, ending: list[str]) -> None:
    outcome = call(ask(), events([chunk({"content": "half a"}), *ending], chunked=chunked))

    failure = outcome.error
    assert (failure.code, failure.error_kind, failure.retriable) == ("reply-broken", "server", True)
    assert "end mark" in failure.message
    assert outcome.text == "half a"


def test_an_end_mark_beside_a_null_delta_counts() -> None:
    last = json.dumps(
        {
            "id": "c",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "m",
            "choices": [{"index": 0, "delta": None, "finish_reason": "stop"}],
        }
    )
    outcome = call(ask(), events([chunk({"content": "all"}), f"data: {last}\n\n", DONE]))

    assert outcome.reply.text == "all"


# --- answers that are no replies -------------------------------------------------------------


BROKEN: dict[str, Callable[[], Answer]] = {
    "html": lambda: body("<html><body>Bad gateway</body></html>", kind="text/html"),
    "plain text": lambda: body("ok", kind="text/plain"),
    "empty body": lambda: body(""),
    "malformed JSON": lambda: body('{"id": "c1", "choices": [{'),
    "empty choices": lambda: body(json.dumps({**chat_message("x"), "choices": []})),
    "no choices": lambda: body(json.dumps({"id": "c1", "object": "chat.completion"})),
    "JSON of another kind": lambda: body("[1, 2]"),
    "error with 200": lambda: body(json.dumps({"error": {"message": "no", "code": "x"}})),
    "not UTF-8": lambda: body(b'{"id": "\xff\xfe"}'),
}


@both
@pytest.mark.parametrize("name", BROKEN)
def test_an_answer_that_is_no_reply_is_an_error(stream: bool, name: str) -> None:
    failure = call(ask(stream=stream), BROKEN[name]()).error

    assert failure.code in ("reply-broken", "provider-error")
    assert failure.error_kind == "server"
    assert "'story'" in failure.message
    assert failure.__cause__ is not None


STREAMED_BROKEN: dict[str, tuple[list[str], str]] = {
    "nothing": ([], "reply-broken"),
    "only the last line": ([DONE], "reply-broken"),
    "broken JSON": (['data: {"id": \n\n'], "reply-broken"),
    "no events": (["<html></html>"], "reply-broken"),
    "empty choices": ([chunk(choices=[]), DONE], "reply-broken"),
}


@pytest.mark.parametrize("name", STREAMED_BROKEN)
def test_a_stream_that_is_no_reply_is_an_error(name: str) -> None:
    lines, code = STREAMED_BROKEN[name]

    assert call(ask(), events(lines)).error.code == code


def test_an_error_inside_a_stream_is_reported_with_its_status() -> None:
    line = 'data: {"error":{"message":"try later","code":"rate_limit_exceeded"}}\n\n'
    failure = call(ask(), events([chunk({"content": "Th"}), line])).error

    assert (failure.error_kind, failure.status) == ("rate_limited", 429)
    assert failure.facts.http_requests == 1
    assert "try later" in failure.message


def test_an_error_inside_a_stream_without_any_code_is_the_providers() -> None:
    failure = call(ask(), events(['data: {"error":{"message":"went wrong"}}\n\n'])).error

    assert (failure.code, failure.error_kind) == ("provider-error", "server")
    assert "went wrong" in failure.message


@both
def test_a_refusal_is_an_error_with_its_reason(stream: bool) -> None:
    answer = (
        events([chunk({"refusal": "I cannot."}), chunk(finish="stop"), DONE])
        if stream
        else body(json.dumps(chat_message(None, refusal="I cannot.")))
    )
    failure = call(ask(stream=stream), answer).error

    assert (failure.code, failure.error_kind) == ("refusal", "refused")
    assert not failure.retriable
    assert "I cannot" in failure.message


# --- the caller's side -----------------------------------------------------------------------


def test_cancelling_a_silent_stream_closes_it_at_once() -> None:
    async def run() -> None:
        forever = asyncio.Event()
        async with http_double(hang(forever)) as double:
            gateway = gateway_for(make_slot(double.base_url), QuickTime())
            task = asyncio.create_task(gateway.complete(ask()))
            while not double.requests:
                await asyncio.sleep(0.001)
            await settle()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await gateway.aclose()
            forever.set()

    asyncio.run(asyncio.wait_for(run(), 20))


def test_an_exception_of_the_receiver_is_its_own() -> None:
    class ReceiverBroke(Exception):
        pass

    async def fail(_: Delta) -> None:
        raise ReceiverBroke

    async def run() -> None:
        async with http_double(answer_with(True, "text")) as double:
            gateway = gateway_for(make_slot(double.base_url), QuickTime())
            with pytest.raises(ReceiverBroke):
                await gateway.complete(ask(), on_delta=fail)
            await gateway.aclose()

    asyncio.run(asyncio.wait_for(run(), 20))


def test_many_calls_share_one_slot() -> None:
    async def run() -> list[str]:
        async with http_double(answer_with(True, "x")) as double:
            gateway = gateway_for(make_slot(double.base_url), QuickTime())
            replies = await asyncio.gather(*(gateway.complete(ask(str(n))) for n in range(25)))
            await gateway.aclose()
            return [reply.text for reply in replies]

    assert asyncio.run(asyncio.wait_for(run(), 20)) == ["x"] * 25
