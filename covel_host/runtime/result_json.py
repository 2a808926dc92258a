"""A runtime result as JSON, for hooks and for the turn's row, and back (spec/execution.md 13.1)."""

from dataclasses import replace

from covel_host.runtime.result import RunFailure, RuntimeResult
from covel_host.tools.calls import ToolCallResult
from covel_host.trace.concealment import CONCEALED
from plugin_sdk.values import JsonObject, JsonValue

_SKIPPED = "A hook skipped the runtime after it had run."


def result_facts(result: RuntimeResult) -> JsonObject:
    """What a result says of its run; neither its exact value nor anything it wants written."""
    shown: JsonObject = {
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
    optional: dict[str, JsonValue] = {
        "completion": result.completion,
        "reason": result.reason,
        "endedBy": result.ended_by,
        "text": result.text or None,
        "error": None if result.failure is None else _error(result.failure),
        "warnings": [*result.warnings] or None,
        "origin": result.nested,
        "characterId": result.character_id,
        CONCEALED: True if result.is_concealed else None,
    }
    return shown | {name: told for name, told in optional.items() if told is not None}


def result_json(result: RuntimeResult) -> JsonObject:
    """A result as hooks see it: with the value it has, and what its tool calls came to."""
    shown = result_facts(result) | {"turnId": result.turn_id}
    if result.has_value:
        shown["canonicalValue"] = result.value
    if result.tool_calls:
        shown["toolCalls"] = [_call(call) for call in result.tool_calls]
    return shown


def changed_result(result: RuntimeResult, changed: JsonObject) -> RuntimeResult:
    """`result` with what hooks changed of its JSON form; `changed` has passed their checks.

    Only a run that succeeded of itself has writes to hand on, whatever hooks say: those of a failed
    one are incomplete.
    """
    status = changed["status"]
    failure = _failure(result, changed.get("error"))
    return replace(
        result,
        status=status,  # type: ignore[arg-type]  # the check of the event knows the statuses
        output=changed["output"],  # type: ignore[arg-type]  # an object, says the check
        value=changed.get("canonicalValue"),
        has_value="canonicalValue" in changed,
        completion=changed.get("completion"),  # type: ignore[arg-type]  # likewise
        reason=(result.reason or _SKIPPED) if status == "skipped" else None,
        is_explicit_skip=result.is_explicit_skip and status == "skipped",
        failure=failure,
        proposals=() if failure is not None else result.proposals,
    )


def _error(failure: RunFailure) -> JsonObject:
    return {"code": failure.code, "message": failure.message}


def _failure(result: RuntimeResult, error: JsonValue) -> RunFailure | None:
    if not isinstance(error, dict):
        return None
    if result.failure is not None and error == _error(result.failure):
        return result.failure
    # Another package's word is no reason to pause the one whose runtime this is.
    return RunFailure(str(error["code"]), str(error["message"]), counts_as_error=False)


def _call(call: ToolCallResult) -> JsonObject:
    told: JsonObject = {
        "id": call.request.call_id,
        "name": call.request.name,
        "status": call.status,
    }
    if call.error is not None:
        told["error"] = {"code": call.error.code, "message": call.error.message}
    return told
