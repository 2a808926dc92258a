"""One run that is a single tool call, made for a package and not by one of its runtimes."""

from functools import partial
from typing import Any, Final

from covel_host.base.errors import HostError
from covel_host.base.unicode_text import storable_text
from covel_host.runtime.call_outputs import NO_OUTPUTS, stage_outputs
from covel_host.runtime.contexts import OpenToolCall
from covel_host.runtime.deadline import RunDeadline, RunTimedOut, run_within
from covel_host.runtime.function_outcome import projected
from covel_host.runtime.result import RunFailure, RuntimeResult
from covel_host.runtime.run import RunPorts, RuntimeRun, SingleCall
from covel_host.runtime.run_record import RunRecord
from covel_host.runtime.run_status import RunStatus
from covel_host.runtime.service_access import RunServices
from covel_host.tools.call_hooks import CallHooks
from covel_host.tools.calls import CallCancelled, CallScope, ToolCallResult, ToolRequest
from covel_host.tools.calls_not_run import call_not_run
from covel_host.tools.registry import RegisteredTool

LIMIT_S: Final = 300.0
"""How long a call without a limit of its own may take: as long as an agent's run, in which a model
makes such calls (spec/decisions.md 2)."""

_HOOKS_S: Final = 60.0
"""What is added to a tool's own limit, for the hooks around the call."""

CALL_FAILED: Final = "tool-call-failed"
"""The code of a run whose call failed; the call's own error says why."""


class ToolRun:
    """A run of one call, played once with `result`.

    The call goes the way of a model's call: hooks, authorisation, arguments, limits, audit, trace,
    staging. Authorised are the tools that the package contributes, and no other. The run's value is
    the tool's whole content; a call that failed is a failed run.
    """

    def __init__(
        self, run: RuntimeRun, ports: RunPorts, call: SingleCall, record: RunRecord
    ) -> None:
        self._run = run
        self._ports = ports
        self._call = call
        self._record = record
        self._tools = ports.registry.resolve(run.contributed_tools, plugin_id=run.plugin_id)
        self._done: tuple[ToolCallResult, ...] = ()

    async def result(self) -> RuntimeResult:
        """How the call went; a failure is a result, never an exception.

        Raises:
            asyncio.CancelledError: the execution was cancelled; nothing of the call counts.
        """
        await self._ports.on_start()
        self._record.begin()
        try:
            called = await self._within_limit()
            if called.error is not None:
                error = called.error
                return self.cut_short(RunFailure(CALL_FAILED, error.message, error.hint))
            await stage_outputs(self._run.staging, NO_OUTPUTS.plus(self._done))
        except RunTimedOut as error:
            return self.cut_short(self._timed_out(was_left=error.was_left))
        except HostError as error:
            message = storable_text(error.message)
            return self.cut_short(RunFailure(error.code, message, error.hint))
        return self._result(
            "success",
            output=projected(called.content, has_value=True),
            value=called.content,
            has_value=True,
            proposals=self._run.staging.proposals,
        )

    def cut_short(self, failure: RunFailure) -> RuntimeResult:
        """The result of a run that does not count: what its audit keeps, as far as it came."""
        return self._result("failed", failure=failure)

    async def _within_limit(self) -> ToolCallResult:
        run, ports = self._run, self._ports
        deadline = RunDeadline(self._limit_s, ports.clock)
        return await run_within(
            deadline,
            self._called(deadline),
            name=f"runtime {run.runtime_id}",
            signal=run.signal,
            tasks=ports.tasks,
        )

    async def _called(self, deadline: RunDeadline) -> ToolCallResult:
        run, ports = self._run, self._ports
        services = RunServices(run, ports, self._record, slot=None, on_queued=deadline.extend)
        scope = _scope(run, ports, services, self._tools)
        hooks = CallHooks(ports.hooks, scope)
        asked = await hooks.before(ToolRequest(0, "call-1", self._call.tool, self._call.arguments))
        if asked.refusal is not None:
            called = call_not_run(
                asked.request, asked.refusal, clock=ports.clock, trace=ports.trace
            )
        else:
            try:
                called = await ports.executor.call(asked.request, scope)
            except CallCancelled as cancelled:
                self._done = (cancelled.result,)
                raise
            self._done = (called,)
            called = (await hooks.after(called)).result
        self._done = (called,)
        return called

    @property
    def _limit_s(self) -> float:
        found = self._tools.get(self._call.tool)
        own_ms = None if found is None else found.tool.timeout_ms
        return LIMIT_S if own_ms is None else max(LIMIT_S, own_ms / 1000 + _HOOKS_S)

    def _timed_out(self, *, was_left: bool) -> RunFailure:
        left = " It did not stop when it was cancelled and was left behind." if was_left else ""
        return RunFailure(
            "timeout",
            f'The call of "{self._call.tool}" did not end within {self._limit_s:.0f} s.{left}',
        )

    def _result(self, status: RunStatus, **members: Any) -> RuntimeResult:
        return self._record.result(status, tool_calls=self._done, **members)


def _scope(
    run: RuntimeRun,
    ports: RunPorts,
    services: RunServices,
    tools: dict[str, RegisteredTool],
) -> CallScope:
    return CallScope(
        plugin_id=run.plugin_id,
        runtime_id=run.runtime_id,
        instruction_locale=run.instruction_locale,
        authorized=frozenset(tools),
        tools=tools,
        signal=run.signal,
        trace=ports.trace,
        staging=run.staging,
        open_call=partial(OpenToolCall, run, ports, services, lambda: NO_OUTPUTS.topics),
    )
