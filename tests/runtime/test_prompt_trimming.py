"""Budgets of a call, and trimming a request until it fits."""

import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covel_host.models.messages import (
    AssistantMessage,
    ModelCall,
    SystemMessage,
    ToolMessage,
    ToolSpec,
    UserMessage,
)
from covel_host.models.request_size import message_tokens, overhead_tokens
from covel_host.runtime.prompt_budget import TokenBudget, resolve_budget
from covel_host.runtime.prompt_inputs import MessageOrigin, PromptMessage, PromptParts
from covel_host.runtime.prompt_trimming import (
    READ_BACK_LIMIT,
    FittedPrompt,
    PromptTooLarge,
    fit_prompt,
)


@pytest.mark.parametrize(
    ("options", "window", "output"),
    [
        ({}, 262_144, 16_384),
        ({"context_window_tokens": 8_000}, 8_000, 4_000),
        ({"context_window_tokens": 100_000, "max_output_tokens": 4_096}, 100_000, 4_096),
        ({"window_cap_tokens": 20_000}, 20_000, 10_000),
        ({"context_window_tokens": 8_000, "window_cap_tokens": 20_000}, 8_000, 4_000),
    ],
)
def test_the_budget_of_a_call(options: dict[str, int], window: int, output: int) -> None:
    budget = resolve_budget(**options)
    assert (budget.window_tokens, budget.output_tokens) == (window, output)
    assert budget.input_tokens == window - output


def test_a_response_schema_counts_twice() -> None:
    once = overhead_tokens([], response_schema={"type": "object"})
    tool = ToolSpec("look", "Look around.", {"type": "object"})
    assert once % 2 == 0
    assert overhead_tokens([tool], response_schema={"type": "object"}) > once > 0
    assert overhead_tokens([]) == 0


def message(text: str, origin: MessageOrigin = "history") -> PromptMessage:
    return PromptMessage(UserMessage(text), origin)


def call(call_id: str, origin: MessageOrigin) -> PromptMessage:
    return PromptMessage(AssistantMessage("", (ModelCall(call_id, "look", "{}"),)), origin)


def result(call_id: str, text: str, origin: MessageOrigin) -> PromptMessage:
    return PromptMessage(ToolMessage(call_id, "look", text), origin)


def cost(parts: PromptParts) -> int:
    return message_tokens(SystemMessage(parts.system)) + sum(
        message_tokens(entry.message) for entry in parts.messages
    )


def fit(messages: Sequence[PromptMessage], input_tokens: int) -> FittedPrompt:
    parts = PromptParts("system", tuple(messages))
    return fit_prompt(parts, TokenBudget(input_tokens + 100, 100))


def kept(fitted: FittedPrompt) -> list[str]:
    return [entry.message.text for entry in fitted.parts.messages]


def test_what_fits_is_left_alone() -> None:
    messages = [message("a"), message("b", "input")]
    fitted = fit(messages, 1_000)
    assert fitted.parts.messages == tuple(messages)
    assert not fitted.was_pruned


def test_history_goes_oldest_first_and_no_more_than_needed() -> None:
    messages = [message(name * 100) for name in "abc"] + [message("now", "input")]
    whole = cost(PromptParts("system", tuple(messages)))
    fitted = fit(messages, whole - 1)
    assert [text[0] for text in kept(fitted)] == ["b", "c", "n"]
    assert fitted.dropped_history == 1


def test_history_goes_before_summaries() -> None:
    messages = [
        message("s" * 100, "summary"),
        message("h" * 100),
        message("now", "input"),
    ]
    whole = cost(PromptParts("system", tuple(messages)))
    assert [text[0] for text in kept(fit(messages, whole - 1))] == ["s", "n"]
    assert [text[0] for text in kept(fit(messages, 12))] == ["n"]


def test_a_call_of_the_history_goes_with_its_results() -> None:
    messages = [
        call("c1", "history"),
        result("c1", '{"data":"x"}', "history"),
        message("later"),
        message("now", "input"),
    ]
    whole = cost(PromptParts("system", tuple(messages)))
    fitted = fit(messages, whole - 1)
    assert kept(fitted) == ["later", "now"]
    assert fitted.dropped_history == 2


def test_long_results_of_this_run_are_shortened_before_summaries_go() -> None:
    long = json.dumps({"data": "x" * 20_000})
    messages = [
        message("s" * 100, "summary"),
        message("now", "input"),
        call("c1", "transcript"),
        result("c1", long, "transcript"),
        call("c2", "transcript"),
        result("c2", long, "transcript"),
    ]
    whole = cost(PromptParts("system", tuple(messages)))
    fitted = fit(messages, whole - 1)
    assert fitted.shortened_results == 1
    assert fitted.dropped_summaries == 0
    first, second = kept(fitted)[3], kept(fitted)[5]
    assert second == long
    assert set(json.loads(first)) == {"summary"}
    assert "shortened to fit" in first


def test_a_result_that_would_grow_is_not_shortened() -> None:
    quotes = '"' * (READ_BACK_LIMIT + 1)
    messages = [message("now", "input"), call("c", "transcript"), result("c", quotes, "transcript")]
    with pytest.raises(PromptTooLarge):
        fit(messages, 500)


def test_fixed_content_that_does_not_fit_is_a_clear_error() -> None:
    with pytest.raises(PromptTooLarge) as caught:
        fit([message("x" * 4_000, "turn-context"), message("now", "input")], 100)
    assert caught.value.input_tokens == 100
    assert caught.value.needed_tokens > 800
    assert caught.value.hint is not None


def test_what_goes_beside_the_messages_counts() -> None:
    parts = PromptParts("system", (message("h" * 100), message("now", "input")))
    budget = TokenBudget(200, 100)
    assert fit_prompt(parts, budget).dropped_history == 0
    assert fit_prompt(parts, budget, overhead_tokens=70).dropped_history == 1


PROTECTED: list[MessageOrigin] = [
    "segment",
    "lore",
    "summary-envelope",
    "turn-context",
    "input",
    "story",
    "note",
]
text = st.text('ab "<潮{', max_size=120)
plain = st.builds(
    lambda body, origin: [message(body, origin)],
    text,
    st.sampled_from([*PROTECTED, "history", "history", "summary", "transcript"]),
)
exchange = st.builds(
    lambda number, origin, bodies, times: [
        PromptMessage(
            AssistantMessage(
                "", tuple(ModelCall(f"{number}-{n}", "look", "{}") for n in range(len(bodies)))
            ),
            origin,
        ),
        *(result(f"{number}-{n}", body * times, origin) for n, body in enumerate(bodies)),
    ],
    st.uuids().map(str),
    st.sampled_from(["history", "transcript"]),
    st.lists(text, min_size=1, max_size=3),
    st.sampled_from([1, 1, 80]),
)
conversations = st.lists(plain | exchange, max_size=12).map(
    lambda groups: [entry for group in groups for entry in group]
)


@given(conversations, st.integers(1, 4_000))
def test_trimming_fits_or_raises_and_touches_only_what_it_may(
    messages: list[PromptMessage], input_tokens: int
) -> None:
    parts = PromptParts("system", tuple(messages))
    fitted = fit_or_error(parts, input_tokens)
    if isinstance(fitted, PromptTooLarge):
        assert fitted.needed_tokens > input_tokens
        return
    after = fitted.parts
    assert after.system == parts.system
    assert cost(after) == fitted.tokens <= input_tokens
    assert protected(after.messages) == protected(messages)
    assert transcript_shape(after.messages) == transcript_shape(messages)
    assert_pairs_are_whole(after.messages)
    if cost(parts) <= input_tokens:
        assert after == parts
        assert not fitted.was_pruned


def fit_or_error(parts: PromptParts, input_tokens: int) -> FittedPrompt | PromptTooLarge:
    try:
        return fit_prompt(parts, TokenBudget(input_tokens + 10, 10))
    except PromptTooLarge as error:
        return error


@given(conversations, st.integers(1, 4_000))
def test_a_request_is_refused_only_when_its_fixed_content_does_not_fit(
    messages: list[PromptMessage], input_tokens: int
) -> None:
    fixed = [entry for entry in messages if entry.origin not in ("history", "summary")]
    fixed_tokens = cost(PromptParts("system", tuple(fixed)))
    refused = isinstance(
        fit_or_error(PromptParts("system", tuple(messages)), input_tokens), PromptTooLarge
    )
    if fixed_tokens <= input_tokens:
        assert not refused


def protected(messages: Sequence[PromptMessage]) -> list[PromptMessage]:
    return [entry for entry in messages if entry.origin in PROTECTED]


def transcript_shape(messages: Sequence[PromptMessage]) -> list[object]:
    return [
        entry.message.call_id if isinstance(entry.message, ToolMessage) else entry.message
        for entry in messages
        if entry.origin == "transcript"
    ]


def assert_pairs_are_whole(messages: Sequence[PromptMessage]) -> None:
    called = {
        each.call_id
        for entry in messages
        if isinstance(entry.message, AssistantMessage)
        for each in entry.message.calls
    }
    answered = {
        entry.message.call_id for entry in messages if isinstance(entry.message, ToolMessage)
    }
    assert called == answered
