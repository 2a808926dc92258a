"""What every request format owes the gateway, against a server that speaks it."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from covel_host.models.errors import ModelError
from covel_host.models.gateway import GatewayOptions, ModelGateway
from covel_host.models.limits import CallLimits
from covel_host.models.messages import (
    AssistantMessage,
    Delta,
    ModelCall,
    ModelRequest,
    ReasoningDelta,
    SystemMessage,
    TextDelta,
    ToolMessage,
    Usage,
    UserMessage,
)
from tests.models.http_double import (
    Answer,
    body,
    drop,
    error,
    events,
    hang,
    http_double,
    short_body,
)
from tests.models.support import KEY, ask, make_slot, make_table, sourced
from tests.models.wire_calls import ECHO, answer_in, call_format
from tests.models.wire_formats import CHAT, FORMATS, GENERATE, MESSAGES, RESPONSES, Format

every = pytest.mark.parametrize("form", FORMATS, ids=str)
both = pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])


# --- good replies ----------------------------------------------------------------------------


@every
@both
def test_a_text_reply_comes_back_whole(form: Format, stream: bool) -> None:
    outcome = call_format(
        form, ask(stream=stream), answer_in(form, stream=stream, text="“锁”🔑 there.")
    )

    reply = outcome.reply
    assert (reply.text, reply.calls, reply.finish_reason) == ("“锁”🔑 there.", (), "stop")
    assert reply.raw_finish_reason == form.words["stop"]
    assert (reply.provider, reply.model) == ("lab", "served-model")
    assert (reply.slot, reply.http_requests) == ("story", 1)
    assert outcome.text == (reply.text if stream else "")
    assert outcome.double.paths == [form.path(stream)]


@every
def test_a_stream_delivers_its_pieces_in_order(form: Format) -> None:
    outcome = call_format(form, ask(), events(form.frames(["The ", "old ", "lamp"])))

    assert outcome.deltas == [TextDelta("The "), TextDelta("old "), TextDelta("lamp")]
    assert outcome.reply.text == "The old lamp"


@every
def test_a_stream_cut_inside_a_character_is_read(form: Format) -> None:
    data = "".join(form.frames(["锁🔑"])).encode()
    middle = data.index("锁".encode()) + 1
    outcome = call_format(form, ask(), events([data[:middle], data[middle:]]))

    assert outcome.reply.text == "锁🔑"


@every
def test_line_ends_of_any_kind_are_read(form: Format) -> None:
    frames = [frame.replace("\n", "\r\n") for frame in form.frames(["The ", "lamp"])]

    assert call_format(form, ask(), events(frames)).reply.text == "The lamp"


@every
@both
def test_usage_counts_cached_input_in(form: Format, stream: bool) -> None:
    usage = call_format(form, ask(stream=stream), answer_in(form, stream=stream)).reply.usage

    cached, written = {
        MESSAGES.protocol: (4, 4),
        CHAT.protocol: (4 if stream else None, None),
    }.get(form.protocol, (4, None))
    assert usage == Usage(11, 7, cached, written)


@every
@both
def test_a_reply_cut_at_its_limit_says_so(form: Format, stream: bool) -> None:
    answer = answer_in(form, stream=stream, text="The la", finish=form.words["length"])
    reply = call_format(form, ask(stream=stream), answer).reply

    assert (reply.text, reply.finish_reason) == ("The la", "length")
    assert reply.raw_finish_reason == form.words["length"]


@every
@both
def test_reasoning_is_apart_from_the_text(form: Format, stream: bool) -> None:
    answer = answer_in(form, stream=stream, text="Yes.", reasoning="think more")
    outcome = call_format(form, ask(stream=stream), answer)

    assert (outcome.reply.text, outcome.reply.reasoning) == ("Yes.", "think more")
    if stream:
        assert outcome.deltas == [ReasoningDelta("think more"), TextDelta("Yes.")]


# --- tool calls ------------------------------------------------------------------------------


@every
@both
def test_parallel_calls_keep_order_ids_and_arguments(form: Format, stream: bool) -> None:
    calls = [("c-1", "echo-value", '{"value":"a"}'), ("c-2", "echo-value", '{"value":"锁"}')]
    outcome = call_format(
        form,
        ask(stream=stream, tools=(ECHO,)),
        answer_in(form, stream=stream, text=None, calls=calls),
    )

    got = [(call.call_id, call.name, json.loads(call.arguments)) for call in outcome.reply.calls]
    assert got == [("c-1", "echo-value", {"value": "a"}), ("c-2", "echo-value", {"value": "锁"})]
    assert outcome.reply.finish_reason == "tool_calls"
    assert outcome.deltas == []


@pytest.mark.parametrize("form", [CHAT, RESPONSES, MESSAGES], ids=str)
@pytest.mark.parametrize(
    "pieces", [["", '{"val', 'ue":"锁', '"}'], ['{"value": "a"}]}'], ['{"value": '], ["not json"]]
)
def test_fragments_join_to_what_the_model_wrote(form: Format, pieces: list[str]) -> None:
    frames = form.frames([], [("c-1", "echo-value", pieces)], finish=form.words["tool_calls"])
    reply = call_format(form, ask(tools=(ECHO,)), events(frames)).reply

    assert reply.calls == (ModelCall("c-1", "echo-value", "".join(pieces)),)


@every
@both
def test_unparsable_arguments_in_the_history_go_out_as_an_object(
    form: Format, stream: bool
) -> None:
    history = (
        UserMessage("go"),
        AssistantMessage("", (ModelCall("c-1", "echo-value", '{"value": '),)),
        ToolMessage("c-1", "echo-value", "invalid-input"),
    )
    request = ModelRequest(history, tools=(ECHO,), stream=stream)
    outcome = call_format(form, request, answer_in(form, stream=stream, text="fine"))

    assert outcome.reply.text == "fine"
    assert "INVALID_JSON" in json.dumps(outcome.sent)


@every
def test_a_schema_goes_out_unchanged(form: Format) -> None:
    sent = call_format(form, ask(tools=(ECHO,)), answer_in(form, stream=True)).sent

    assert json.dumps(ECHO.input_schema) in json.dumps(sent)
    assert "Echo one value." in json.dumps(sent)


# --- HTTP errors -----------------------------------------------------------------------------


@every
@both
@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "bad_request"),
        (401, "auth"),
        (402, "quota"),
        (403, "auth"),
        (404, "not_found"),
        (422, "bad_request"),
    ],
)
def test_a_refused_request_is_reported_once(
    form: Format, stream: bool, status: int, kind: str
) -> None:
    told = json.dumps(form.error(f"bad key {KEY}"))
    outcome = call_format(form, ask(stream=stream), body(told, status=status))

    failure = outcome.error
    assert (failure.status, failure.error_kind, failure.retriable) == (status, kind, False)
    assert (failure.code, failure.facts.http_requests) == ("provider-error", 1)
    assert "'story'" in failure.message
    assert "bad key [key]" in failure.message
    assert KEY not in str(failure)
    assert failure.__cause__ is not None
    assert outcome.time.waits == []


@every
@both
@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
def test_a_passing_failure_is_sent_again_by_us_alone(
    form: Format, stream: bool, status: int
) -> None:
    told = body(json.dumps(form.error("later")), status=status)
    outcome = call_format(form, ask(stream=stream), told, told, answer_in(form, stream=stream))

    assert (outcome.reply.text, outcome.reply.http_requests) == ("x", 3)
    assert len(outcome.time.waits) == 2
    assert len(outcome.double.requests) == 3


@every
@both
@pytest.mark.parametrize(
    ("headers", "waits"),
    [
        ({"Retry_After": "7"}, [7.0]),
        ({"Retry_After": "9", "retry_after_ms": "1500"}, [1.5]),
    ],
    ids=["seconds", "milliseconds"],
)
def test_the_wait_that_a_provider_asks_for_is_kept(
    form: Format, stream: bool, headers: dict[str, str], waits: list[float]
) -> None:
    told = body(json.dumps(form.error("slow")), status=429, **headers)
    outcome = call_format(form, ask(stream=stream), told, answer_in(form, stream=stream))

    assert (outcome.reply.text, outcome.time.waits) == ("x", waits)


@every
@both
def test_a_wait_given_as_a_date_is_kept(form: Format, stream: bool) -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    told = body(json.dumps(form.error("slow")), status=429, Retry_After=date)
    outcome = call_format(form, ask(stream=stream), told, answer_in(form, stream=stream))

    assert outcome.reply.text == "x"
    assert outcome.time.waits[0] == pytest.approx(29, abs=3)


@every
@both
def test_a_demanded_wait_over_a_minute_is_not_waited_for(form: Format, stream: bool) -> None:
    told = body(json.dumps(form.error("slow")), status=429, Retry_After="90")
    outcome = call_format(form, ask(stream=stream), told)

    failure = outcome.error
    assert (failure.error_kind, failure.retry_after_s) == ("rate_limited", 90.0)
    assert failure.facts.http_requests == 1
    assert outcome.time.waits == []


@every
@both
@pytest.mark.parametrize(("told", "status", "requests"), [("false", 500, 1), ("true", 400, 2)])
def test_the_providers_own_word_on_retrying_wins(
    form: Format, stream: bool, told: str, status: int, requests: int
) -> None:
    answer = body(json.dumps(form.error("x")), status=status, x_should_retry=told)
    outcome = call_format(form, ask(stream=stream), answer, answer_in(form, stream=stream))

    assert len(outcome.double.requests) == requests


@every
@both
def test_a_redirect_is_not_followed(form: Format, stream: bool) -> None:
    failure = call_format(
        form, ask(stream=stream), error(307, Location="http://127.0.0.1:1/v1")
    ).error

    assert (failure.status, failure.error_kind) == (307, "config")
    assert "llm.toml:3" in str(failure)
    assert failure.facts.http_requests == 1


# --- connections and broken answers ----------------------------------------------------------


@every
@both
def test_a_connection_dropped_before_the_answer_is_tried_again(form: Format, stream: bool) -> None:
    outcome = call_format(form, ask(stream=stream), drop(), answer_in(form, stream=stream))

    assert (outcome.reply.text, outcome.reply.http_requests) == ("x", 2)


@every
def test_a_whole_reply_cut_in_its_body_is_tried_again(form: Format) -> None:
    outcome = call_format(
        form, ask(stream=False), short_body('{"id": "c1"'), answer_in(form, stream=False)
    )

    assert (outcome.reply.text, outcome.reply.http_requests) == ("x", 2)


@every
def test_a_stream_cut_after_output_is_not_sent_again(form: Format) -> None:
    frames = form.frames(["The la", "mp"])[: -form.end_frames]
    outcome = call_format(form, ask(), events(frames, cut=True), answer_in(form, stream=True))

    failure = outcome.error
    assert outcome.text == "The lamp"
    assert (failure.error_kind, failure.facts.output_started) == ("unreachable", True)
    assert (failure.facts.http_requests, outcome.time.waits) == (1, [])


@every
@pytest.mark.parametrize("chunked", [True, False])
def test_a_stream_without_its_end_mark_is_an_error(form: Format, chunked: bool) -> None:
    frames = form.frames(["half a"])[: -form.end_frames]
    outcome = call_format(form, ask(), events(frames, chunked=chunked))

    failure = outcome.error
    assert (failure.code, failure.error_kind, failure.retriable) == ("reply-broken", "server", True)
    assert "end mark" in failure.message
    assert outcome.text == "half a"


@every
def test_calls_of_a_stream_without_its_end_mark_are_not_delivered(form: Format) -> None:
    frames = form.frames([], [("c-1", "echo-value", ['{"value":"a"}'])])[: -form.end_frames]

    assert call_format(form, ask(tools=(ECHO,)), events(frames)).error.code == "reply-broken"


BROKEN: dict[str, Callable[[], Answer]] = {
    "html": lambda: body("<html><body>Bad gateway</body></html>", kind="text/html"),
    "plain text": lambda: body("ok", kind="text/plain"),
    "empty body": lambda: body(""),
    "malformed JSON": lambda: body('{"id": "c1", "choices": [{'),
    "JSON of another kind": lambda: body("[1, 2]"),
    "an empty object": lambda: body("{}"),
    "not UTF-8": lambda: body(b'{"id": "\xff\xfe"}'),
}


@every
@both
@pytest.mark.parametrize("name", BROKEN)
def test_an_answer_that_is_no_reply_is_an_error(form: Format, stream: bool, name: str) -> None:
    failure = call_format(form, ask(stream=stream), BROKEN[name]()).error

    assert failure.code in ("reply-broken", "provider-error")
    assert failure.error_kind == "server"
    assert "'story'" in failure.message


@every
@both
def test_an_error_in_a_good_answer_is_an_error(form: Format, stream: bool) -> None:
    answer = body(json.dumps(form.error("went wrong")))
    failure = call_format(form, ask(stream=stream), answer).error

    assert failure.code in ("reply-broken", "provider-error")


@every
@pytest.mark.parametrize("lines", [[], ["<html></html>"], ['data: {"id": \n\n']])
def test_a_stream_that_is_no_reply_is_an_error(form: Format, lines: list[str]) -> None:
    assert call_format(form, ask(), events(lines)).error.code == "reply-broken"


@every
def test_an_error_inside_a_stream_is_reported(form: Format) -> None:
    frames = [*form.frames(["Th"])[: -form.end_frames], form.error_frame("went wrong")]
    failure = call_format(form, ask(), events(frames)).error

    assert (failure.code, failure.error_kind) == ("provider-error", "server")
    assert "went wrong" in failure.message
    assert failure.facts.http_requests == 1


@every
def test_json_in_place_of_a_stream_is_no_stream(form: Format) -> None:
    answer = body(json.dumps(form.whole("Hello.", finish=form.words["stop"])))
    outcome = call_format(form, ask(), answer)

    # Gemini's library reads a whole body as a stream of one event, which is as complete.
    if form is GENERATE:
        assert outcome.reply.text == "Hello."
    else:
        assert outcome.error.code == "reply-broken"


# --- silence ---------------------------------------------------------------------------------


def silence(form: Format, *, after: int) -> tuple[ModelError, str]:
    """The error of a stream that falls silent after so many frames, and the text until then."""
    limits = CallLimits(first_token_ms=300 if after == 0 else 10_000, idle_ms=300)
    texts: list[str] = []

    async def note(delta: Delta) -> None:
        texts.append(delta.text)

    async def run() -> ModelError:
        forever = asyncio.Event()
        frames = form.frames(["The la", "mp"])[:after]
        async with http_double(hang(forever, after=frames)) as double:
            slot = make_slot(double.base_url, protocol=sourced(form.protocol))
            gateway = ModelGateway(GatewayOptions(), make_table(slot))
            with pytest.raises(ModelError) as caught:
                await gateway.complete(ask(), limits=limits, on_delta=note)
            await gateway.aclose()
            forever.set()
        assert len(double.requests) == 1
        return caught.value

    return asyncio.run(asyncio.wait_for(run(), 20)), "".join(texts)


@every
def test_a_slow_first_byte_ends_at_its_limit(form: Format) -> None:
    failure, text = silence(form, after=0)

    assert (failure.code, failure.retriable, text) == ("model-timeout", True, "")
    assert "first token" in failure.message


@every
def test_silence_inside_a_stream_ends_it(form: Format) -> None:
    texts = [number for number, frame in enumerate(form.frames(["The la", "mp"])) if "la" in frame]
    failure, text = silence(form, after=texts[0] + 1)

    assert (failure.code, failure.retriable, text) == ("model-timeout", False, "The la")
    assert "fell silent" in failure.message


# --- what is sent ----------------------------------------------------------------------------


@every
def test_the_key_and_nothing_of_this_machine_leaves(
    form: Format, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.setenv(name, "sk-other")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1/")
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "x-mine: 1")
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:1/")
    headers = call_format(form, ask(), answer_in(form, stream=True)).double.headers[0]

    assert headers[form.key_header] in (KEY, f"Bearer {KEY}")
    assert headers["user-agent"] == "covel-host"
    assert "sk-other" not in json.dumps(headers)
    needed = {"accept", "accept-encoding", "connection", "content-length", "content-type", "host"}
    extra = set(headers) - needed - {form.key_header, "user-agent", "anthropic-version"}
    assert extra == set()


@every
def test_settings_of_the_slot_reach_the_request(form: Format) -> None:
    outcome = call_format(
        form,
        ask(temperature=0.5),
        answer_in(form, stream=True),
        max_output_tokens=sourced(900),
        provider_options=sourced({form.protocol: {"seed": 1, "mine": 2}, "lab": {"mine": 3}}),
    )

    sent = json.dumps(outcome.sent)
    assert '"mine": 3' in sent
    assert '"seed": 1' in sent
    assert "900" in sent
    assert "0.5" in sent


@every
def test_a_schema_for_the_reply_is_sent_or_told(form: Format) -> None:
    schema = {"type": "object", "properties": {"mood": {"type": "string", "title": "Mood"}}}
    request = ModelRequest(
        (SystemMessage("rules"), UserMessage("go")), response_schema=schema, stream=False
    )
    outcome = call_format(form, request, answer_in(form, stream=False, text='{"mood":"calm"}'))

    sent = json.dumps(outcome.sent)
    assert outcome.reply.text == '{"mood":"calm"}'
    assert "mood" in sent
    if form is CHAT:
        assert outcome.sent["response_format"] == {"type": "json_object"}
    if form is RESPONSES:
        assert outcome.sent["text"]["format"]["schema"] == schema
    if form is GENERATE:
        assert outcome.sent["generationConfig"]["responseJsonSchema"] == schema


@every
def test_beside_tools_the_schema_is_told_in_words(form: Format) -> None:
    request = replace(ask(tools=(ECHO,)), response_schema={"type": "object", "required": ["mood"]})
    sent = call_format(form, request, answer_in(form, stream=True)).sent

    assert "JSON Schema" in json.dumps(sent)
    assert "responseJsonSchema" not in json.dumps(sent)
    assert "response_format" not in sent


@every
def test_the_cache_key_goes_to_openais_own_host_only(form: Format) -> None:
    sent = call_format(form, ask(cache_key="covel-1"), answer_in(form, stream=True)).sent

    assert "covel-1" not in json.dumps(sent)


@pytest.mark.parametrize("form", [CHAT, RESPONSES], ids=str)
def test_a_cache_key_of_the_slot_goes_to_any_host(form: Format) -> None:
    options = {"lab": {"promptCacheKey": "mine"}}
    sent = call_format(
        form, ask(), answer_in(form, stream=True), provider_options=sourced(options)
    ).sent

    assert sent["prompt_cache_key"] == "mine"
    assert "promptCacheKey" not in sent


# --- continuation ----------------------------------------------------------------------------


@pytest.mark.parametrize("form", [RESPONSES, MESSAGES], ids=str)
@both
def test_signed_reasoning_goes_back_to_its_own_model_alone(form: Format, stream: bool) -> None:
    model = sourced("gpt-5" if form is RESPONSES else "claude-opus-4-6")
    calls = [("c-1", "echo-value", '{"value":"a"}')]
    answer = answer_in(form, stream=stream, text="I will.", calls=calls, reasoning="hm")
    asked = ask(stream=stream, tools=(ECHO,))
    seen: list[str] = []

    async def run() -> None:
        async with http_double(answer) as double:
            slot = make_slot(double.base_url, protocol=sourced(form.protocol), model=model)
            gateway = ModelGateway(GatewayOptions(), make_table(slot))
            reply = await gateway.complete(asked)
            kept = reply.continuation
            assert kept is not None
            # It survives being stored.
            kept = replace(kept, parts=json.loads(json.dumps(kept.parts)))
            for changed in ({}, {"model": "another"}, {"address": "http://127.0.0.1:1/v1"}):
                said = AssistantMessage(reply.text, reply.calls, replace(kept, **changed))
                done = ToolMessage("c-1", "echo-value", "done")
                await gateway.complete(replace(asked, messages=(UserMessage("go"), said, done)))
            await gateway.aclose()
            seen.extend(json.dumps(request) for request in double.requests[1:])

    asyncio.run(asyncio.wait_for(run(), 20))
    mark = "sealed" if form is RESPONSES else "signed"
    assert [mark in request for request in seen] == [True, False, False]
    assert all(request.count("I will.") == 1 for request in seen)
    assert all(request.count('"c-1"') == 2 for request in seen)


def test_what_the_conversation_says_of_a_reply_counts() -> None:
    calls = [("c-1", "echo-value", '{"value":"a"}'), ("c-2", "echo-value", '{"value":"b"}')]
    answer = answer_in(MESSAGES, stream=True, text="draft", calls=calls, reasoning="hm")
    seen: list[str] = []

    async def run() -> None:
        async with http_double(answer) as double:
            slot = make_slot(double.base_url, protocol=sourced(MESSAGES.protocol))
            gateway = ModelGateway(GatewayOptions(), make_table(slot))
            kept = (await gateway.complete(ask(tools=(ECHO,)))).continuation
            repaired = (ModelCall("c-2", "echo-value", '{"value":"repaired"}'),)
            said = AssistantMessage("final", repaired, kept)
            done = ToolMessage("c-2", "echo-value", "done")
            await gateway.complete(ModelRequest((UserMessage("go"), said, done), tools=(ECHO,)))
            await gateway.aclose()
            seen.append(json.dumps(double.requests[1]))

    asyncio.run(asyncio.wait_for(run(), 20))
    assert "draft" not in seen[0]
    assert "c-1" not in seen[0]
    assert "repaired" in seen[0]
    assert "final" in seen[0]


def test_many_calls_watch_their_own_streams() -> None:
    async def run() -> list[str]:
        whole = events(MESSAGES.frames(["x"]))
        cut = events(MESSAGES.frames(["x"])[:-1])
        async with http_double(*[whole, cut] * 10) as double:
            slot = make_slot(double.base_url, protocol=sourced(MESSAGES.protocol))
            gateway = ModelGateway(GatewayOptions(), make_table(slot))
            replies = await asyncio.gather(
                *(gateway.complete(ask()) for _ in range(20)), return_exceptions=True
            )
            await gateway.aclose()
            return ["cut" if isinstance(reply, ModelError) else "whole" for reply in replies]

    kinds = asyncio.run(asyncio.wait_for(run(), 20))
    assert (kinds.count("whole"), kinds.count("cut")) == (10, 10)
