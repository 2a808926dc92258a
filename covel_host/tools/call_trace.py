"""What the trace and the log are told of a call that has ended."""

import logging

from covel_host.tools.calls import CallError, CallScope, ToolCallResult

_LOG = logging.getLogger(__name__)


def report_call(result: ToolCallResult, scope: CallScope) -> None:
    """Write `tool.completed` or `tool.failed`; only the log gets a traceback, of `internal` alone.

    The trace keeps the full message of an error, the model's envelope a shorter one
    (seed: 统一返回格式与错误码).
    """
    facts: dict[str, object] = {
        "callId": result.request.call_id,
        "tool": result.request.name,
        "durationMs": result.duration_ms,
        "result": result.envelope,
    }
    if result.approval is not None:
        facts["approvalStatus"] = result.approval
    if result.error is None:
        scope.trace.add("tool.completed", **facts)
        return
    if result.error.code == "internal":
        _LOG.error(
            "Tool %r of %r failed: %s",
            result.request.name,
            scope.runtime_id,
            result.error.message,
            exc_info=result.error.cause,
        )
    scope.trace.add("tool.failed", **facts, **_failure_facts(result.error))


def _failure_facts(error: CallError) -> dict[str, object]:
    facts: dict[str, object] = {"code": error.code, "error": error.message}
    if error.hint:
        facts["hint"] = error.hint
    if error.details:
        facts["details"] = error.told_details
    return facts
