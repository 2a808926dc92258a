"""`data_ops.json`: operations on a record, alone and through a data set's update tool."""

import copy
from typing import Any

from plugin_sdk.errors import ToolError
from plugin_sdk.rules.data_ops import DataOpError, DataOpsResult, apply_data_ops
from plugin_sdk.rules.keys import dataset_key
from tests.support.datasets import DatasetBench, declared_dataset
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
    """The update tool of the data set, called as by a model; nothing is staged after an error."""
    dataset = declared_dataset(vector["dataset"])
    record, expect = vector["record"], vector["expect"]
    key = record_key(dataset.rules.key_field, record)
    bench = DatasetBench(dataset)
    if record is not None:
        bench.data.rows["rows", dataset_key(key)] = record
    result = bench.run("rows-update", {"key": key, "ops": vector["ops"]})
    if "error" not in expect and "tool_error" not in expect:
        assert result.error is None, result.error
        check_result(told_result(result.content), expect)
        assert len(bench.staging.proposals) == 1
        return
    assert bench.staging.proposals == ()
    assert result.error is not None
    assert result.error.code == expect.get("tool_error", result.error.code), result.error
    if "error" in expect:
        assert isinstance(result.error.cause, ToolError)
        cause = result.error.cause.__cause__
        assert isinstance(cause, DataOpError), result.error
        check_place(cause, expect)


def told_result(content: Any) -> DataOpsResult:
    """The answer of the update tool, in the form of the rule's."""
    return DataOpsResult(content.get("record"), content.get("deleted", False))


def check_place(error: DataOpError, expect: dict[str, Any]) -> None:
    assert error.code == expect.get("error", error.code), error.message
    assert error.index == expect.get("index", error.index), error.message


def check_result(result: Any, expect: dict[str, Any]) -> None:
    assert result.deleted == expect.get("deleted", False)
    if "record" in expect:
        assert same_json(result.record, expect["record"]), result.record


def record_key(key_field: str | None, record: Any) -> str:
    """The key that the record is stored under: that of its key field, or any."""
    if key_field is not None and isinstance(record, dict):
        return str(record.get(key_field, "wren"))
    return "wren"


CHECKS = {None: check}
