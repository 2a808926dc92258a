"""Calls of `search-tools`, which the loop answers itself (seed: search-tools)."""

from covel_host.base.clock import Clock
from covel_host.tools.call_arguments import (
    UnreadArguments,
    arguments_value,
    read_arguments,
)
from covel_host.tools.call_outcome import accept_outcome
from covel_host.tools.call_trace import report_call
from covel_host.tools.calls import CallError, CallScope, ToolCallResult, ToolRequest
from covel_host.tools.envelope import failure_envelope
from covel_host.tools.tool_search import SearchTools
from plugin_sdk.values import JsonValue


async def answer_search(
    search: SearchTools, request: ToolRequest, scope: CallScope, *, clock: Clock
) -> ToolCallResult:
    """What came of one call; the trace is told as of any other."""
    started_at, started = clock.now(), clock.monotonic()
    scope.trace.add(
        "tool.calling", callId=request.call_id, tool=request.name, arguments=request.arguments
    )
    failure: CallError | None = None
    content: JsonValue = None
    try:
        read = read_arguments(search, request.arguments)
        outcome = await accept_outcome(search.found(read.keywords), search.annotations, scope)
        text, content, envelope = read.text, outcome.content, outcome.envelope
    except UnreadArguments as error:
        failure, text = error.failure, error.text
        envelope = failure_envelope(request.name, failure.code, failure.message, hint=failure.hint)
    result = ToolCallResult(
        request=request,
        status="completed" if failure is None else "failed",
        envelope=envelope,
        started_at=started_at,
        duration_ms=round((clock.monotonic() - started) * 1000),
        history_arguments=text,
        arguments=arguments_value(text),
        source="builtin",
        approval="auto-allowed",
        content=content,
        error=failure,
    )
    report_call(result, scope)
    return result
