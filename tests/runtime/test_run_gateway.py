"""`ctx.gateway`: texts, objects and streams of the host's models."""

import asyncio
from typing import Any

import pytest

from covel_host.models.errors import ErrorFacts, ModelError, config_error
from covel_host.models.messages import (
    AssistantMessage,
    NamedTool,
    SystemMessage,
    ToolMessage,
    UserMessage,
)
from plugin_sdk.errors import ToolError
from plugin_sdk.records import ChatMessage
from tests.runtime.conftest import BenchMaker
from tests.support.replies import broken, call, calls, say
from tests.support.runs import RunBench, function_manifest

SCHEMA = {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}


def using(use: Any) -> Any:
    """A handler that gives what `use` gives, or the code of its error."""

    async def handle(ctx: Any) -> object:
        try:
            return await use(ctx.gateway)
        except ToolError as error:
            return error.code

    return handle


def bench_with(bench: BenchMaker, *replies: Any, model: str | None = None) -> RunBench:
    function = {} if model is None else {"model": model}
    return bench(manifest=function_manifest(function=function), replies=replies)


def test_a_text_comes_with_its_facts(bench: BenchMaker) -> None:
    async def handle(ctx: Any) -> object:
        reply = await ctx.gateway.generate_text("Hi", max_output_tokens=9, temperature=0.5)
        return [reply.text, reply.model, reply.finish_reason, reply.usage.output_tokens]

    made = bench_with(bench, say("Hello."), model="fast")
    result = made.play(handler=handle)
    assert result.value == ["Hello.", "played", "stop", 5]
    [request] = made.gateway.requests
    assert request.messages == (UserMessage("Hi"),)
    assert (request.max_output_tokens, request.temperature) == (9, 0.5)
    assert made.gateway.asked_slots == ["fast"]
    assert result.model_use.calls == 1
    assert made.trace_types[2:4] == ["gateway.calling", "gateway.responded"]


def test_a_text_may_be_asked_for_as_json_and_stays_a_text(bench: BenchMaker) -> None:
    asked = {"type": "json_schema", "schema": SCHEMA}

    async def handle(ctx: Any) -> object:
        told = await ctx.gateway.generate_text("Hi", response_format=asked)
        streamed = ctx.gateway.stream_text("Hi", response_format=asked)
        return [told.text, "".join([piece async for piece in streamed])]

    made = bench_with(bench, say("[]"), say('{"n": 1}'))
    assert made.play(handler=handle).value == ["[]", '{"n": 1}']
    assert [request.response_schema for request in made.gateway.requests] == [SCHEMA, SCHEMA]


@pytest.mark.parametrize(
    "asked",
    [
        "json",
        {},
        {"type": "json_schema"},
        {"type": "text", "schema": SCHEMA},
        {"type": "json_schema", "schema": {"type": "nothing"}},
    ],
    ids=str,
)
def test_a_response_format_that_cannot_be_asked_for_is_refused_without_a_call(
    bench: BenchMaker, asked: Any
) -> None:
    made = bench_with(bench)
    handle = using(lambda gateway: gateway.generate_text("Hi", response_format=asked))
    assert made.play(handler=handle).value == "invalid-input"
    assert made.gateway.requests == []


def test_a_slot_that_is_named_goes_first_and_the_callers_over_the_manifests(
    bench: BenchMaker,
) -> None:
    async def handle(ctx: Any) -> object:
        await ctx.gateway.generate_text("Hi", slot="story")
        await ctx.gateway.generate_text("Hi")
        return None

    made = bench_with(bench, say("A"), say("B"), model="fast")
    made.play(handler=handle, slot="cheap")
    assert made.gateway.asked_slots == ["story", "cheap"]


def test_messages_keep_their_roles(bench: BenchMaker) -> None:
    roles = [ChatMessage("system", "S"), ChatMessage("user", "U"), ChatMessage("assistant", "A")]
    made = bench_with(bench, say("x"))
    made.play(handler=using(lambda gateway: gateway.generate_text(roles)))
    assert made.gateway.requests[0].messages == (
        SystemMessage("S"),
        UserMessage("U"),
        AssistantMessage("A"),
    )


@pytest.mark.parametrize("messages", [[], ["Hi"], [ChatMessage("tool", "x")]])  # type: ignore[arg-type]
def test_wrong_messages_are_invalid_input(bench: BenchMaker, messages: Any) -> None:
    made = bench_with(bench)
    result = made.play(handler=using(lambda gateway: gateway.generate_text(messages)))
    assert result.value == "invalid-input"


def test_a_model_that_fails_answers_unavailable_and_may_be_caught(bench: BenchMaker) -> None:
    made = bench_with(bench, broken())
    result = made.play(handler=using(lambda gateway: gateway.generate_text("Hi")))
    assert (result.status, result.value) == ("success", "unavailable")
    assert "gateway.failed" in made.trace_types


@pytest.mark.parametrize(
    ("code", "output_started", "value"),
    [
        ("model-timeout", False, "late"),
        ("model-timeout", True, "timeout"),
        ("provider-error", False, "timeout"),
    ],
)
def test_a_call_that_stays_silent_is_sent_once_more(
    bench: BenchMaker, code: Any, output_started: bool, value: str
) -> None:
    facts = ErrorFacts(kind="timeout", retriable=True, output_started=output_started)
    made = bench_with(bench, ModelError("Silence.", code=code, facts=facts), say("late"))

    async def ask(gateway: Any) -> object:
        return (await gateway.generate_text("Hi")).text

    assert made.play(handler=using(ask)).value == value


def test_a_call_that_stays_silent_twice_has_timed_out(bench: BenchMaker) -> None:
    def silence() -> ModelError:
        return ModelError("Silence.", code="model-timeout", facts=ErrorFacts(kind="timeout"))

    made = bench_with(bench, silence(), silence())
    result = made.play(handler=using(lambda gateway: gateway.generate_text("Hi")))
    assert result.value == "timeout"


def test_a_reply_that_was_broken_off_is_no_text(bench: BenchMaker) -> None:
    made = bench_with(bench, say("Half", finish="content_filter"))
    result = made.play(handler=using(lambda gateway: gateway.generate_text("Hi")))
    assert result.value == "unavailable"


def test_slots_tell_where_they_lead(bench: BenchMaker) -> None:
    async def use(gateway: Any) -> object:
        slot = await gateway.resolve_slot("story")
        return [slot.slot, slot.provider, slot.api_key]

    assert bench_with(bench).play(handler=using(use)).value == ["story", "offline", None]


# --- objects ---------------------------------------------------------------------------------


def asking(schema: Any) -> Any:
    async def use(gateway: Any) -> object:
        return (await gateway.generate_object("Roll.", schema=schema)).value

    return using(use)


def test_an_object_comes_through_a_forced_tool(bench: BenchMaker) -> None:
    made = bench_with(bench, calls(call("answer", {"n": 4})))
    assert made.play(handler=asking(SCHEMA)).value == {"n": 4}
    [request] = made.gateway.requests
    assert request.tool_choice == NamedTool("answer")
    assert request.tools[0].input_schema == SCHEMA


def test_another_value_stands_under_one_member(bench: BenchMaker) -> None:
    schema = {"type": "array", "items": {"$ref": "#/$defs/n"}, "$defs": {"n": {"type": "integer"}}}
    made = bench_with(bench, calls(call("answer", {"value": [1, 2]})))
    assert made.play(handler=asking(schema)).value == [1, 2]
    shown = made.gateway.requests[0].tools[0].input_schema
    assert shown["properties"] == {"value": {"type": "array", "items": {"$ref": "#/$defs/n"}}}
    assert shown["$defs"] == {"n": {"type": "integer"}}


def test_a_text_that_holds_the_object_serves_as_well(bench: BenchMaker) -> None:
    assert bench_with(bench, say('{"n": 4}')).play(handler=asking(SCHEMA)).value == {"n": 4}


@pytest.mark.parametrize(
    "first", [calls(call("answer", {"n": "x"})), say("No."), say("{", finish="length")]
)
def test_a_value_that_does_not_fit_is_asked_for_once_more(bench: BenchMaker, first: Any) -> None:
    made = bench_with(bench, first, calls(call("answer", {"n": 4})))
    assert made.play(handler=asking(SCHEMA)).value == {"n": 4}
    told = made.gateway.requests[1].messages[-1]
    assert isinstance(told, ToolMessage if first.calls else UserMessage)
    assert told.text


def test_a_second_value_that_does_not_fit_is_an_error(bench: BenchMaker) -> None:
    made = bench_with(bench, say("No."), say("No."))
    assert made.play(handler=asking(SCHEMA)).value == "internal"


@pytest.mark.parametrize("schema", [{"type": 7}, {"type": "object", "x": object()}])
def test_a_schema_that_is_none_is_invalid_input(bench: BenchMaker, schema: Any) -> None:
    assert bench_with(bench).play(handler=asking(schema)).value == "invalid-input"


# --- streams ---------------------------------------------------------------------------------


async def read(gateway: Any) -> list[str]:
    return [piece async for piece in gateway.stream_text("Tell.")]


def test_a_stream_gives_the_text_in_pieces(bench: BenchMaker) -> None:
    text = "A long, long text. " * 20
    pieces = bench_with(bench, say(text)).play(handler=using(read)).value
    assert isinstance(pieces, list)
    assert len(pieces) > 1
    assert "".join(str(piece) for piece in pieces) == text


@pytest.mark.parametrize("reply", [broken(), say("Half", finish="length")])
def test_a_stream_that_is_not_complete_ends_with_an_error(bench: BenchMaker, reply: Any) -> None:
    assert bench_with(bench, reply).play(handler=using(read)).value == "unavailable"


def test_a_stream_that_is_left_ends_with_its_run(bench: BenchMaker) -> None:
    ended: list[str] = []

    async def endless(request: Any, on_delta: Any) -> Any:
        from covel_host.models.messages import TextDelta

        try:
            while True:
                await on_delta(TextDelta("more "))
                await asyncio.sleep(0)
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise

    async def handle(ctx: Any) -> object:
        handle.stream = ctx.gateway.stream_text("Tell.")  # type: ignore[attr-defined]
        return await anext(handle.stream)  # type: ignore[attr-defined]

    async def main() -> object:
        result = await made.made(handler=handle).result()
        while made.tasks.pending:
            await asyncio.sleep(0)
        with pytest.raises(ToolError):
            await anext(handle.stream)  # type: ignore[attr-defined]
        return result.value

    made = bench_with(bench, endless)
    assert asyncio.run(main()) == "more "
    assert ended == ["cancelled"]


def test_a_plain_handler_may_stream_on_a_loop_of_its_own(bench: BenchMaker) -> None:
    def handle(ctx: Any) -> object:
        return "".join(asyncio.run(read(ctx.gateway)))

    assert bench_with(bench, say("Hello there.")).play(handler=handle).value == "Hello there."


# --- vectors ---------------------------------------------------------------------------------


def test_texts_become_vectors_and_the_call_is_traced(bench: BenchMaker) -> None:
    async def use(gateway: Any) -> object:
        reply = await gateway.embed(["salt", "salt", "pier"])
        first, same, other = reply.vectors
        return [reply.model, first == same, first == other, len((await gateway.embed([])).vectors)]

    made = bench_with(bench)
    result = made.play(handler=using(use))
    assert result.value == ["offline", True, False, 0]
    assert result.model_use.calls == 1
    assert made.trace_types.count("gateway.responded") == 2


@pytest.mark.parametrize("texts", ["salt", [1], None, 7, {"a": 1}])
def test_what_is_no_list_of_texts_is_invalid_input(bench: BenchMaker, texts: Any) -> None:
    made = bench_with(bench)
    assert made.play(handler=using(lambda gateway: gateway.embed(texts))).value == "invalid-input"


def test_a_slot_that_gives_no_vectors_is_unavailable(bench: BenchMaker) -> None:
    made = bench_with(bench)

    async def refuse(texts: Any, *, slot: Any = None) -> None:
        raise config_error(f"Slot {slot!r} gives text.")

    made.gateway.embed = refuse  # type: ignore[assignment]
    result = made.play(handler=using(lambda gateway: gateway.embed(["a"], slot="story")))
    assert result.value == "unavailable"
    assert "gateway.failed" in made.trace_types
