"""The audit rows that an execution leaves behind."""

from datetime import UTC, datetime

from covel_host.base.json_text import dump_json
from covel_host.runtime.result import RuntimeResult
from covel_host.store.records import ToolCallRecord
from covel_host.tools.calls import CallError, ToolCallResult, ToolRequest
from covel_host.turn.records import tool_call_records
from plugin_sdk.errors import FieldProblem


def record_of(error: CallError) -> ToolCallRecord:
    call = ToolCallResult(
        request=ToolRequest(0, "call-1", "give", "{}"),
        started_at=datetime(2026, 1, 1, tzinfo=UTC),
        envelope="{}",
        duration_ms=1,
        history_arguments="{}",
        error=error,
    )
    result = RuntimeResult(
        plugin_id="demo",
        runtime_id="demo",
        run_id="run-1",
        turn_id="turn-1",
        status="failed",
        duration_ms=1,
        tool_calls=(call,),
    )
    (record,) = tool_call_records([result], session_id="session-1")
    return record


def test_a_result_that_is_no_json_keeps_its_json_parts_and_names_the_others() -> None:
    error = CallError(
        "internal",
        "the result has no JSON form",
        details=(FieldProblem("odd", "nan is not a JSON number"),),
        returned={"kept": 1, "odd": None},
    )
    record = record_of(error)
    assert record.result == {"kept": 1, "odd": None}
    assert record.error == {
        "code": "internal",
        "message": "the result has no JSON form",
        "details": [{"path": "odd", "message": "nan is not a JSON number"}],
    }


def test_details_that_cannot_be_stored_are_mended() -> None:
    problem = FieldProblem("rows.\ud800", 7)  # type: ignore[arg-type]  # an author's mistake
    record = record_of(CallError("invalid-input", "Odd.", hint="Mend it.", details=(problem,)))
    assert record.result is None
    assert dump_json(record.error) == (
        '{"code":"invalid-input","message":"Odd.","hint":"Mend it.",'
        '"details":[{"path":"rows.\N{REPLACEMENT CHARACTER}","message":"7"}]}'
    )
