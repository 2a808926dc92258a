"""Data operations, alone and through the checks of a data set's update tool."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugin_sdk.errors import TOOL_ERROR_CODES, ToolError
from plugin_sdk.rules.data_ops import (
    DATA_OP_NAMES,
    DATA_OP_TOOL_CODES,
    DataOpError,
    apply_data_ops,
)
from plugin_sdk.rules.dataset_writes import DatasetRules, check_dataset_record, updated_record
from tests.vector_adapters.comparing import same_json

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(-9, 9) | st.text("ab/~", max_size=2),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b", "0", "-"]), inner, max_size=3)
    ),
    max_leaves=8,
)
PATH = st.lists(st.sampled_from(["a", "b", "0", "1", "-", "~0", "00"]), max_size=3).map(
    lambda parts: "".join(f"/{part}" for part in parts)
)
OP: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {"op": st.sampled_from([*DATA_OP_NAMES, "replace"])},
    optional={
        "path": PATH | st.just("a"),
        "value": JSON,
        "by": st.integers(-3, 3) | st.just("1"),
        "index": st.integers(-1, 3),
        "min": st.integers(-3, 3),
        "unique": st.booleans(),
    },
)
FITTING: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.builds(lambda value: {"op": "set", "value": value}, JSON),
    st.builds(lambda path, value: {"op": "put", "path": path, "value": value}, PATH, JSON),
    st.builds(lambda value: {"op": "append", "path": "/a", "value": value}, JSON),
    st.builds(lambda path: {"op": "remove", "path": path}, PATH),
    st.builds(lambda path: {"op": "increment", "path": path, "by": 2}, PATH),
)


@given(JSON, st.lists(FITTING | OP, max_size=4))
def test_operations_never_change_what_was_given(record: Any, ops: list[dict[str, Any]]) -> None:
    before = json.dumps([record, ops])
    try:
        result = apply_data_ops(record, ops)
    except DataOpError as error:
        assert 0 <= error.index < len(ops)  # noqa: PT017
        assert json.dumps([record, ops]) == before
        return
    assert json.dumps([record, ops]) == before
    assert same_json(json.loads(json.dumps(result.record)), result.record)


@given(JSON, st.lists(FITTING, max_size=4))
def test_what_comes_back_shares_nothing_with_what_was_given(
    record: Any, ops: list[dict[str, Any]]
) -> None:
    try:
        result = apply_data_ops(record, ops)
    except DataOpError:
        return
    given_parts = {id(part) for part in containers([record, ops])}
    assert not given_parts & {id(part) for part in containers(result.record)}


def containers(value: object) -> list[object]:
    if isinstance(value, dict):
        return [value, *(part for item in value.values() for part in containers(item))]
    if isinstance(value, list):
        return [value, *(part for item in value for part in containers(item))]
    return []


@given(JSON, st.lists(FITTING, max_size=3), st.lists(FITTING, max_size=3))
def test_two_batches_are_one_batch(
    record: Any, first: list[dict[str, Any]], second: list[dict[str, Any]]
) -> None:
    try:
        whole = apply_data_ops(record, [*first, *second]).record
    except DataOpError as error:
        with pytest.raises(DataOpError) as caught:
            apply_data_ops(apply_data_ops(record, first).record, second)
        assert caught.value.code == error.code  # noqa: PT017
        return
    assert same_json(apply_data_ops(apply_data_ops(record, first).record, second).record, whole)


@pytest.mark.parametrize(
    ("record", "op", "code"),
    [
        (None, {"op": "put", "path": "/a", "value": 1}, "path-not-found"),
        (None, {"op": "merge", "value": {}}, "path-not-found"),
        ({}, {"op": "set", "value": None}, "invalid-op"),
        ({"a": 1}, "delete", "invalid-op"),
        ({"a": 1}, None, "invalid-op"),
        ({"a": 1}, [], "invalid-op"),
        ({"a": 1}, {"op": "delete", "path": "/a"}, "invalid-op"),
        ({"a": 1}, {"op": "put", "path": "/a", "value": 1, "reason": "x"}, "invalid-op"),
        ({"a": 1}, {"op": "put", "path": 1, "value": 1}, "invalid-path"),
        ({"a": 1}, {"op": "put", "path": "", "value": 1}, "invalid-path"),
        ({"a": 1}, {"op": "remove", "path": ""}, "invalid-path"),
        ({"a": [1]}, {"op": "put", "path": "/a/-", "value": 1}, "invalid-path"),
        ({"a": [1]}, {"op": "put", "path": "/a/00", "value": 1}, "invalid-path"),
        ({"a": [[1]]}, {"op": "put", "path": "/a/00/0", "value": 1}, "invalid-path"),
        ({"a": [1]}, {"op": "put", "path": "/a/-1", "value": 1}, "invalid-path"),
        ({"a": [1]}, {"op": "put", "path": "/a/b", "value": 1}, "type-mismatch"),
        ({"a": [1]}, {"op": "put", "path": "/a/" + "9" * 5_000, "value": 1}, "index-out-of-range"),
        ({"a": [1]}, {"op": "put", "path": "/a/4/b", "value": 1}, "path-not-found"),
        ({"a": 1}, {"op": "put", "path": "/a/b/c", "value": 1}, "path-not-found"),
        ({"a": 1}, {"op": "remove", "path": "/a/b"}, "path-not-found"),
        ({"a": [1]}, {"op": "remove", "path": "/a/b"}, "path-not-found"),
        ({"a": 1}, {"op": "increment", "path": "/a", "by": True}, "invalid-op"),
        ({"a": 1}, {"op": "increment", "path": "/a", "by": math.nan}, "invalid-op"),
        ({"a": 1}, {"op": "increment", "path": "/a", "by": 1, "max": None}, "invalid-op"),
        ({"a": 1}, {"op": "increment", "path": "/a", "by": 1, "min": 2, "max": 1}, "invalid-op"),
        ({"a": 1e308}, {"op": "increment", "path": "/a", "by": 1e308}, "out-of-bounds"),
        ({"a": 10**400}, {"op": "increment", "path": "/a", "by": 0.5}, "out-of-bounds"),
        ({"a": 10**4_300 - 1}, {"op": "increment", "path": "/a", "by": 10**4_299}, "out-of-bounds"),
        ({"a": []}, {"op": "append", "path": "/a", "value": 1, "unique": 1}, "invalid-op"),
        ({"a": []}, {"op": "insert", "path": "/a", "index": True, "value": 1}, "invalid-op"),
        ({"a": []}, {"op": "insert", "path": "/a", "index": -1, "value": 1}, "invalid-op"),
        (
            {"a": []},
            {"op": "insert", "path": "/a", "index": 10**5_000, "value": 1},
            "index-out-of-range",
        ),
        ({"a": 1}, {"op": "increment", "path": "/a", "by": 10**5_000}, "invalid-op"),
        ({"a": 10**5_000}, {"op": "increment", "path": "/a", "by": 1}, "out-of-bounds"),
        ({"a": 1}, {"op": 10**5_000}, "invalid-op"),
    ],
)
def test_an_operation_is_refused(record: Any, op: Any, code: str) -> None:
    with pytest.raises(DataOpError) as caught:
        apply_data_ops(record, [op])
    assert caught.value.code == code
    assert caught.value.message.startswith("ops[0]: ")
    assert len(caught.value.message) < 20_000


@pytest.mark.parametrize(
    ("record", "op", "result"),
    [
        (5, {"op": "increment", "path": "", "by": 2.5}, 7.5),
        ([1], {"op": "append", "path": "", "value": 2}, [1, 2]),
        ({"": {"": 1}}, {"op": "put", "path": "//", "value": 2}, {"": {"": 2}}),
        ({"n": 2**80}, {"op": "increment", "path": "/n", "by": 1}, {"n": 2**80 + 1}),
        ({"a": [[1]]}, {"op": "increment", "path": "/a/0/0", "by": 1}, {"a": [[2]]}),
        (
            {"a": [{"x": 1, "y": [True]}]},
            {"op": "append", "path": "/a", "value": {"y": [1], "x": 1}, "unique": True},
            {"a": [{"x": 1, "y": [True]}, {"y": [1], "x": 1}]},
        ),
        ({"~1": 1}, {"op": "remove", "path": "/~01"}, {}),
    ],
)
def test_an_operation_applies(record: Any, op: Any, result: object) -> None:
    assert same_json(apply_data_ops(record, [op]).record, result)


def test_unique_knows_equal_items_whatever_their_order_or_kind_of_number() -> None:
    record: Any = {"a": [{"x": 1, "y": [2]}]}
    op: Any = {"op": "append", "path": "/a", "value": {"y": [2.0], "x": 1}, "unique": True}
    with pytest.raises(DataOpError, match="'/a' holds this item already"):
        apply_data_ops(record, [op])


def test_no_operation_leaves_the_record() -> None:
    assert apply_data_ops({"a": 1}, []).record == {"a": 1}


def test_every_code_has_a_tool_code() -> None:
    assert set(DATA_OP_TOOL_CODES.values()) == {"invalid-input", "conflict"} <= {*TOOL_ERROR_CODES}


def test_messages_name_operation_place_and_limit() -> None:
    with pytest.raises(DataOpError) as caught:
        apply_data_ops(
            {"hp": 8},
            [
                {"op": "increment", "path": "/hp", "by": 1},
                {"op": "increment", "path": "/hp", "by": 3, "max": 10},
            ],
        )
    assert caught.value.message == ("ops[1]: '/hp' is 9; an increment by 3 goes beyond max 10.")


# The checks of a data set's tools.


def test_hints_name_only_the_tools_the_runtime_chose() -> None:
    schema_problems: Any = lambda record: []  # noqa: E731
    with_all = DatasetRules("npcs", schema_problems)
    with_none = DatasetRules("npcs", schema_problems, offered=("update",))
    op: Any = {"op": "append", "path": "/log", "value": 1}
    hints = []
    for rules in (with_all, with_none):
        for record in (None, {"a": 1}):
            with pytest.raises(ToolError) as caught:
                updated_record(rules, "wren", record, [op])  # type: ignore[arg-type]
            hints.append(caught.value.hint)
    assert hints == [
        "Create it with npcs-upsert.",
        "Read the record with npcs-get and adjust.",
        None,
        None,
    ]


def test_an_operation_that_is_no_object_is_invalid_input() -> None:
    rules = DatasetRules("npcs", lambda record: [])
    with pytest.raises(ToolError) as caught:
        updated_record(rules, "wren", {"a": 1}, ["delete"])  # type: ignore[list-item]
    assert caught.value.code == "invalid-input"
    assert "An operation is an object, not text." in caught.value.message


def test_a_changed_key_field_is_refused_in_the_seeds_words() -> None:
    rules = DatasetRules("npcs", lambda record: [], key_field="name")
    for op in ({"op": "remove", "path": "/name"}, {"op": "put", "path": "/name", "value": "Robin"}):
        with pytest.raises(ToolError) as caught:
            updated_record(rules, "wren", {"name": "Wren"}, [op])  # type: ignore[list-item]
        assert caught.value.message == (
            "update cannot change name; upsert a new record and delete this one"
        )


def test_a_refusal_lists_the_first_three_schema_problems() -> None:
    rules = DatasetRules("npcs", lambda record: ["a", "b", "c", "d"])
    with pytest.raises(ToolError) as caught:
        check_dataset_record(rules, "wren", {})
    assert caught.value.message == "The record does not match the npcs dataset:\na\nb\nc"


def test_a_record_that_is_too_large_is_refused_in_the_seeds_words() -> None:
    rules = DatasetRules("npcs", lambda record: [])
    with pytest.raises(ToolError) as caught:
        check_dataset_record(rules, "wren", "灯" * 90_000)
    assert caught.value.message.startswith(
        "The value for npcs/wren is 270002 bytes; the limit for one value is 262144 bytes. "
    )
