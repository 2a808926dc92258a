"""The outcome of a run as JSON."""

from covel_host.cli.failures import error_facts
from covel_host.runtime.result import RuntimeResult
from covel_host.tools.calls import ToolCallResult
from covel_host.trace.concealment import CONCEALED
from covel_host.turn.execution_report import ExecutionReport


def report_json(report: ExecutionReport) -> dict[str, object]:
    """What `covel run --json` prints; `error` is there exactly when nothing was committed."""
    document: dict[str, object] = {
        "sessionId": report.session_id,
        "turnId": report.turn_id,
        "committed": report.committed,
        "revision": report.revision,
        **_result_json(report.result),
    }
    if len(report.results) > 1:
        document["followers"] = [run_json(result) for result in report.results[1:]]
    if report.failure is not None:
        failure = report.failure
        document["error"] = error_facts(failure.code, failure.message, failure.hint)
    return document


def run_json(result: RuntimeResult) -> dict[str, object]:
    """One run of a turn; `error` is there exactly when the run failed."""
    if result.failure is None:
        return _result_json(result)
    failure = result.failure
    error = error_facts(failure.code, failure.message, failure.hint)
    return {**_result_json(result), "error": error}


def _result_json(result: RuntimeResult) -> dict[str, object]:
    document: dict[str, object] = {
        "runtimeId": result.runtime_id,
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
    if result.is_concealed:
        document[CONCEALED] = True
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
        error = error_facts(call.error.code, call.error.message, call.error.hint)
        facts["error"] = {**error, "refused": True} if call.error.is_refused else error
    return facts
