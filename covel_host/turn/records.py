"""What an execution leaves behind, as rows and JSON."""

from collections.abc import Sequence

from covel_host.runtime.result import RuntimeResult
from covel_host.store.records import ToolCallRecord
from covel_host.tools.calls import CallError, ToolCallResult
from plugin_sdk.values import JsonValue

APPROVED = "auto-allowed"
"""How tool calls are approved: registered tools of an authorized runtime are allowed."""


def result_json(result: RuntimeResult) -> dict[str, JsonValue]:
    """A runtime result as the turn's row and clients show it; proposals stay inside the host."""
    shown: dict[str, JsonValue] = {
        "runtimeId": result.runtime_id,
        "pluginId": result.plugin_id,
        "runId": result.run_id,
        "status": result.status,
        "output": result.output,
        "durationMs": result.duration_ms,
        "steps": result.steps,
        "usage": {
            "modelCalls": result.model_use.calls,
            "inputTokens": result.model_use.input_tokens,
            "outputTokens": result.model_use.output_tokens,
        },
    }
    if result.ended_by is not None:
        shown["endedBy"] = result.ended_by
    if result.text:
        shown["text"] = result.text
    if result.failure is not None:
        shown["error"] = {"code": result.failure.code, "message": result.failure.message}
    if result.warnings:
        shown["warnings"] = list(result.warnings)
    return shown


def tool_call_records(
    results: Sequence[RuntimeResult], *, session_id: str
) -> tuple[ToolCallRecord, ...]:
    """The audit rows of every call of an execution, in order."""
    calls = [(result, call) for result in results for call in result.tool_calls]
    return tuple(
        _record(result, call, session_id=session_id, position=position)
        for position, (result, call) in enumerate(calls)
    )


def _record(
    result: RuntimeResult, call: ToolCallResult, *, session_id: str, position: int
) -> ToolCallRecord:
    return ToolCallRecord(
        session_id=session_id,
        turn_id=result.turn_id,
        position=position,
        call_id=call.request.call_id,
        plugin_id=result.plugin_id,
        runtime_id=result.runtime_id,
        tool_name=call.request.name,
        status=call.status,
        arguments=call.arguments,
        started_at=call.started_at,
        duration_ms=call.duration_ms,
        run_id=result.run_id,
        result=call.content if call.error is None else call.error.returned,
        error=None if call.error is None else _error(call.error),
        approval=APPROVED if call.source is not None else None,
    )


def _error(error: CallError) -> dict[str, JsonValue]:
    told: dict[str, JsonValue] = {"code": error.code, "message": error.message}
    if error.hint is not None:
        told["hint"] = error.hint
    if error.details:
        told["details"] = error.told_details
    return told
