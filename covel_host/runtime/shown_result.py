"""A result as it leaves the host: of a concealed run only whose it was and how it went.

The turn's row keeps everything, and hooks see it (spec/protocol.md 6.1).
"""

from dataclasses import replace

from covel_host.runtime.result import RunFailure, RuntimeResult
from covel_host.tools.calls import CallError, ToolCallResult, ToolRequest

_KEPT_BACK = "What went wrong is not shown: the runtime is concealed."


def shown_result(result: RuntimeResult) -> RuntimeResult:
    """`result`, or for a concealed run the same without output, texts, reasons and call contents.

    Status, times, usage and the code of a failure stay.
    """
    if not result.is_concealed:
        return result
    return replace(
        result,
        output={},
        value=None,
        has_value=False,
        reason=None,
        text="",
        failure=shown_failure(result),
        warnings=(),
        tool_calls=tuple(_shown_call(call) for call in result.tool_calls),
        proposals=(),
        reads=None,
    )


def shown_failure(result: RuntimeResult) -> RunFailure | None:
    """Why the run failed, as others may be told."""
    failure = result.failure
    if failure is None or not result.is_concealed:
        return failure
    return RunFailure(failure.code, _KEPT_BACK, counts_as_error=failure.counts_as_error)


def _shown_call(call: ToolCallResult) -> ToolCallResult:
    request = call.request
    error = None if call.error is None else CallError(call.error.code, _KEPT_BACK)
    return ToolCallResult(
        ToolRequest(request.position, request.call_id, request.name, ""),
        call.started_at,
        status=call.status,
        duration_ms=call.duration_ms,
        source=call.source,
        approval=call.approval,
        error=error,
    )
