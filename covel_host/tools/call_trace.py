"""What the trace and the log are told of a call that has ended."""

import logging

from covel_host.tools.calls import CallError, CallScope, ToolCallResult
from covel_host.trace.concealed_logs import log_failure

_LOG = logging.getLogger(__name__)


def report_call(result: ToolCallResult, scope: CallScope) -> None:
    """Write `tool.completed` or `tool.failed`; only the log gets a traceback, of `internal` alone.

    The trace keeps the full message of an error, the model's envelope a shorter one
    (seed: 统一返回格式与错误码).
    """
    request, error = result.request, result.error
    envelope = result.envelope if result.shown_envelope is None else result.shown_envelope
    if error is None:
        scope.trace.add(
            "tool.completed",
            toolCallId=request.call_id,
            toolName=request.name,
            durationMs=result.duration_ms,
            result=envelope,
            approvalStatus=result.approval,
        )
        return
    if error.code == "internal":
        log_failure(
            _LOG,
            "Tool %r of %r failed: %s",
            request.name,
            scope.runtime_id,
            error.message,
            cause=error.cause,
        )
    scope.trace.add(
        "tool.failed",
        toolCallId=request.call_id,
        toolName=request.name,
        durationMs=result.duration_ms,
        result=envelope,
        **({} if result.approval is None else {"approvalStatus": result.approval}),
        **_failure_facts(error),
    )


def _failure_facts(error: CallError) -> dict[str, object]:
    facts: dict[str, object] = {"code": error.code, "error": error.message}
    if error.is_refused:
        facts["refused"] = True
    if error.hint:
        facts["hint"] = error.hint
    if error.details:
        facts["details"] = error.told_details
    return facts
