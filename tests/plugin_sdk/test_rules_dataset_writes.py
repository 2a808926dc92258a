"""What a data set's writing tools check, as pure rules."""

from dataclasses import replace
from typing import Any

import pytest

from plugin_sdk.errors import ToolError
from plugin_sdk.rules.dataset_writes import (
    DatasetRules,
    check_dataset_record,
    dataset_op_problem,
    dataset_schema_problem,
    missing_record,
    raw_record_key,
    updated_record,
    upserted_record,
)

RULES = DatasetRules("npcs", schema_problems=lambda record: [], key_field="name")


def refusal(call: Any) -> ToolError:
    with pytest.raises(ToolError) as caught:
        call()
    return caught.value


def broken(record: object) -> list[str]:
    raise ValueError("the engine gave up")


def test_an_upserted_record_shares_nothing_with_what_was_given() -> None:
    record: Any = {"name": "Wren", "tags": ["a"]}
    written = upserted_record(RULES, "wren", record)
    assert written == record
    record["tags"].append("b")
    assert written == {"name": "Wren", "tags": ["a"]}


def test_a_schema_that_cannot_be_used_is_internal_and_keeps_its_cause() -> None:
    rules = replace(RULES, schema_problems=broken)
    for call in (
        lambda: check_dataset_record(rules, "wren", {}),
        lambda: upserted_record(rules, "wren", {}),
        lambda: updated_record(rules, "wren", {}, [{"op": "put", "path": "/a", "value": 1}]),
    ):
        error = refusal(call)
        assert (error.code, error.message) == (
            "internal",
            "The npcs dataset's schema cannot be used.",
        )
        assert str(error.__cause__) == "the engine gave up"


def test_a_deletion_needs_no_schema() -> None:
    rules = replace(RULES, schema_problems=broken)
    assert updated_record(rules, "wren", {"name": "Wren"}, [{"op": "delete"}]).deleted


def test_at_most_three_schema_errors_are_told() -> None:
    rules = replace(RULES, schema_problems=lambda record: ["a", "b", "c", "d"])
    assert dataset_schema_problem(rules, {}) == (
        "The record does not match the npcs dataset:\na\nb\nc"
    )


def test_an_operation_is_allowed_or_the_allowed_ones_are_named() -> None:
    rules = replace(RULES, ops=("merge", "set"))
    assert dataset_op_problem(rules, "set") is None
    assert dataset_op_problem(rules, "delete") == (
        "The npcs dataset does not allow the operation 'delete'. It allows: set, merge."
    )
    assert str(dataset_op_problem(replace(RULES, ops=()), "set")).endswith("It allows: none.")


def test_an_update_where_none_is_allowed_says_so() -> None:
    rules = replace(RULES, ops=("set",))
    error = refusal(lambda: updated_record(rules, "wren", {}, [{"op": "delete"}]))
    assert error.message == "ops[0]: 'delete' is no operation of npcs updates. It takes none."


def test_the_key_of_a_record_is_the_text_of_its_key_field_as_it_stands() -> None:
    assert raw_record_key(RULES, {"name": " Iron  Gate "}) == " Iron  Gate "
    wrong: list[Any] = [{}, {"name": 1}, [], None, "name"]
    for record in wrong:
        assert refusal(lambda record=record: raw_record_key(RULES, record)).code == "invalid-input"


@pytest.mark.parametrize(
    ("call", "offered", "hint"),
    [
        ("get", ("get", "list"), "List records with npcs-list."),
        ("get", ("get", "upsert"), None),
        ("update", ("upsert", "update"), "Create it with npcs-upsert."),
        ("update", ("list", "update"), None),
    ],
)
def test_a_missing_record_names_the_way_on_where_there_is_one(
    call: Any, offered: Any, hint: str | None
) -> None:
    error = missing_record(replace(RULES, offered=offered), "wren", call=call)
    assert (error.code, error.hint) == ("not-found", hint)
