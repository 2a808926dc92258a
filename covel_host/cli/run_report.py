"""The outcome of a run as JSON."""

from covel_host.cli.failures import error_facts
from covel_host.tools.calls import ToolCallResult
from covel_host.turn.execution import ExecutionReport


def report_json(report: ExecutionReport) -> dict[str, object]:
    """What `covel run --json` prints; `error` is there exactly when nothing was committed."""
    result = report.result
    document: dict[str, object] = {
        "sessionId": report.session_id,
        "turnId": report.turn_id,
        "runtimeId": result.runtime_id,
        "committed": report.committed,
        "revision": report.revision,
        "status": result.status,
        "output": result.output,
        "text": result.text,
        "toolCalls": [_call_json(call) for call in result.tool_calls],
        "usage": {
            "modelCalls": result.model_use.calls,
            "inputTokens": result.model_use.input_tokens,
            "outputTokens": result.model_use.output_tokens,
        },
        "warnings": list(result.warnings),
    }
    if result.reason is not None:
        document["reason"] = result.reason
    if report.failure is not None:
        failure = report.failure
        document["error"] = error_facts(failure.code, failure.message, failure.hint)
    return document


def _call_json(call: ToolCallResult) -> dict[str, object]:
    facts: dict[str, object] = {
        "callId": call.request.call_id,
        "name": call.request.name,
        "arguments": call.arguments,
        "status": call.status,
        "envelope": call.envelope,
        "durationMs": call.duration_ms,
    }
    if call.error is None:
        facts["result"] = call.content
    else:
        facts["error"] = error_facts(call.error.code, call.error.message, call.error.hint)
    return facts
