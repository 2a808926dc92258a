"""Limits, queue and cancellation of a call, with time moved by hand."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import pytest

from covel_host.models.call import LogicalCall
from covel_host.models.errors import ErrorFacts, ModelError
from covel_host.models.limits import CallBudget, CallLimits
from covel_host.models.messages import Delta, ModelReply, ModelRequest, TextDelta
from covel_host.models.port import CallProgress, PieceSink
from covel_host.models.retry import RetryPolicy
from tests.models.support import HandTime, ask, make_slot, settle

Behaviour = Callable[[PieceSink], Awaitable[ModelReply]]


class Source:
    """A model source that does what the test says, one behaviour per request."""

    def __init__(self, *behaviours: Behaviour) -> None:
        self.behaviours = behaviours
        self.requests = 0
        self.under_way = 0
        self.most_under_way = 0

    async def complete(self, request: ModelRequest, *, on_piece: PieceSink) -> ModelReply:
        behaviour = self.behaviours[min(self.requests, len(self.behaviours) - 1)]
        self.requests += 1
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        try:
            return await behaviour(on_piece)
        finally:
            self.under_way -= 1

    async def aclose(self) -> None:
        return None


async def answers(_: PieceSink) -> ModelReply:
    return ModelReply("done")


async def hangs(_: PieceSink) -> ModelReply:
    await asyncio.Event().wait()
    raise AssertionError


def fails(**facts: Any) -> Behaviour:
    async def behaviour(_: PieceSink) -> ModelReply:
        known = ErrorFacts(**{"kind": "server", "retriable": True, "resend": True, **facts})
        raise ModelError("It failed.", code="provider-error", facts=known)

    return behaviour


def make_call(
    source: Source,
    time: HandTime,
    *,
    limits: CallLimits | None = None,
    gate: asyncio.Semaphore | None = None,
    stream: bool = True,
    retry: RetryPolicy | None = None,
    on_delta: Callable[[Delta], Awaitable[None]] | None = None,
    budget: CallBudget | None = None,
    on_waiting: Callable[[bool], None] | None = None,
) -> Coroutine[Any, Any, ModelReply]:
    return LogicalCall(
        source=source,
        slot=make_slot(),
        request=ask(stream=stream),
        limits=limits or CallLimits(),
        retry=retry or RetryPolicy(),
        on_delta=on_delta,
        gate=gate,
        clock=time.clock,
        sleep=time.sleep,
        randomness=random.Random(1),
        budget=budget,
        on_waiting=on_waiting,
    ).run()


def run(test: Callable[[HandTime], Coroutine[Any, Any, None]]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(10):
            await test(HandTime())

    asyncio.run(bounded())


async def failure_of(task: "asyncio.Task[ModelReply]") -> ModelError:
    with pytest.raises(ModelError) as caught:
        await task
    return caught.value


def test_a_silent_stream_ends_at_its_first_token_limit() -> None:
    async def test(time: HandTime) -> None:
        task = asyncio.create_task(
            make_call(Source(hangs), time, limits=CallLimits(first_token_ms=20_000))
        )
        await time.advance(19.9)
        assert not task.done()
        await time.advance(0.2)

        error = await failure_of(task)
        assert (error.code, error.error_kind, error.retriable) == ("model-timeout", "timeout", True)
        assert "first token" in error.message
        assert error.facts.http_requests == 1

    run(test)


def test_a_timeout_is_not_sent_again_by_the_gateway() -> None:
    async def test(time: HandTime) -> None:
        source = Source(hangs, answers)
        task = asyncio.create_task(make_call(source, time, limits=CallLimits(first_token_ms=1_000)))
        await time.advance(2)
        await failure_of(task)
        assert source.requests == 1

    run(test)


def test_silence_after_output_ends_the_stream() -> None:
    async def speaks_and_hangs(on_piece: PieceSink) -> ModelReply:
        await on_piece(TextDelta("The "))
        return await hangs(on_piece)

    async def test(time: HandTime) -> None:
        task = asyncio.create_task(
            make_call(
                Source(speaks_and_hangs),
                time,
                limits=CallLimits(first_token_ms=60_000, idle_ms=5_000),
            )
        )
        await time.advance(4.9)
        assert not task.done()
        await time.advance(0.2)

        error = await failure_of(task)
        assert (error.code, error.retriable) == ("model-timeout", False)
        assert error.facts.output_started

    run(test)


def test_pieces_keep_a_long_stream_alive_past_two_minutes() -> None:
    async def test(time: HandTime) -> None:
        next_piece = asyncio.Event()
        seen: list[Delta] = []

        async def speaks_slowly(on_piece: PieceSink) -> ModelReply:
            for piece in (TextDelta("a"), CallProgress(), CallProgress(), TextDelta("b")):
                await next_piece.wait()
                next_piece.clear()
                await on_piece(piece)
            return ModelReply("ab")

        async def note(delta: Delta) -> None:
            seen.append(delta)

        task = asyncio.create_task(make_call(Source(speaks_slowly), time, on_delta=note))
        for _ in range(4):
            await time.advance(100)
            next_piece.set()
            await settle()

        assert (await task).text == "ab"
        assert seen == [TextDelta("a"), TextDelta("b")]

    run(test)


def test_an_unstreamed_call_ends_at_its_limit() -> None:
    async def test(time: HandTime) -> None:
        limits = CallLimits(budget_ms=300_000, call_ms=30_000)
        task = asyncio.create_task(make_call(Source(hangs), time, limits=limits, stream=False))
        await time.advance(31)
        assert (await failure_of(task)).code == "model-timeout"

    run(test)


def test_the_budget_covers_requests_and_waits() -> None:
    async def test(time: HandTime) -> None:
        source = Source(fails(retry_after_s=50.0), hangs)
        task = asyncio.create_task(make_call(source, time, limits=CallLimits(budget_ms=70_000)))
        await time.advance(50)
        assert source.requests == 2
        await time.advance(21)

        error = await failure_of(task)
        assert (error.code, error.retriable) == ("request-budget-exceeded", False)
        assert "71 s" in error.message

    run(test)


def test_the_request_count_is_a_budget_too() -> None:
    async def test(time: HandTime) -> None:
        source = Source(fails())
        task = asyncio.create_task(make_call(source, time, limits=CallLimits(max_requests=2)))
        await time.advance(1)

        error = await failure_of(task)
        assert error.code == "request-budget-exceeded"
        assert "It failed" in error.message
        assert source.requests == 2

    run(test)


def test_the_last_error_stands_when_retries_are_used_up() -> None:
    async def test(time: HandTime) -> None:
        task = asyncio.create_task(make_call(Source(fails(status=500)), time))
        for _ in range(3):
            await time.advance(10)

        error = await failure_of(task)
        assert (error.code, error.status, error.facts.http_requests) == ("provider-error", 500, 4)

    run(test)


def test_a_failure_after_output_is_not_sent_again() -> None:
    async def speaks_and_fails(on_piece: PieceSink) -> ModelReply:
        await on_piece(TextDelta("half"))
        return await fails()(on_piece)

    async def test(time: HandTime) -> None:
        source = Source(speaks_and_fails, answers)
        task = asyncio.create_task(make_call(source, time))
        assert (await failure_of(task)).facts.output_started
        assert source.requests == 1

    run(test)


def test_requests_at_once_are_bounded_and_the_wait_is_reported() -> None:
    async def test(time: HandTime) -> None:
        release = asyncio.Event()

        async def waits(_: PieceSink) -> ModelReply:
            await release.wait()
            return ModelReply("x")

        source, gate = Source(waits), asyncio.Semaphore(2)
        tasks = [asyncio.create_task(make_call(source, time, gate=gate)) for _ in range(5)]
        await time.advance(3)
        assert source.under_way == 2
        release.set()
        replies = await asyncio.gather(*tasks)

        assert source.most_under_way == 2
        assert sorted(reply.queued_ms for reply in replies) == [0, 0, 3000, 3000, 3000]

    run(test)


def test_waiting_for_a_turn_counts_against_no_limit() -> None:
    async def test(time: HandTime) -> None:
        gate, told = asyncio.Semaphore(1), list[bool]()
        await gate.acquire()
        task = asyncio.create_task(
            make_call(
                Source(hangs),
                time,
                gate=gate,
                limits=CallLimits(budget_ms=10_000),
                on_waiting=told.append,
            )
        )
        await time.advance(500)
        assert (task.done(), told) == (False, [True])
        gate.release()
        await time.advance(9.9)
        assert (task.done(), told) == (False, [True, False])
        await time.advance(0.2)

        error = await failure_of(task)
        assert "10.1 s have passed" in error.message

    run(test)


def test_a_turn_that_is_free_is_not_waited_for() -> None:
    async def test(time: HandTime) -> None:
        told: list[bool] = []
        await make_call(Source(answers), time, gate=asyncio.Semaphore(1), on_waiting=told.append)
        assert told == []

    run(test)


def test_attempts_of_one_caller_share_out_the_time_for_a_first_token() -> None:
    async def test(time: HandTime) -> None:
        budget, ends = CallBudget(), list[float]()
        for attempts_left in (4, 3, 2, 1):
            limits = CallLimits(budget_ms=120_000, attempts_left=attempts_left)
            task = asyncio.create_task(make_call(Source(hangs), time, limits=limits, budget=budget))
            started = time.clock.monotonic()
            await settle()
            while not task.done():
                await time.advance(0.5)
            ends.append(round(time.clock.monotonic() - started))
            await failure_of(task)

        assert ends == [60, 30, 15, 15]

    run(test)


def test_waiting_to_send_again_gives_the_place_to_another_call() -> None:
    async def test(time: HandTime) -> None:
        gate = asyncio.Semaphore(1)
        waiting = asyncio.create_task(
            make_call(Source(fails(retry_after_s=30.0), answers), time, gate=gate)
        )
        await settle()
        assert (await make_call(Source(answers), time, gate=gate)).text == "done"
        assert not waiting.done()
        await time.advance(30)
        assert (await waiting).http_requests == 2

    run(test)


@pytest.mark.parametrize("when", ["in a request", "in a wait", "in the queue"])
def test_cancelling_ends_a_call_at_once_and_leaves_nothing(when: str) -> None:
    async def test(time: HandTime) -> None:
        gate = asyncio.Semaphore(1)
        source = Source(fails(retry_after_s=30.0) if when == "in a wait" else hangs)
        if when == "in the queue":
            await gate.acquire()
        task = asyncio.create_task(make_call(source, time, gate=gate))
        await settle()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        if when == "in the queue":
            gate.release()
        await settle()

        assert source.under_way == 0
        assert not gate.locked()
        assert asyncio.all_tasks() == {asyncio.current_task()}

    run(test)


def test_a_finished_call_leaves_no_task() -> None:
    async def test(time: HandTime) -> None:
        await make_call(Source(answers), time)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    run(test)


def test_a_receivers_exception_comes_out_as_it_is() -> None:
    class ReceiverBroke(Exception):
        pass

    async def speaks(on_piece: PieceSink) -> ModelReply:
        await on_piece(TextDelta("x"))
        return ModelReply("x")

    async def fail(_: Delta) -> None:
        raise ReceiverBroke

    async def test(time: HandTime) -> None:
        with pytest.raises(ReceiverBroke):
            await make_call(Source(speaks), time, on_delta=fail)

    run(test)
