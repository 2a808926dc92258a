"""What an execution leaves behind, as rows and JSON."""

from collections.abc import Collection, Iterable, Sequence

from covel_host.proposals.read_sets import Read, reads_json
from covel_host.runtime.result import RuntimeResult
from covel_host.runtime.result_json import result_facts
from covel_host.store.records import ToolCallRecord
from covel_host.tools.calls import CallError, ToolCallResult
from covel_host.trace.redaction import redact_members
from plugin_sdk.values import JsonValue


def result_json(result: RuntimeResult, reads: Iterable[Read] = ()) -> dict[str, JsonValue]:
    """A runtime result as the turn's row keeps it; proposals stay inside the host.

    `reads` is what the run read. The run's exact value can be told from it: `output`, or its
    member `value` where `isProjected`; none without `hasValue`.
    """
    shown = result_facts(result)
    if result.has_value:
        shown["hasValue"] = True
        shown["isProjected"] = not isinstance(result.value, dict)
    if read := reads_json(reads):
        shown["reads"] = read
    return shown


def tool_call_records(
    results: Sequence[RuntimeResult], *, session_id: str, secrets: Collection[str] = ()
) -> tuple[ToolCallRecord, ...]:
    """The audit rows of every call of an execution, in order, without credentials.

    They are for people to read; nothing is run from them again.
    """
    calls = [(result, call) for result in results for call in result.tool_calls]
    return tuple(
        _record(result, call, session_id=session_id, position=position, secrets=tuple(secrets))
        for position, (result, call) in enumerate(calls)
    )


def _record(
    result: RuntimeResult,
    call: ToolCallResult,
    *,
    session_id: str,
    position: int,
    secrets: tuple[str, ...],
) -> ToolCallRecord:
    told = redact_members(
        {
            "arguments": call.arguments,
            "result": call.content if call.error is None else call.error.returned,
            "error": None if call.error is None else _error(call.error),
        },
        secrets,
    )
    error = told["error"]
    return ToolCallRecord(
        session_id=session_id,
        turn_id=result.turn_id,
        position=position,
        call_id=call.request.call_id,
        plugin_id=result.plugin_id,
        runtime_id=result.runtime_id,
        tool_name=call.request.name,
        status=call.status,
        arguments=told["arguments"],
        started_at=call.started_at,
        duration_ms=call.duration_ms,
        run_id=result.run_id,
        result=told["result"],
        error=error if isinstance(error, dict) else None,
        approval=call.approval,
    )


def _error(error: CallError) -> dict[str, JsonValue]:
    told: dict[str, JsonValue] = {"code": error.code, "message": error.message}
    if error.is_refused:
        told["refused"] = True
    if error.hint is not None:
        told["hint"] = error.hint
    if error.details:
        told["details"] = error.told_details
    return told
