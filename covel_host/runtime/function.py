"""One run of a function runtime, from its context to its result (spec/execution.md 6)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from covel_host.base.author_calls import AuthorRaised
from covel_host.base.errors import HostError
from covel_host.runtime.call_life import CallLife
from covel_host.runtime.completion_calls import CallOutcome
from covel_host.runtime.completion_function import settle_function
from covel_host.runtime.deadline import RunDeadline, RunTimedOut, run_within
from covel_host.runtime.function_calls import FunctionCalls
from covel_host.runtime.function_context import FunctionRunContext
from covel_host.runtime.function_result import settled_result
from covel_host.runtime.function_tools import function_tools
from covel_host.runtime.package_call import PackageCall, failure_of, read_apart
from covel_host.runtime.result import ModelUse, RunFailure, RuntimeResult
from covel_host.runtime.run import RunPorts, RuntimeRun
from covel_host.runtime.run_gateway import RunGateway
from covel_host.runtime.run_media import RunMedia
from covel_host.runtime.run_record import RunRecord
from covel_host.runtime.run_status import RunStatus
from covel_host.runtime.service_access import RunServices
from covel_host.runtime.tool_standings import function_standings
from covel_host.services.failures import is_blameless

DEFAULT_LIMIT_MS: Final = 60_000
"""Limit of a handler whose manifest names none (spec/decisions.md 2)."""


class HandlerMissing(HostError):
    """A function runtime without a loaded handler, such as one of a host without package code."""

    def __init__(self, runtime_id: str) -> None:
        super().__init__(
            f"The handler of {runtime_id!r} was not loaded.", code="handler-not-loaded"
        )


class HandlerTimedOut(HostError):
    """A handler did not end within its limit."""

    def __init__(self, runtime_id: str, limit_ms: int, *, was_left: bool) -> None:
        left = " It did not stop when it was cancelled and was left behind." if was_left else ""
        super().__init__(
            f"The handler of {runtime_id!r} did not end within {limit_ms} ms "
            f"('function.timeoutMs').{left}",
            code="timeout",
        )


class FunctionRun:
    """One run of a handler, played once with `result`.

    A handler that does not stop at its limit is left behind: every capability of its context is
    withdrawn, and what it returns later is dropped.
    """

    def __init__(self, run: RuntimeRun, ports: RunPorts, record: RunRecord) -> None:
        self._run = run
        self._ports = ports
        self._record = record
        self._life = CallLife("run")
        self._calls: FunctionCalls | None = None
        self._gateway: RunGateway | None = None
        self._warnings: tuple[str, ...] = ()

    async def result(self) -> RuntimeResult:
        """How the run went; a failure is a result, never an exception.

        Raises:
            asyncio.CancelledError: the execution was cancelled; nothing of the run counts.
        """
        self._record.begin()
        try:
            returned = await self._returned()
            self._withdraw()
            return await read_apart(
                lambda: settled_result(
                    self._run,
                    self._ports,
                    returned,
                    calls=self._outcomes,
                    done=() if self._calls is None else self._calls.done,
                    result=self._result,
                )
            )
        except AuthorRaised as raised:
            failure = failure_of(raised.error, self._run.reading, noun="handler")
            return self._failed(failure, is_own=not is_blameless(raised.error))
        except HostError as error:
            return self._failed(RunFailure(error.code, error.message, error.hint))
        finally:
            self._withdraw()

    def cut_short(self, failure: RunFailure) -> RuntimeResult:
        """The result of a run that was cancelled: what its audit keeps, as far as it came."""
        return self._failed(failure)

    async def _returned(self) -> object:
        run, ports = self._run, self._ports
        if run.handler is None:
            raise HandlerMissing(run.runtime_id)
        call = PackageCall(run.handler, name=f"handler of {run.runtime_id}", tasks=ports.tasks)
        limit_ms = _limit_ms(run)
        deadline = RunDeadline(limit_ms / 1000, ports.clock)
        try:
            return await run_within(
                deadline,
                self._play(call, deadline),
                name=f"runtime {run.runtime_id}",
                signal=run.signal,
                tasks=ports.tasks,
            )
        except RunTimedOut as error:
            raise HandlerTimedOut(
                run.runtime_id, limit_ms, was_left=error.was_left or call.is_left
            ) from error

    async def _play(self, call: PackageCall, deadline: RunDeadline) -> object:
        run, ports, life = self._run, self._ports, self._life
        tools = function_tools(run, ports.registry)
        if ports.on_tools is not None:
            ports.on_tools(run.runtime_id, function_standings(run, tools))
        self._warnings = tuple(
            f'builtin tool "{name}" is not installed on this host — not callable'
            for name in tools.missing
        )
        services = RunServices(run, ports, self._record, slot=_slot(run), on_queued=deadline.extend)
        self._calls = FunctionCalls(run, ports, tools, life, services)
        self._gateway = RunGateway(run, ports, life, slot=_slot(run), on_queued=deadline.extend)
        context = FunctionRunContext(
            run,
            ports,
            life,
            gateway=self._gateway,
            media=RunMedia(run, ports, life),
            tools=self._calls,
            services=services,
        )
        ports.trace.add("function.executing", runtimeId=run.runtime_id)
        returned = await call.returned(context)
        # What the handler began and did not wait for belongs to its run.
        await life.uses_ended()
        ports.trace.add("function.completed", runtimeId=run.runtime_id)
        return returned

    def _withdraw(self) -> None:
        self._life.end()
        if self._gateway is not None:
            self._gateway.close()

    @property
    def _outcomes(self) -> Sequence[CallOutcome]:
        return () if self._calls is None else self._calls.outcomes

    def _failed(self, failure: RunFailure, *, is_own: bool = True) -> RuntimeResult:
        """The result of a handler that came to no end.

        Its calls decide whose error that is. Without a failed one it is its own, unless a service
        of another package brought it down.
        """
        settlement = settle_function("failed", self._outcomes)
        counts = settlement.counts_as_error and (is_own or settlement.failed_tool is not None)
        return self._result("failed", failure=replace(failure, counts_as_error=counts))

    def _result(
        self, status: RunStatus, *, warnings: Sequence[str] = (), **members: Any
    ) -> RuntimeResult:
        return self._record.result(
            status,
            tool_calls=() if self._calls is None else self._calls.done,
            warnings=(*self._warnings, *warnings),
            model_use=ModelUse() if self._gateway is None else self._gateway.use,
            **members,
        )


def _limit_ms(run: RuntimeRun) -> int:
    function = run.manifest.function
    own_ms = DEFAULT_LIMIT_MS if function is None else function.timeout_ms
    return own_ms if run.limit_ms is None else min(own_ms, run.limit_ms)


def _slot(run: RuntimeRun) -> str | None:
    return None if run.manifest.function is None else run.manifest.function.model
