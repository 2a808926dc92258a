"""Asking the model: what is asked again, what a person sees meanwhile, what is given up."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from covel_host.models.errors import ErrorFacts, ModelError, TriedSlot
from covel_host.models.messages import (
    AssistantMessage,
    Continuation,
    CostEstimate,
    ModelReply,
    TextDelta,
    Usage,
    UserMessage,
)
from tests.support.hosts import Played, play
from tests.support.packages import write_package
from tests.support.replies import broken, call, calls, done, say


def agent(home: Path, visibility: str = "system", **settings: Any) -> str:
    return write_package(home / "plugins" / "demo", agent=settings, io={"visibility": visibility})


def code_of(played: Played) -> str | None:
    failure = played.report.result.failure
    return None if failure is None else failure.code


def breaks_after(text: str, **facts: Any) -> Any:
    async def play_it(request: Any, on_delta: Any) -> ModelReply:
        await on_delta(TextDelta(text))
        raise broken(output_started=True, **facts)

    return play_it


def test_a_model_error_is_asked_again_and_what_was_shown_is_withdrawn(tmp_path: Path) -> None:
    agent(tmp_path)
    played = play(tmp_path, "demo", breaks_after("Half"), say("Whole."))
    assert played.report.committed
    assert played.observer.texts == ["Half", None, "Whole."]
    assert played.requests[0] == played.requests[1]


@pytest.mark.parametrize(("retries", "asked"), [(0, 1), (1, 2), (3, 4)])
def test_a_model_is_asked_again_as_often_as_the_manifest_says(
    tmp_path: Path, retries: int, asked: int
) -> None:
    agent(tmp_path, loop={"maxRetries": retries})
    played = play(tmp_path, "demo", *[broken() for _ in range(asked)])
    assert (code_of(played), len(played.requests)) == ("provider-error", asked)
    assert not played.report.committed


def test_a_stream_that_cannot_be_read_is_asked_for_unstreamed(tmp_path: Path) -> None:
    unreadable = ModelError(
        "No stream came.",
        code="reply-broken",
        facts=ErrorFacts(kind="server", retriable=True),
    )
    agent(tmp_path)
    played = play(tmp_path, "demo", unreadable, say("Whole."))
    assert played.report.committed
    assert [request.stream for request in played.requests] == [True, False]


def test_the_trace_tells_what_was_tried_and_what_it_cost(tmp_path: Path) -> None:
    before = TriedSlot(
        slot="story", provider="lab", model="m", code="provider-error", reason="No.", status=503
    )
    reply = replace(
        done(),
        slot="spare",
        tried=(before,),
        queued_ms=40,
        usage=Usage(10, 5, cached_input_tokens=4),
        cost=CostEstimate(0.5, "EUR", True),
    )
    agent(tmp_path)
    played = play(tmp_path, "demo", reply)
    [told] = [row.data for row in played.rows.trace if row.type == "llm.responded"]
    assert told["slot"] == "spare"
    assert told["queueWaitMs"] == 40
    assert told["usage"] == {"inputTokens": 10, "outputTokens": 5, "cachedInputTokens": 4}
    assert told["cost"] == {"amount": 0.5, "currency": "EUR", "isComplete": True}
    assert told["tried"][0]["status"] == 503


def test_a_task_that_turns_reasoning_off_says_so_in_its_requests(tmp_path: Path) -> None:
    agent(tmp_path, llm={"reasoningEffort": "disabled"})
    played = play(tmp_path, "demo", done())
    assert played.requests[0].reasoning_effort == "disabled"


def test_what_a_provider_wants_to_see_again_goes_back_with_the_reply(tmp_path: Path) -> None:
    sealed = Continuation("p", "m", "a", [{"x": 1}])
    agent(tmp_path)
    played = play(tmp_path, "demo", replace(calls(call("nothing")), continuation=sealed), done())
    said = [item for item in played.requests[1].messages if isinstance(item, AssistantMessage)]
    assert said[-1].continuation == sealed


def test_an_error_that_will_not_pass_is_not_asked_again(tmp_path: Path) -> None:
    agent(tmp_path)
    played = play(tmp_path, "demo", broken(retriable=False))
    assert (code_of(played), len(played.requests)) == ("provider-error", 1)


def test_a_story_that_was_shown_in_part_is_not_asked_for_again(tmp_path: Path) -> None:
    agent(tmp_path, "story")
    played = play(tmp_path, "demo", breaks_after("Once"))
    assert (code_of(played), len(played.requests)) == ("provider-error", 1)
    assert play(tmp_path, "demo", broken(), say("Once more.")).report.committed


def test_a_cut_off_reply_is_asked_for_once_more_with_a_note(tmp_path: Path) -> None:
    agent(tmp_path)
    cut = say("So lo", call("runtime-done", '{"rea'), finish="length")
    played = play(tmp_path, "demo", cut, done())
    assert played.report.committed
    assert isinstance(played.requests[1].messages[-1], UserMessage)
    assert [found.request.name for found in played.report.result.tool_calls] == ["runtime-done"]
    # Both replies were paid for.
    use = played.report.result.model_use
    assert (use.calls, use.input_tokens, use.output_tokens) == (2, 20, 10)


def test_two_cut_off_replies_fail_the_run(tmp_path: Path) -> None:
    agent(tmp_path)
    played = play(tmp_path, "demo", *[say("So lo", finish="length")] * 2)
    assert code_of(played) == "reply-cut-off"


def test_a_story_keeps_the_text_that_was_cut_off(tmp_path: Path) -> None:
    agent(tmp_path, "story")
    played = play(tmp_path, "demo", say("It was a dark and", finish="length"))
    assert [message.content for message in played.rows.messages] == ["It was a dark and"]


@pytest.mark.parametrize("finish", ["content_filter", "error"])
def test_a_reply_the_provider_broke_off_is_no_reply(tmp_path: Path, finish: Any) -> None:
    agent(tmp_path, "story")
    played = play(tmp_path, "demo", say("Once upon", finish=finish))
    assert (code_of(played), len(played.requests)) == ("reply-stopped", 1)
    assert not played.report.committed
    assert played.rows.messages == []


def test_a_draft_before_tool_calls_is_withdrawn(tmp_path: Path) -> None:
    agent(tmp_path)
    played = play(tmp_path, "demo", say("Let me see.", call("nothing")), say("Done."))
    assert played.observer.texts == ["Let", " me", " see.", None, "Done."]


def test_a_reply_is_in_the_trace_with_its_usage(tmp_path: Path) -> None:
    agent(tmp_path)
    played = play(tmp_path, "demo", broken(), calls(call("nothing", "{x")), done())
    failed, called, _ = [row.data for row in played.rows.trace if row.type == "llm.responded"]
    assert failed["code"] == "provider-error"
    assert [{**one, "id": ""} for one in called["toolCalls"]] == [
        {"id": "", "name": "nothing", "arguments": "{x"}
    ]
    assert called["usage"] == {"inputTokens": 10, "outputTokens": 5}


@pytest.mark.parametrize("visibility", ["story", "system"])
def test_a_reply_with_lone_surrogates_can_be_stored(tmp_path: Path, visibility: str) -> None:
    agent(tmp_path, visibility)
    odd = calls(call("a\ud800b", '{"x":"\ud800"}', call_id="c\ud800"), call("n", "\ud800"))
    played = play(tmp_path, "demo", odd, say("So \ud800 it ends."))
    assert [row.tool_name for row in played.rows.tool_calls] == ["a\ufffdb", "n"]
    assert played.report.result.tool_calls[0].request.call_id == "c\ufffd"
    if visibility == "story":
        assert [message.content for message in played.rows.messages] == ["So \ufffd it ends."]
    else:
        assert code_of(played) == "tool_failed_without_output"
