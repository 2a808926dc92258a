"""One call of a service, from the look at both sides to the copy of its answer."""

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from covel_host.base.answer_sizes import text_size_problem
from covel_host.base.clock import Clock
from covel_host.base.errors import HostError
from covel_host.base.json_text import JsonValueError, dump_json
from covel_host.base.tasks import TaskTracker
from covel_host.services.admission import admitted
from covel_host.services.caller import Caller, OpenService, RunningService, ServiceContexts
from covel_host.services.directory import OfferedService, ServiceDirectory
from covel_host.services.failures import ServiceFailed, ServiceTimeout, cancelled
from covel_host.services.playing import played
from covel_host.trace.log import RunTrace
from plugin_sdk.errors import ToolError
from plugin_sdk.records import ServiceOffer
from plugin_sdk.values import JsonValue

MAX_TIMEOUT_MS: Final = 2_147_483_647


class ServiceCalls:
    """Makes the service calls of one run.

    Both sides are looked at anew for each call. Input and output are checked and copied, a provider
    that does not stop in time is left to `tasks`, and what it answers later is dropped.
    """

    def __init__(
        self,
        directory: ServiceDirectory,
        contexts: ServiceContexts,
        *,
        tasks: TaskTracker,
        trace: RunTrace,
        clock: Clock,
    ) -> None:
        self._directory = directory
        self._contexts = contexts
        self._tasks = tasks
        self._trace = trace
        self._clock = clock

    def discover(self, contract: str) -> list[ServiceOffer]:
        """The active providers of a contract (spec/manifest.md 10.4)."""
        return [found.offer for found in self._directory.providers(contract)]

    async def call(
        self, caller: Caller, offer: ServiceOffer, value: object, *, timeout_ms: float | None = None
    ) -> JsonValue:
        """The provider's answer; `timeout_ms` covers the wait for its turn as well.

        Raises:
            ToolError: the caller's own mistake: no offer, no JSON, no such limit, a write where
                nothing may be written.
            ServiceFailed: see spec/manifest.md 10.4.
            ServiceTimeout: no answer in time.
            asyncio.CancelledError: the caller's task was cancelled.
        """
        deadline = _Deadline(timeout_ms)
        text = _written(value)
        offered = admitted(self._directory, caller, offer)
        started = self._clock.monotonic()
        running: RunningService | None = None
        code: str | None = "internal"
        try:
            async with self._turn(caller, offered, deadline):
                if caller.signal.cancelled:
                    raise cancelled(offered.service.contract)
                # It may have waited: what was true before may not be true now.
                admitted(self._directory, caller, offer)
                running = RunningService(offered, caller)
                answer = await self._answer(running, caller, text, deadline)
            code = None
        except asyncio.CancelledError:
            code = "cancelled"
            raise
        except ServiceTimeout:
            code = "timeout"
            raise
        except ServiceFailed as failed:
            code = failed.code
            raise
        finally:
            self._report(running, caller, offered, code, self._clock.monotonic() - started)
        return answer

    @asynccontextmanager
    async def _turn(
        self, caller: Caller, offered: OfferedService, deadline: "_Deadline"
    ) -> AsyncIterator[None]:
        """The time in which a write call has its provider for itself, among this caller's."""
        if offered.service.kind == "read":
            yield
            return
        turn = caller.turns.of(offered.plugin_id)
        try:
            async with asyncio.timeout(deadline.remaining_s):
                await turn.acquire()
        except TimeoutError:
            raise deadline.passed(offered) from None
        try:
            yield
        finally:
            turn.release()

    async def _answer(
        self, running: RunningService, caller: Caller, text: str, deadline: "_Deadline"
    ) -> JsonValue:
        opened = self._contexts.open(running)
        service = running.offered.service
        task = self._tasks.start(
            played(running.offered, opened, text),
            name=f"service {service.name} of {running.offered.plugin_id}",
            stoppable=service.is_async,
        )
        try:
            await _ended(task, running, caller, deadline)
            answer = task.result()
            if service.kind == "write":
                await _kept(running)
            return answer
        finally:
            running.scope.withdraw()
            _withdraw(task, running, opened)

    def _report(
        self,
        running: RunningService | None,
        caller: Caller,
        offered: OfferedService,
        code: str | None,
        duration_s: float,
    ) -> None:
        facts: dict[str, object] = {
            "callId": None if running is None else running.call_id,
            "parentCallId": caller.call_id,
            "callerPluginId": caller.plugin_id,
            "providerPluginId": offered.plugin_id,
            "name": offered.service.name,
            "contract": offered.service.contract,
            "durationMs": round(duration_s * 1000),
            "outcome": "completed" if code is None else "failed",
            "errorCode": code,
        }
        told = {name: fact for name, fact in facts.items() if fact is not None}
        self._trace.add("plugin.service.completed", **told)


class _Deadline:
    """When a call has used up its time."""

    def __init__(self, timeout_ms: float | None) -> None:
        self._limit_ms = timeout_ms
        self._ends_at = math.inf
        if timeout_ms is not None:
            is_number = isinstance(timeout_ms, (int, float)) and not isinstance(timeout_ms, bool)
            if not is_number or not 0 < timeout_ms <= MAX_TIMEOUT_MS:
                raise ToolError(
                    "invalid-input",
                    f"timeout_ms is {timeout_ms!r}; it must be a number of milliseconds above 0 "
                    f"and up to {MAX_TIMEOUT_MS}.",
                )
            self._ends_at = asyncio.get_running_loop().time() + timeout_ms / 1000

    @property
    def remaining_s(self) -> float | None:
        """Seconds left, None without a limit."""
        if self._limit_ms is None:
            return None
        return max(self._ends_at - asyncio.get_running_loop().time(), 0.0)

    def passed(self, offered: OfferedService) -> ServiceTimeout:
        """The failure of a call whose time is over."""
        assert self._limit_ms is not None
        return ServiceTimeout(offered.service.contract, self._limit_ms)


async def _ended(
    task: "asyncio.Task[JsonValue]", running: RunningService, caller: Caller, deadline: _Deadline
) -> None:
    """Return when the service has ended of itself.

    Raises:
        ServiceTimeout, ServiceFailed: its time is over, or its caller was cancelled.
    """
    stop = asyncio.ensure_future(caller.signal.wait())
    try:
        await asyncio.wait(
            {task, stop}, timeout=deadline.remaining_s, return_when=asyncio.FIRST_COMPLETED
        )
    finally:
        stop.cancel()
    if caller.signal.cancelled:
        raise cancelled(running.offered.service.contract)
    if not task.done():
        raise deadline.passed(running.offered)


async def _kept(running: RunningService) -> None:
    try:
        await running.scope.keep()
    except HostError as refusal:
        # Each write was checked when it was made: the records below have changed since.
        raise ServiceFailed("conflict", refusal.message, hint=refusal.hint) from refusal


def _withdraw(
    task: "asyncio.Task[JsonValue]", running: RunningService, opened: OpenService
) -> None:
    opened.close()
    if not task.done():
        running.signal.cancel("abandoned")
        # A thread cannot be stopped; its task stays uncancelled, so that the tracker knows of it.
        if running.offered.service.is_async:
            task.cancel()


def _written(value: object) -> str:
    try:
        text = dump_json(value)
    except JsonValueError as error:
        raise ToolError(
            "invalid-input", f"The input of the service cannot be written as JSON: {error}."
        ) from error
    problem = text_size_problem(text)
    if problem is not None:
        raise ToolError("invalid-input", f"The input of the service is too large: {problem}.")
    return text
