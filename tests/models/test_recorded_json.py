"""Model calls as recordings keep them, and again."""

from dataclasses import replace

from covel_host.models.errors import ErrorFacts, ModelError, TriedSlot
from covel_host.models.messages import (
    Continuation,
    CostEstimate,
    Delta,
    ModelCall,
    ModelReply,
    ReasoningDelta,
    TextDelta,
    Usage,
)
from covel_host.models.recorded_json import (
    KEY_NOT_RECORDED,
    deltas_json,
    deltas_of,
    error_json,
    error_of,
    reply_json,
    reply_of,
    slot_json,
    slot_of,
)
from covel_host.models.slots import ApiKey
from tests.models.support import make_slot, sourced

TRIED = TriedSlot(slot="a", provider="b", model="c", code="provider-error", reason="d", status=503)


def test_a_reply_of_a_fallback_comes_back_whole() -> None:
    reply = ModelReply(
        "text",
        (ModelCall("1", "roll", '{"broken'),),
        finish_reason="tool_calls",
        usage=Usage(1, 2, 3, 4),
        reasoning="hm",
        slot="other",
        continuation=Continuation("p", "m", "a", [{"signature": "x"}]),
        tried=(TRIED,),
        cost=CostEstimate(0.5, "USD", True),
    )
    assert reply_of(reply_json(reply)) == reply


def test_an_error_comes_back_with_its_facts() -> None:
    facts = ErrorFacts(kind="overloaded", status=503, retriable=True, tried=(TRIED,))
    error = ModelError("Full.", code="provider-error", facts=facts, hint="Wait.")
    again = error_of(error_json(error))
    assert (again.message, again.code, again.hint, again.facts) == (
        "Full.",
        "provider-error",
        "Wait.",
        facts,
    )


def test_pieces_come_back_in_their_order() -> None:
    deltas: list[Delta] = [TextDelta("a"), ReasoningDelta("b"), TextDelta("c")]
    assert deltas_of(deltas_json(deltas)) == deltas


def test_a_slot_comes_back_without_its_key() -> None:
    slot = replace(
        make_slot(name="story"),
        key=ApiKey("THE_KEY", "sk-very-secret-1234567890"),
        context_window=sourced(8_000),
        pricing=sourced({"input": 1.5}),
    )
    told = slot_json(slot)
    assert "sk-very-secret" not in str(told)
    again = slot_of(told)
    assert again.key.value == KEY_NOT_RECORDED
    assert again == replace(slot, key=ApiKey("THE_KEY", KEY_NOT_RECORDED))
    without = replace(slot, key=ApiKey("THE_KEY", None))
    assert slot_of(slot_json(without)) == without
