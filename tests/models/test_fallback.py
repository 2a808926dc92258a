"""Fallback slots: which are asked, when, and what is told of it."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest

from covel_host.models.errors import ErrorFacts, ModelError
from covel_host.models.fallback import fallback_chain, first_reply, may_fall_back
from covel_host.models.gateway import GatewayOptions, ModelGateway
from covel_host.models.limits import CallBudget, CallLimits
from covel_host.models.messages import ModelReply, ModelRequest
from covel_host.models.selector import UseSlot
from covel_host.models.slots import ApiKey, Slot
from plugin_sdk.testing import ManualClock
from tests.models.http_double import (
    DONE,
    Answer,
    body,
    chat_message,
    chunk,
    error,
    events,
    http_double,
)
from tests.models.support import QuickTime, ask, make_slot, make_table, sourced

GOOD = body(json.dumps(chat_message("from the other")))


def chain_of(*links: tuple[str, str | None]) -> list[str]:
    slots = {
        name: make_slot(
            name=name,
            model=sourced(f"model-{name}"),
            fallback=None if target is None else sourced(target),
        )
        for name, target in links
    }
    return [slot.name for slot in fallback_chain(slots, slots[links[0][0]])]


def test_a_chain_follows_the_slots_in_order() -> None:
    assert chain_of(("a", "b"), ("b", "c"), ("c", None)) == ["a", "b", "c"]
    assert chain_of(("a", None)) == ["a"]


@pytest.mark.parametrize("last", ["a", "b", "c", "gone"])
def test_a_chain_that_comes_back_ends(last: str) -> None:
    assert chain_of(("a", "b"), ("b", "c"), ("c", last)) == ["a", "b", "c"]


def test_the_same_model_at_the_same_address_is_asked_once() -> None:
    slots = {
        "a": make_slot(name="a", fallback=sourced("b")),
        "b": make_slot(name="b", fallback=sourced("c")),
        "c": make_slot(name="c", model=sourced("another")),
    }

    assert [slot.name for slot in fallback_chain(slots, slots["a"])] == ["a", "c"]


def failure(**facts: Any) -> ModelError:
    code = facts.pop("code", "provider-error")
    return ModelError("No.", code=code, facts=ErrorFacts(**{"kind": "server", **facts}))


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (failure(status=500), True),
        (failure(status=529, kind="overloaded"), True),
        (failure(status=429, kind="rate_limited"), True),
        (failure(status=429, kind="quota"), True),
        (failure(kind="unreachable"), True),
        (failure(kind="timeout", code="model-timeout"), True),
        (failure(code="reply-broken"), True),
        (failure(status=400, kind="bad_request"), False),
        (failure(status=401, kind="auth"), False),
        (failure(status=404, kind="not_found"), False),
        (failure(status=408, kind="timeout"), False),
        (failure(status=409, kind="server"), False),
        (failure(kind="refused", code="refusal"), False),
        (failure(kind="config", code="config-error"), False),
        (failure(kind="timeout", code="request-budget-exceeded"), False),
        (failure(status=500, output_started=True), False),
    ],
)
def test_only_passing_failures_before_output_fall_back(error: ModelError, expected: bool) -> None:
    assert may_fall_back(error) is expected


class Played:
    """Two slots, `story` falling back to `spare`, and what became of one call."""

    def __init__(self) -> None:
        self.result: ModelReply | ModelError | None = None
        self.requests: list[int] = []
        self.time = QuickTime()

    @property
    def reply(self) -> ModelReply:
        assert isinstance(self.result, ModelReply), self.result
        return self.result

    @property
    def error(self) -> ModelError:
        assert isinstance(self.result, ModelError), self.result
        return self.result


def play(
    first: Sequence[Answer],
    second: Sequence[Answer],
    *,
    request: ModelRequest | None = None,
    spare: dict[str, Any] | None = None,
    selector: UseSlot | None = None,
    **options: Any,
) -> Played:
    played = Played()

    async def run() -> None:
        async with http_double(*first) as one, http_double(*second) as two:
            table = make_table(
                make_slot(one.base_url, fallback=sourced("spare")),
                make_slot(
                    two.base_url, **{"name": "spare", "model": sourced("m2"), **(spare or {})}
                ),
            )
            gateway = ModelGateway(
                GatewayOptions(),
                table,
                selector=selector,
                clock=played.time.clock,
                sleep=played.time.sleep,
            )
            try:
                played.result = await gateway.complete(
                    request or ask(stream=False), slot="story", **options
                )
            except ModelError as failed:
                played.result = failed
            await gateway.aclose()
            played.requests = [len(one.requests), len(two.requests)]

    asyncio.run(asyncio.wait_for(run(), 20))
    return played


def test_the_fallback_answers_after_the_first_slots_retries() -> None:
    played = play([error(503, "busy")], [GOOD])

    assert (played.reply.text, played.reply.slot) == ("from the other", "spare")
    assert played.requests == [4, 1]
    (before,) = played.reply.tried
    assert (before.slot, before.code, before.status) == ("story", "provider-error", 503)
    assert before.http_requests == 4
    assert played.reply.http_requests == 1


def test_all_requests_share_one_count() -> None:
    played = play([error(503)], [error(500)])

    assert played.requests == [4, 4]
    assert (played.error.facts.slot, played.error.status) == ("spare", 500)
    assert [before.slot for before in played.error.facts.tried] == ["story"]

    assert play([error(503)], [error(500)], limits=CallLimits(max_requests=5)).requests == [4, 1]


def test_a_client_error_is_not_asked_elsewhere() -> None:
    played = play([error(401)], [GOOD])

    assert played.requests == [1, 0]
    assert played.error.status == 401


def test_a_stream_that_began_is_not_asked_elsewhere() -> None:
    begun = events([chunk({"content": "Th"})])
    played = play(
        [begun], [events([chunk({"content": "x"}), chunk(finish="stop"), DONE])], request=ask()
    )

    assert played.requests == [1, 0]
    assert played.error.facts.output_started


def test_a_caller_may_forbid_it() -> None:
    assert play([error(503)], [GOOD], allow_fallback=False).requests == [4, 0]


def test_a_slot_chosen_for_every_call_answers_alone() -> None:
    assert play([error(503)], [GOOD], selector=UseSlot("story")).requests == [4, 0]


@pytest.mark.parametrize(
    ("spare", "code"),
    [
        ({"needs_key": True, "key": ApiKey("LAB_API_KEY", None)}, "config-error"),
        ({"context_window": sourced(10)}, "window-too-small"),
    ],
)
def test_a_fallback_that_cannot_serve_is_passed_over(spare: dict[str, Any], code: str) -> None:
    played = play([error(503)], [GOOD], spare=spare)

    assert played.requests == [4, 0]
    assert played.error.status == 503

    async def answer(slot: Slot) -> ModelReply:
        if slot.name == "story":
            raise failure(status=503)
        return ModelReply(f"from {slot.name}")

    chain = (make_slot(), make_slot(**{"name": "spare", **spare}), make_slot(name="last"))
    reply = asyncio.run(first_reply(chain, ask(), answer, clock=ManualClock()))
    told = [(before.slot, before.code, before.status) for before in reply.tried]
    assert (reply.text, told) == (
        "from last",
        [("story", "provider-error", 503), ("spare", code, None)],
    )


def test_output_limits_are_those_of_the_slot_that_is_asked() -> None:
    seen: list[Any] = []

    async def run() -> None:
        async with http_double(error(503)) as one, http_double(GOOD) as two:
            first: Slot = make_slot(
                one.base_url, fallback=sourced("spare"), max_output_tokens=sourced(900)
            )
            other = make_slot(
                two.base_url, name="spare", model=sourced("m2"), max_output_tokens=sourced(300)
            )
            time = QuickTime()
            gateway = ModelGateway(
                GatewayOptions(), make_table(first, other), clock=time.clock, sleep=time.sleep
            )
            await gateway.complete(ask(stream=False))
            await gateway.aclose()
            seen.extend((one.requests[0]["max_tokens"], two.requests[0]["max_tokens"]))

    asyncio.run(run())
    assert seen == [900, 300]


def test_attempts_of_a_caller_share_a_budget() -> None:
    budget = CallBudget()
    first = play([error(503)], [error(500)], budget=budget)
    assert (first.requests, budget.requests) == ([4, 4], 8)

    again = play([GOOD], [GOOD], budget=budget)
    assert again.requests == [0, 0]
    assert again.error.code == "request-budget-exceeded"
