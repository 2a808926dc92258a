"""One path for every tool call, whoever makes it (seed: ToolExecutor)."""

import asyncio
from dataclasses import dataclass
from datetime import datetime

from covel_host.base.clock import Clock
from covel_host.base.tasks import TaskTracker
from covel_host.proposals.operations import Operation
from covel_host.tools.approval import ApprovalPolicy, ApprovalStatus
from covel_host.tools.call_arguments import (
    UnreadArguments,
    arguments_value,
    read_arguments,
    unread_text,
)
from covel_host.tools.call_outcome import AcceptedOutcome, accept_outcome
from covel_host.tools.call_trace import report_call
from covel_host.tools.calls import (
    CallCancelled,
    CallError,
    CallScope,
    ToolCallResult,
    ToolRequest,
)
from covel_host.tools.envelope import failure_envelope
from covel_host.tools.invocation import failure_of, invoke
from covel_host.tools.registry import RegisteredTool, ToolSource
from covel_host.tools.running_calls import RunningCalls
from covel_host.tools.service_tools import ServiceTool


@dataclass(slots=True)
class _Progress:
    """What is known of a call when it ends, however it ends."""

    started_at: datetime
    started: float
    history_arguments: str | None = None
    source: ToolSource | None = None
    approval: ApprovalStatus | None = None


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
        progress = _Progress(self._clock.now(), self._clock.monotonic())
        scope.trace.add(
            "tool.calling", callId=request.call_id, tool=request.name, arguments=request.arguments
        )
        try:
            outcome = await self._outcome(request, scope, progress)
            result = self._result(request, progress, outcome=outcome)
        except CallError as failure:
            result = self._result(request, progress, failure=failure)
        except asyncio.CancelledError:
            cancelled = CallError("cancelled", f'The call of "{request.name}" was cancelled.')
            result = self._result(request, progress, failure=cancelled)
            report_call(result, scope)
            raise CallCancelled(result) from None
        except (KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException as error:
            # Author's code also runs while arguments are checked and results are copied, and may
            # ask there, too, for the end of the process.
            result = self._result(request, progress, failure=failure_of(request.name, error))
        report_call(result, scope)
        return result

    async def close(self, *, budget_s: float = 5.0) -> tuple[str, ...]:
        """Refuse new calls, cancel running ones, wait for what was left; names of what did not end.

        May be called again. While something is named, what it uses must stay open (seed: 关闭).
        """
        ends_at = asyncio.get_running_loop().time() + budget_s
        running = await self._calls.close(budget_s=budget_s)
        rest_s = max(ends_at - asyncio.get_running_loop().time(), 0.0)
        return tuple(sorted({*running, *await self._tasks.close(budget_s=rest_s)}))

    async def _outcome(
        self, request: ToolRequest, scope: CallScope, progress: _Progress
    ) -> AcceptedOutcome:
        registered = self._resolved(request, scope)
        progress.source = registered.source
        progress.approval = self._approval.status(request.name, registered.source)
        if progress.approval == "denied":
            raise CallError("refused", f'A rule of this host denies the tool "{request.name}".')
        try:
            arguments = read_arguments(registered.tool, request.arguments)
        except UnreadArguments as error:
            progress.history_arguments = error.text
            raise error.failure from None
        progress.history_arguments = arguments.text
        value, writes = await self._value(registered, request, scope, arguments.keywords)
        return await accept_outcome(
            value,
            registered.tool.annotations,
            scope,
            writes,
            may_show=not isinstance(registered.tool, ServiceTool),
        )

    def _resolved(self, request: ToolRequest, scope: CallScope) -> RegisteredTool:
        if self._calls.is_closed:
            raise CallError("unavailable", "The host is closing and takes no more calls.")
        if scope.signal.cancelled:
            raise CallError("cancelled", "The run has been cancelled and makes no more calls.")
        if request.name not in scope.authorized:
            raise CallError(
                "unavailable", f'The tool "{request.name}" is not available to this runtime.'
            )
        absent = scope.absent.get(request.name)
        if absent is not None:
            # The provider's affair, not a mistake of the run that asked (seed: 不在的工具).
            raise CallError("unavailable", absent, raised_by="service", is_authored=True)
        registered = scope.tools.get(request.name)
        if registered is None:
            raise CallError("not-found", f'The tool "{request.name}" is not registered.')
        return registered

    async def _value(
        self,
        registered: RegisteredTool,
        request: ToolRequest,
        scope: CallScope,
        keywords: dict[str, object],
    ) -> tuple[object, Operation | None]:
        with self._calls.running(request.name, above=scope.signal) as signal:
            opened = scope.open_call(request, signal)
            try:
                value = await invoke(
                    registered.tool, opened.context, keywords, signal=signal, tasks=self._tasks
                )
                await opened.reads_ended()
            finally:
                opened.close()
        return value, opened.writes

    def _result(
        self,
        request: ToolRequest,
        progress: _Progress,
        *,
        outcome: AcceptedOutcome | None = None,
        failure: CallError | None = None,
    ) -> ToolCallResult:
        text = progress.history_arguments or unread_text(request.arguments)
        return ToolCallResult(
            request=request,
            status="completed" if failure is None else "failed",
            envelope=_envelope(request.name, outcome, failure),
            started_at=progress.started_at,
            duration_ms=round((self._clock.monotonic() - progress.started) * 1000),
            history_arguments=text,
            arguments=arguments_value(text),
            source=progress.source,
            approval=progress.approval,
            content=None if outcome is None else outcome.content,
            error=failure,
            proposals=() if outcome is None else outcome.proposals,
            events=() if outcome is None else outcome.events,
            shows=() if outcome is None else outcome.shows,
        )


def _envelope(tool_name: str, outcome: AcceptedOutcome | None, failure: CallError | None) -> str:
    if failure is None:
        assert outcome is not None
        return outcome.envelope
    return failure_envelope(
        tool_name,
        failure.code,
        failure.message,
        hint=failure.hint,
        authored=failure.is_authored,
    )
