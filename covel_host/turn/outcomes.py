"""What came of an execution, as two executions are compared: without IDs of runs, without times."""

from collections.abc import Collection
from typing import Any

from covel_host.proposals.staged import StagedProposal
from covel_host.runtime.result import RunFailure, RuntimeResult
from covel_host.runtime.suspension import SuspendedRun
from covel_host.tools.calls import ToolCallResult
from covel_host.trace.redaction import redact
from covel_host.turn.finished_runs import FinishedRun, FinishedRuns
from plugin_sdk.proposals import EventEmit
from plugin_sdk.values import JsonObject, JsonValue


def outcome_json(
    finished: FinishedRuns, failure: RunFailure | None, *, secrets: Collection[str]
) -> JsonObject:
    """The runs in order with what they wanted, and whether it was committed; no credentials."""
    told: JsonObject = {
        "committed": failure is None,
        "failure": _failure(failure),
        "runs": [_run(run) for run in finished.runs],
    }
    redacted: Any = redact(told, secrets=secrets)
    return dict(redacted)


def _run(run: FinishedRun) -> JsonObject:
    nested: list[JsonValue] = [{**_result(one.result), "origin": one.kind} for one in run.nested]
    told = _result(run.result)
    if run.veto is not None:
        told["veto"] = run.veto.message
    return {**told, "nested": nested}


def _result(result: RuntimeResult) -> JsonObject:
    told: JsonObject = {
        "runtimeId": result.runtime_id,
        "status": result.status,
        "reason": result.reason,
        "failure": _failure(result.failure),
        "completion": result.completion,
        "endedBy": result.ended_by,
        "text": result.text,
        "output": result.value if result.has_value else result.output,
        "proposals": [_proposal(one) for one in result.proposals],
        "toolCalls": [_call(one) for one in result.tool_calls],
        "events": [
            {"topic": one.model.topic, "data": one.model.data}
            for one in result.proposals
            if isinstance(one.model, EventEmit)
        ],
        "suspension": _suspension(result.suspension),
        "warnings": [*result.warnings],
        "isConcealed": result.is_concealed,
    }
    return told


def _proposal(proposal: StagedProposal) -> JsonObject:
    return {"type": proposal.type, "payload": proposal.payload}


def _call(call: ToolCallResult) -> JsonObject:
    told: JsonObject = {
        "tool": call.request.name,
        "arguments": call.arguments,
        "status": call.status,
        "result": call.content,
    }
    if call.error is not None:
        told["error"] = {"code": call.error.code, "message": call.error.message}
    return told


def _failure(failure: RunFailure | None) -> JsonValue:
    return None if failure is None else {"code": failure.code, "message": failure.message}


def _suspension(suspension: SuspendedRun | None) -> JsonValue:
    return None if suspension is None else {"reason": suspension.reason}
