"""`data_ops.json`: operations on a record, alone and through a data set's update tool."""

import copy
from typing import Any

import jsonschema_rs

from plugin_sdk.errors import ToolError
from plugin_sdk.rules.data_ops import DATA_OP_NAMES, DataOpError, apply_data_ops
from plugin_sdk.rules.dataset_writes import DatasetRules, updated_record
from tests.vector_adapters.comparing import refusal_of, same_json


def check(vector: dict[str, Any]) -> None:
    before = copy.deepcopy(vector)
    if "dataset" in vector:
        check_in_dataset(vector)
    else:
        check_alone(vector)
    assert same_json(vector, before), "the input was changed"


def check_alone(vector: dict[str, Any]) -> None:
    record, ops, expect = vector["record"], vector["ops"], vector["expect"]
    if "error" not in expect and "tool_error" not in expect:
        check_result(apply_data_ops(record, ops), expect)
        return
    error = refusal_of(lambda: apply_data_ops(record, ops), DataOpError)
    assert error.tool_code == expect.get("tool_error", error.tool_code)
    check_place(error, expect)


def check_in_dataset(vector: dict[str, Any]) -> None:
    rules, record, ops = rules_of(vector["dataset"]), vector["record"], vector["ops"]
    expect = vector["expect"]
    key = record_key(rules, record)
    if "error" not in expect and "tool_error" not in expect:
        check_result(updated_record(rules, key, record, ops), expect)
        return
    error = refusal_of(lambda: updated_record(rules, key, record, ops), ToolError)
    assert error.code == expect.get("tool_error", error.code), error.message
    if "error" in expect:
        cause = error.__cause__
        assert isinstance(cause, DataOpError), error.message
        check_place(cause, expect)


def check_place(error: DataOpError, expect: dict[str, Any]) -> None:
    assert error.code == expect.get("error", error.code), error.message
    assert error.index == expect.get("index", error.index), error.message


def check_result(result: Any, expect: dict[str, Any]) -> None:
    assert result.deleted == expect.get("deleted", False)
    if "record" in expect:
        assert same_json(result.record, expect["record"]), result.record


def rules_of(declaration: dict[str, Any]) -> DatasetRules:
    validator = jsonschema_rs.validator_for(declaration.get("schema", {}))
    return DatasetRules(
        name="rows",
        schema_problems=lambda record: [error.message for error in validator.iter_errors(record)],
        key_field=declaration.get("key"),
        ops=declaration.get("ops", DATA_OP_NAMES),
    )


def record_key(rules: DatasetRules, record: Any) -> str:
    """The key that the record is stored under: that of its key field, or any."""
    if rules.key_field is not None and isinstance(record, dict):
        return str(record.get(rules.key_field, "wren"))
    return "wren"


CHECKS = {None: check}
