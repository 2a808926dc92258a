"""Calls that get a result without being run (seed: 同一批调用的执行)."""

from covel_host.base.clock import Clock
from covel_host.store.records import ToolCallStatus
from covel_host.tools.call_arguments import unread_text
from covel_host.tools.calls import CallError, ToolCallResult, ToolRequest
from covel_host.tools.envelope import failure_envelope
from covel_host.trace.log import RunTrace
from plugin_sdk.values import JsonValue


def call_not_run(
    request: ToolRequest,
    why: CallError,
    *,
    clock: Clock,
    trace: RunTrace,
    status: ToolCallStatus = "skipped",
    arguments: JsonValue = None,
) -> ToolCallResult:
    """The result of a call that `why` kept from being run; the trace is told.

    `arguments` are what the audit keeps where no text could hold them.
    """
    trace.add(
        "tool.failed",
        toolCallId=request.call_id,
        toolName=request.name,
        code=why.code,
        error=why.message,
    )
    return ToolCallResult(
        request=request,
        started_at=clock.now(),
        status=status,
        envelope=failure_envelope(request.name, why.code, why.message),
        history_arguments=unread_text(request.arguments),
        error=why,
        unwritten_arguments=arguments,
    )
