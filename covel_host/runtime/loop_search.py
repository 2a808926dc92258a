"""Calls of `search-tools`, which the loop answers itself (seed: search-tools)."""

from covel_host.base.clock import Clock
from covel_host.tools.approval import ApprovalStatus
from covel_host.tools.call_arguments import UnreadArguments, read_arguments, unread_text
from covel_host.tools.call_outcome import accept_outcome
from covel_host.tools.call_trace import report_call
from covel_host.tools.calls import (
    CallError,
    CallScope,
    ToolCallResult,
    ToolRequest,
    denied_call,
)
from covel_host.tools.envelope import failure_envelope
from covel_host.tools.tool_search import SearchTools


async def answer_search(
    search: SearchTools,
    request: ToolRequest,
    scope: CallScope,
    *,
    clock: Clock,
    approval: ApprovalStatus,
) -> ToolCallResult:
    """What came of one call; rules, trace and audit are those of any other."""
    result, started = ToolCallResult(request, clock.now()), clock.monotonic()
    result.source, result.approval = "builtin", approval
    scope.trace.add(
        "tool.calling",
        toolCallId=request.call_id,
        toolName=request.name,
        arguments=request.arguments,
        source=result.source,
        approvalStatus=result.approval,
    )
    try:
        if approval == "denied":
            result.history_arguments = unread_text(request.arguments)
            raise denied_call(request.name)
        keywords, result.history_arguments = read_arguments(search, request.arguments)
        await accept_outcome(result, search.found(keywords), search.annotations, scope)
    except UnreadArguments as error:
        result.error, result.history_arguments = error.failure, error.text
    except CallError as failure:
        result.error = failure
    if (failed := result.error) is not None:
        result.envelope = failure_envelope(
            request.name, failed.code, failed.message, hint=failed.hint
        )
    result.duration_ms = round((clock.monotonic() - started) * 1000)
    report_call(result, scope)
    return result
