import asyncio
from typing import Any

import pytest

from covel_host.models.errors import ModelError
from covel_host.models.messages import ModelCall, ModelReply, TextDelta, Usage
from covel_host.models.port import CallProgress, StreamPiece
from covel_host.models.script_file import parse_replies
from covel_host.models.scripted import ScriptedModel
from tests.models.support import QuickTime, ask


def model(*replies: dict[str, Any], time: QuickTime | None = None) -> ScriptedModel:
    parsed = parse_replies(list(replies), locate=str)
    return ScriptedModel(parsed, name="replies.yaml", sleep=(time or QuickTime()).sleep)


def play(source: ScriptedModel, *, stream: bool = False) -> tuple[ModelReply, list[StreamPiece]]:
    seen: list[StreamPiece] = []

    async def note(piece: StreamPiece) -> None:
        seen.append(piece)

    reply = asyncio.run(source.complete(ask(stream=stream), on_piece=note))
    return reply, seen


def test_replies_come_in_their_order() -> None:
    source = model({"text": "one"}, {"text": "two"})

    assert [play(source)[0].text for _ in range(2)] == ["one", "two"]
    assert source.used == 2


def test_calls_get_ids_and_arguments_as_text() -> None:
    calls = [{"name": "a", "arguments": {"k": "锁"}}, {"name": "b", "arguments": '{"k": '}]
    reply, seen = play(model({"calls": calls}), stream=True)

    assert reply.calls == (
        ModelCall("scripted-1-1", "a", '{"k":"锁"}'),
        ModelCall("scripted-1-2", "b", '{"k": '),
    )
    assert reply.finish_reason == "tool_calls"
    assert seen == [CallProgress(), CallProgress()]


def test_a_text_streams_in_pieces() -> None:
    reply, seen = play(model({"text": "Old  lamp\nburns. "}), stream=True)

    assert seen == [TextDelta("Old"), TextDelta("  lamp"), TextDelta("\nburns."), TextDelta(" ")]
    assert reply.text == "Old  lamp\nburns. "


def test_usage_is_what_the_script_says() -> None:
    usage = {"inputTokens": 5, "outputTokens": 2, "cachedInputTokens": 1}

    assert play(model({"text": "x", "usage": usage}))[0].usage == Usage(5, 2, 1)


def test_a_delay_is_waited_for() -> None:
    time = QuickTime()
    play(model({"text": "x", "delayMs": 250}, time=time))

    assert time.waits == [0.25]


def test_an_error_reads_like_a_providers() -> None:
    with pytest.raises(ModelError) as caught:
        play(model({"error": {"status": 429, "retryAfter": 2}}))

    error = caught.value
    assert (error.status, error.error_kind, error.retry_after_s) == (429, "rate_limited", 2)
    assert error.facts.resend


def test_a_script_that_runs_out_says_how_many_replies_it_had() -> None:
    source = model({"text": "one"}, {"text": "two"})
    play(source)
    play(source)

    with pytest.raises(ModelError) as caught:
        play(source)
    assert caught.value.code == "script-exhausted"
    assert "'replies.yaml' has 2 replies and all of them have been used" in caught.value.message
    assert "(request 3)" in caught.value.message
    assert not caught.value.facts.resend
