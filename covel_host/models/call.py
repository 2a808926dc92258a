"""One logical call on its way: its turn in the queue, its requests, its limits (models.md 4)."""

import asyncio
import math
import random
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any, Generic, TypeAlias, TypeVar

from covel_host.base.clock import Clock
from covel_host.models.embeddings import EmbeddedTexts
from covel_host.models.errors import ErrorFacts, ModelError
from covel_host.models.limits import CallBudget, CallLimits, CallTimer, LimitName
from covel_host.models.messages import DeltaSink, ModelReply
from covel_host.models.port import Answering, Asked, CallProgress, StreamPiece
from covel_host.models.retry import RetryPolicy
from covel_host.models.slots import Slot

Reply = TypeVar("Reply", ModelReply, EmbeddedTexts)

Sleep = Callable[[float], Awaitable[None]]

WaitingSink: TypeAlias = Callable[[bool], None]
"""Told when a call begins to wait for its turn among the calls at once, and when its turn comes."""

_LIMIT_WORDS: Mapping[LimitName, str] = {
    "first-token": "sent nothing within its time for a first token",
    "idle": "fell silent in the middle of its reply",
    "call": "did not answer in time",
}


class LogicalCall(Generic[Reply]):
    """Carries one request through queueing, resending and limits; used once.

    `gate` bounds the requests at once and is held only while a request is under way; waiting for it
    counts against no limit. `budget` is shared with other calls where they are one to the caller.
    """

    def __init__(
        self,
        *,
        source: Answering[Any, Reply],
        slot: Slot | None,
        request: Asked,
        limits: CallLimits,
        retry: RetryPolicy,
        on_delta: DeltaSink | None,
        gate: asyncio.Semaphore | None,
        clock: Clock,
        sleep: Sleep,
        randomness: random.Random,
        budget: CallBudget | None = None,
        on_waiting: WaitingSink | None = None,
    ) -> None:
        self._source: Answering[Any, Reply] = source
        self._slot = slot
        self._request = request
        self._limits = limits
        self._retry = retry
        self._on_delta = on_delta
        self._gate = gate
        self._clock = clock
        self._sleep = sleep
        self._randomness = randomness
        self._on_waiting = on_waiting
        self._budget = budget or CallBudget()
        self._requests_before = self._budget.requests
        self._timer = CallTimer(
            limits, stream=request.stream, started_at=clock.monotonic(), budget=self._budget
        )
        self._queued_s = 0.0
        self._watch: asyncio.Task[None] | None = None
        self._watched_until = math.inf

    async def run(self) -> Reply:
        """The reply within the limits; the watch cancels the work when a limit is reached."""
        try:
            async with asyncio.TaskGroup() as group:
                self._group = group
                reply = await self._attempts()
                self._stop_watching()
        except BaseExceptionGroup as failures:
            # One side fails first, the work or the watch, and ends the other.
            first = failures.exceptions[0]
            raise first from first.__cause__
        return reply

    def _watch_limits(self) -> None:
        # A watch sleeps until the limit it saw: only a nearer one needs another watch.
        ends_at, _ = self._timer.expires()
        if ends_at < self._watched_until:
            self._stop_watching()
            self._watched_until = ends_at
            self._watch = self._group.create_task(self._end_at_limit())

    def _stop_watching(self) -> None:
        if self._watch is not None:
            self._watch.cancel()

    def _pause_watching(self) -> None:
        self._stop_watching()
        self._watched_until = math.inf

    async def _end_at_limit(self) -> None:
        while True:
            ends_at, limit = self._timer.expires()
            self._watched_until = ends_at
            remaining = ends_at - self._clock.monotonic()
            if remaining <= 0:
                raise self._limit_error(limit)
            await self._sleep(remaining)

    async def _attempts(self) -> Reply:
        retries_done = 0
        while True:
            try:
                return await self._attempt()
            except ModelError as error:
                failure = self._completed(error)
            wait = self._retry.wait_s(
                failure,
                retries_done=retries_done,
                remaining_s=self._timer.remaining_s(self._clock.monotonic()),
                jitter=self._randomness.random(),
            )
            if wait is None:
                raise failure
            if self._budget.requests >= self._limits.max_requests:
                raise self._budget_error(
                    f"{self._budget.requests} requests were sent without a reply; the last one "
                    f"failed: {failure.message}"
                ) from failure
            await self._sleep(wait)
            retries_done += 1

    async def _attempt(self) -> Reply:
        if self._budget.requests >= self._limits.max_requests:
            raise self._budget_error(f"{self._budget.requests} requests have been sent for it")
        async with AsyncExitStack() as stack:
            if self._gate is not None:
                await self._turn(self._gate, stack)
            self._budget.requests += 1
            self._timer.attempt_started(self._clock.monotonic())
            self._watch_limits()
            stack.callback(self._timer.attempt_ended)
            reply = await self._source.complete(self._request, on_piece=self._piece)
        return replace(
            reply,
            slot=None if self._slot is None else self._slot.name,
            http_requests=self._requests,
            queued_ms=round(self._queued_s * 1000),
        )

    async def _turn(self, gate: asyncio.Semaphore, stack: AsyncExitStack) -> None:
        if not gate.locked():
            await stack.enter_async_context(gate)
            return
        self._pause_watching()
        queued_at = self._clock.monotonic()
        if self._on_waiting is not None:
            self._on_waiting(True)
        try:
            await stack.enter_async_context(gate)
        finally:
            waited = self._clock.monotonic() - queued_at
            self._queued_s += waited
            self._budget.leave_out(waited)
            if self._on_waiting is not None:
                self._on_waiting(False)

    @property
    def _requests(self) -> int:
        return self._budget.requests - self._requests_before

    async def _piece(self, piece: StreamPiece) -> None:
        if self._timer.piece_arrived(self._clock.monotonic()):
            self._watch_limits()
        if self._on_delta is not None and not isinstance(piece, CallProgress):
            await self._on_delta(piece)

    def _completed(self, error: ModelError) -> ModelError:
        error.facts = replace(
            error.facts,
            http_requests=self._requests,
            output_started=self._timer.output_started,
        )
        return error

    def _limit_error(self, limit: LimitName) -> ModelError:
        waited = round(self._clock.monotonic() - self._timer.started_at, 1)
        if limit == "budget":
            return self._budget_error(f"{waited:g} s have passed without a complete reply")
        return ModelError(
            f"{self._who()} {_LIMIT_WORDS[limit]} ({waited:g} s after the call began).",
            code="model-timeout",
            facts=self._facts(retriable=not self._timer.output_started),
        )

    def _budget_error(self, what: str) -> ModelError:
        return ModelError(
            f"{self._who()}: the budget of this call is used up, {what.removesuffix('.')}.",
            code="request-budget-exceeded",
            facts=self._facts(retriable=False),
        )

    def _facts(self, *, retriable: bool) -> ErrorFacts:
        slot = self._slot
        return ErrorFacts(
            kind="timeout",
            retriable=retriable,
            slot=None if slot is None else slot.name,
            provider=None if slot is None else slot.provider.value,
            model=None if slot is None else slot.model.value,
            http_requests=self._requests,
            output_started=self._timer.output_started,
        )

    def _who(self) -> str:
        if self._slot is None:
            return "The model"
        slot = self._slot
        return f"Slot {slot.name!r}: model {slot.model.value!r} of provider {slot.provider.value!r}"
