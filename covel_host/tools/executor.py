"""One path for every tool call, whoever makes it (seed: ToolExecutor)."""

import asyncio
from typing import Final

from covel_host.base.author_calls import is_authors_own
from covel_host.base.clock import Clock
from covel_host.base.tasks import TaskTracker
from covel_host.diagnostics.near_names import nearest
from covel_host.tools.approval import ApprovalPolicy, ApprovalStatus
from covel_host.tools.call_arguments import UnreadArguments, read_arguments
from covel_host.tools.call_outcome import accept_outcome, fail_call
from covel_host.tools.call_trace import report_call
from covel_host.tools.calls import (
    CallCancelled,
    CallError,
    CallScope,
    ToolCallResult,
    ToolRequest,
    denied_call,
)
from covel_host.tools.invocation import failure_of, invoke
from covel_host.tools.registry import RegisteredTool, ToolSource
from covel_host.tools.running_calls import RunningCall, RunningCalls
from covel_host.tools.service_tools import ServiceTool

MAX_SLIP_CHARACTERS: Final = 100
"""A longer name is no slip of a tool's name."""


class ToolExecutor:
    """Runs tool calls: authorisation, resolution, approval, arguments, function, checks after it.

    A failed call is a result, not an exception. Which tool a name means is the scope's to say: one
    executor serves runs of different catalogs at once. `approval` are the host's rules.
    """

    def __init__(self, *, clock: Clock, approval: ApprovalPolicy | None = None) -> None:
        self._clock = clock
        self._approval = ApprovalPolicy() if approval is None else approval
        self._tasks = TaskTracker()
        self._calls = RunningCalls()

    async def call(self, request: ToolRequest, scope: CallScope) -> ToolCallResult:
        """What came of one call.

        Raises:
            CallCancelled: the caller was cancelled; the call's late outcome is dropped.
        """
        clock, result, is_cancelled = self._clock, ToolCallResult(request, self._clock.now()), False
        started = clock.monotonic()
        try:
            registered = self._announced(result, scope)
            await self._complete(result, registered, scope)
        except CallError as failure:
            fail_call(result, failure)
        except asyncio.CancelledError:
            fail_call(
                result, CallError("cancelled", f'The call of "{request.name}" was cancelled.')
            )
            is_cancelled = True
        except BaseException as error:
            # Author's code also runs while arguments are checked and results are copied, and may
            # ask there, too, for the end of the process.
            if not is_authors_own(error):
                raise
            fail_call(result, failure_of(request.name, error))
        result.duration_ms = round((clock.monotonic() - started) * 1000)
        report_call(result, scope)
        if is_cancelled:
            raise CallCancelled(result)
        return result

    def approval_of(self, tool_name: str, source: ToolSource) -> ApprovalStatus:
        """What the host's rules say of a tool; for calls that are answered by others."""
        return self._approval.status(tool_name, source)

    async def close(self, *, budget_s: float = 5.0) -> tuple[str, ...]:
        """Refuse new calls, cancel running ones, wait for what was left; names of what did not end.

        May be called again. While something is named, what it uses must stay open (seed: 关闭).
        """
        ends_at = asyncio.get_running_loop().time() + budget_s
        running = await self._calls.close(budget_s=budget_s)
        rest_s = max(ends_at - asyncio.get_running_loop().time(), 0.0)
        return tuple(sorted({*running, *await self._tasks.close(budget_s=rest_s)}))

    def _announced(self, result: ToolCallResult, scope: CallScope) -> RegisteredTool:
        """The tool that the call means; the trace is told of the call and what rules say of it."""
        request = result.request
        call_id, name, arguments = request.call_id, request.name, request.arguments
        try:
            registered = self._resolved(request, scope)
        except CallError:
            scope.trace.add("tool.calling", toolCallId=call_id, toolName=name, arguments=arguments)
            raise
        result.source = registered.source
        result.approval = self.approval_of(name, registered.source)
        scope.trace.add(
            "tool.calling",
            toolCallId=call_id,
            toolName=name,
            arguments=arguments,
            source=result.source,
            approvalStatus=result.approval,
        )
        return registered

    def _resolved(self, request: ToolRequest, scope: CallScope) -> RegisteredTool:
        if self._calls.is_closed:
            raise CallError("unavailable", "The host is closing and takes no more calls.")
        if scope.signal.cancelled:
            raise CallError("cancelled", "The run has been cancelled and makes no more calls.")
        if request.name not in scope.authorized:
            raise CallError(
                "unavailable",
                f'The tool "{request.name}" is not available to this runtime.',
                _nearest_tool(request.name, scope),
            )
        absent = scope.absent.get(request.name)
        if absent is not None:
            # The provider's affair, not a mistake of the run that asked (seed: 不在的工具).
            raise CallError("unavailable", absent, raised_by="service", is_authored=True)
        registered = scope.tools.get(request.name)
        if registered is None:
            raise CallError("not-found", f'The tool "{request.name}" is not registered.')
        return registered

    async def _complete(
        self, result: ToolCallResult, registered: RegisteredTool, scope: CallScope
    ) -> None:
        """Run the call and enter what came of it in `result`."""
        request, tool = result.request, registered.tool
        if result.approval == "denied":
            raise denied_call(request.name)
        try:
            keywords, result.history_arguments = read_arguments(tool, request.arguments)
        except UnreadArguments as error:
            result.history_arguments = error.text
            raise error.failure from None
        with RunningCall(self._calls, request.name, above=scope.signal) as signal:
            opened = scope.open_call(request, signal)
            try:
                value = await invoke(
                    tool, opened.context, keywords, signal=signal, tasks=self._tasks
                )
                await opened.reads_ended()
            finally:
                opened.close()
        may_show = not isinstance(tool, ServiceTool)
        await accept_outcome(
            result, value, tool.annotations, scope, opened.writes, may_show=may_show
        )


def _nearest_tool(name: str, scope: CallScope) -> str | None:
    """A hint for a name that is a slip of a tool the run has, None for any other."""
    if len(name) > MAX_SLIP_CHARACTERS:
        return None
    near = nearest(name, [known for known in scope.tools if known in scope.authorized])
    return None if near is None else f'The nearest tool is "{near}".'
