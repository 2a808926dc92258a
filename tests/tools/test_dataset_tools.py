"""The tools made from a data set: every row of the seed's tables, through the executor."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from covel_host.tools.calls import ToolCallResult
from plugin_sdk.rules.keys import DatasetToolKind
from plugin_sdk.values import JsonValue
from tests.support.datasets import PERSON, DatasetBench, declared_dataset, loaded_datasets


def bench(
    folder: Path,
    *,
    schema: Any = PERSON,
    chosen: Sequence[DatasetToolKind] | None = None,
    name: str = "npcs",
    **declared: Any,
) -> DatasetBench:
    """The tools of one data set; a `name` key field unless the declaration says otherwise."""
    declaration = {"schema": "record.json", "key": "name", **declared}
    if declaration["key"] is None:
        del declaration["key"]
    datasets, problems = loaded_datasets(
        folder, {name: declaration}, files={"record.json": json.dumps(schema)}
    )
    assert problems == []
    return DatasetBench(datasets[name], chosen=chosen)


def error_of(result: ToolCallResult) -> dict[str, Any]:
    envelope = json.loads(result.envelope)
    assert list(envelope) == ["error"]
    error: dict[str, Any] = envelope["error"]
    return error


def content_of(result: ToolCallResult) -> dict[str, Any]:
    assert isinstance(result.content, dict)
    content: dict[str, Any] = result.content
    return content


def staged(made: DatasetBench) -> list[dict[str, Any]]:
    return [{"type": each.type, **each.payload} for each in made.staging.proposals]


# --- names, annotations, choice --------------------------------------------------------------


def test_a_data_set_gives_four_tools_with_the_annotations_of_the_seed(tmp_path: Path) -> None:
    tools = bench(tmp_path).tools
    assert {name: found.source for name, found in tools.items()} == {
        "npcs-get": "dataset",
        "npcs-list": "dataset",
        "npcs-upsert": "dataset",
        "npcs-update": "dataset",
    }
    marks = {
        name: [
            mark
            for mark in ("read_only", "stages_writes", "idempotent", "concurrency_safe")
            if getattr(found.tool.annotations, mark)
        ]
        for name, found in tools.items()
    }
    assert marks == {
        "npcs-get": ["read_only", "idempotent", "concurrency_safe"],
        "npcs-list": ["read_only", "idempotent", "concurrency_safe"],
        "npcs-upsert": ["stages_writes", "idempotent"],
        "npcs-update": ["stages_writes"],
    }
    assert {found.tool.timeout_ms for found in tools.values()} == {None}


def test_a_runtime_gets_what_it_chose_of_what_the_data_set_offers(tmp_path: Path) -> None:
    made = bench(tmp_path, ops=["set"], chosen=["update", "upsert", "get"])
    assert list(made.tools) == ["npcs-get", "npcs-upsert"]


def test_descriptions_are_english_with_that_of_the_data_set_at_the_end(tmp_path: Path) -> None:
    made = bench(tmp_path, description={"zh": "人物。", "en": "Whom the story has met."})
    for found in made.tools.values():
        assert "npcs dataset" in found.tool.description
        assert found.tool.description.endswith(". Whom the story has met.")


# --- get -------------------------------------------------------------------------------------


def test_get_reads_by_key_whatever_its_case_and_spaces(tmp_path: Path) -> None:
    made = bench(tmp_path)
    made.data.rows["npcs", "iron sword"] = {"name": "Iron Sword"}
    result = made.run("npcs-get", {"key": "  IRON  sword "})
    assert result.content == {"key": "iron sword", "record": {"name": "Iron Sword"}}
    assert json.loads(result.envelope) == {"data": result.content}
    assert result.proposals == ()


def test_the_exact_key_goes_before_the_normalised_one(tmp_path: Path) -> None:
    made = bench(tmp_path, key=None, schema={"type": "object"})
    made.data.rows["npcs", "Sword_01"] = {"row": 1}
    made.data.rows["npcs", "sword_01"] = {"row": 2}
    keys = ["Sword_01", "sword_01", "SWORD_01"]
    found = [made.run("npcs-get", {"key": key}).content for key in keys]
    assert found == [
        {"key": "Sword_01", "record": {"row": 1}},
        {"key": "sword_01", "record": {"row": 2}},
        {"key": "sword_01", "record": {"row": 2}},
    ]


def test_a_record_stored_under_another_spelling_is_found_and_replaced(tmp_path: Path) -> None:
    made = bench(tmp_path)
    made.data.rows["npcs", "Wren"] = {"name": "Wren", "hp": 1}
    result = made.run("npcs-upsert", {"record": {"name": "Wren", "hp": 2}})
    assert result.content == {"key": "Wren", "record": {"name": "Wren", "hp": 2}, "created": False}
    # Under another spelling it is another record: only the exact one is asked for first.
    assert made.run("npcs-upsert", {"record": {"name": "wren"}}).content == {
        "key": "wren",
        "record": {"name": "wren"},
        "created": True,
    }


# --- list ------------------------------------------------------------------------------------


def filled(folder: Path, count: int) -> DatasetBench:
    made = bench(folder, schema={"type": "object"})
    for number in range(count):
        record: JsonValue = {"name": f"n{number:04}", "even": number % 2 == 0, "n": number % 3}
        made.data.rows["npcs", f"n{number:04}"] = record
    return made


def test_a_list_is_sorted_counted_and_paged(tmp_path: Path) -> None:
    made = filled(tmp_path, 45)
    first = content_of(made.run("npcs-list", {}))
    assert [item["key"] for item in first["items"]] == [f"n{n:04}" for n in range(20)]
    assert (first["total"], first["nextOffset"]) == (45, 20)
    last = content_of(made.run("npcs-list", {"offset": 40, "limit": 5}))
    assert [item["key"] for item in last["items"]] == [f"n{n:04}" for n in range(40, 45)]
    assert "nextOffset" not in last
    assert made.run("npcs-list", {"offset": 45}).content == {"total": 45, "items": []}


def test_a_list_counts_more_records_than_it_reads_at_once(tmp_path: Path) -> None:
    made = filled(tmp_path, 1203)
    arguments = {"where": {"n": 1}, "offset": 398, "limit": 50}
    listed = content_of(made.run("npcs-list", arguments))
    assert (listed["total"], len(listed["items"])) == (401, 3)


@pytest.mark.parametrize(
    ("where", "keys"),
    [
        ({"a": 1}, ["one", "one-point"]),
        ({"a": True}, ["true"]),
        ({"a": None}, ["null"]),
        ({"a": "1"}, ["text"]),
        ({"a": "1 "}, []),
        ({"b": "x"}, ["one", "text"]),
        ({"a": 1, "b": "x"}, ["one"]),
        ({}, ["list", "null", "one", "one-point", "other", "text", "true"]),
    ],
)
def test_a_filter_compares_top_level_fields_exactly(
    tmp_path: Path, where: Any, keys: list[str]
) -> None:
    made = bench(tmp_path, key=None, schema={})
    rows: dict[str, Any] = {
        "one": {"a": 1, "b": "x"},
        "one-point": {"a": 1.0},
        "true": {"a": True},
        "null": {"a": None},
        "text": {"a": "1", "b": "x"},
        "list": [1],
        "other": {"c": {"a": 1}},
    }
    made.data.rows = {("npcs", key): record for key, record in rows.items()}
    listed = content_of(made.run("npcs-list", {"where": where}))
    assert [item["key"] for item in listed["items"]] == keys


def test_a_list_shows_what_the_run_has_staged(tmp_path: Path) -> None:
    made = bench(tmp_path)
    made.data.rows["npcs", "wren"] = {"name": "Wren"}
    made.run("npcs-upsert", {"record": {"name": "Abe"}})
    made.run("npcs-update", {"key": "wren", "ops": [{"op": "delete"}]})
    assert made.run("npcs-list", {}).content == {
        "total": 1,
        "items": [{"key": "abe", "record": {"name": "Abe"}}],
    }


@pytest.mark.parametrize(
    "arguments",
    [
        {"limit": 0},
        {"limit": 51},
        {"limit": "5"},
        {"offset": -1},
        {"where": {"a": [1]}},
        {"where": {"a": {"b": 1}}},
        {"where": "a"},
        [],
    ],
)
def test_a_list_refuses_arguments_of_another_shape(tmp_path: Path, arguments: Any) -> None:
    result = bench(tmp_path).run("npcs-list", arguments)
    assert error_of(result)["code"] == "invalid-input"


# --- upsert ----------------------------------------------------------------------------------


def test_a_new_record_lies_under_the_normalised_key_and_keeps_its_spelling(tmp_path: Path) -> None:
    made = bench(tmp_path)
    result = made.run("npcs-upsert", {"record": {"name": "Iron  Sword", "hp": 3}})
    record = {"name": "Iron  Sword", "hp": 3}
    assert result.content == {"key": "iron sword", "record": record, "created": True}
    assert staged(made) == [
        {
            "type": "plugin.data.update",
            "namespace": "npcs",
            "key": "iron sword",
            "ops": [{"op": "set", "value": record}],
        }
    ]
    envelope = json.loads(result.envelope)
    assert list(envelope) == ["data", "staged"]
    assert (envelope["staged"]["count"], envelope["staged"]["kinds"]) == (1, ["plugin.data.update"])


def test_without_a_key_field_the_key_is_an_argument(tmp_path: Path) -> None:
    made = bench(tmp_path, key=None)
    assert made.tools["npcs-upsert"].tool.input_schema["required"] == ["key", "record"]
    result = made.run("npcs-upsert", {"key": " The Wren ", "record": {"name": "Wren"}})
    assert result.content == {"key": "the wren", "record": {"name": "Wren"}, "created": True}
    assert error_of(made.run("npcs-upsert", {"record": {"name": "Wren"}}))["code"] == (
        "invalid-input"
    )


@pytest.mark.parametrize("record", [{"hp": 1}, {"name": 5}, {"name": None}, {"name": ["Wren"]}])
def test_a_record_without_its_key_is_refused(tmp_path: Path, record: Any) -> None:
    made = bench(tmp_path, schema={"type": "object"})
    error = error_of(made.run("npcs-upsert", {"record": record}))
    assert error["code"] == "invalid-input"
    assert "'name', the key field of the npcs dataset" in error["message"]
    assert staged(made) == []


@pytest.mark.parametrize(
    ("name", "says"), [("", "blank"), (" \t\u3000", "blank"), ("x" * 257, "257 UTF-16 units")]
)
def test_a_blank_or_long_key_is_refused_by_every_tool(tmp_path: Path, name: str, says: str) -> None:
    made = bench(tmp_path, schema={"type": "object"})
    calls: list[tuple[str, Any]] = [
        ("npcs-get", {"key": name}),
        ("npcs-upsert", {"record": {"name": name}}),
        ("npcs-update", {"key": name, "ops": [{"op": "delete"}]}),
    ]
    for tool, arguments in calls:
        error = error_of(made.run(tool, arguments))
        assert (error["code"], says in error["message"]) == ("invalid-input", True), tool


def test_a_record_that_breaks_the_schema_is_refused_with_the_first_three_errors(
    tmp_path: Path,
) -> None:
    schema = {
        "type": "object",
        "properties": {name: {"type": "integer"} for name in "abcde"} | {"name": {}},
    }
    made = bench(tmp_path, schema=schema)
    record = {"name": "Wren", **dict.fromkeys("abcde", "no")}
    error = error_of(made.run("npcs-upsert", {"record": record}))
    assert error["code"] == "invalid-input"
    lines = error["message"].splitlines()
    assert lines[0] == "The record does not match the npcs dataset:"
    assert len(lines) == 4
    assert all('"no" is not a whole number.' in line for line in lines[1:])
    assert staged(made) == []


def test_a_record_over_the_limit_is_refused_with_its_size_before_its_schema(
    tmp_path: Path,
) -> None:
    made = bench(tmp_path)
    record = {"name": "Wren", "hp": -1, "tags": ["x" * 262_144]}
    error = error_of(made.run("npcs-upsert", {"record": record}))
    size = len(json.dumps(record, separators=(",", ":")))
    assert error["code"] == "invalid-input"
    assert error["message"].startswith(
        f"The value for npcs/wren is {size} bytes; the limit for one value is 262144 bytes."
    )
    assert staged(made) == []


def test_null_is_no_record(tmp_path: Path) -> None:
    made = bench(tmp_path, key=None, schema={})
    assert error_of(made.run("npcs-upsert", {"key": "a", "record": None}))["code"] == (
        "invalid-input"
    )


def test_a_tool_that_the_operations_do_not_carry_fails_every_call(tmp_path: Path) -> None:
    made = bench(tmp_path, ops=["put"], tools=["upsert"])
    error = error_of(made.run("npcs-upsert", {"record": {"name": "Wren"}}))
    assert error == {
        "code": "invalid-input",
        "message": "The npcs dataset does not allow the operation 'set'. It allows: put.",
    }


# --- update ----------------------------------------------------------------------------------


def test_update_changes_a_record_and_stages_the_operations_as_given(tmp_path: Path) -> None:
    made = bench(tmp_path)
    made.data.rows["npcs", "wren"] = {"name": "Wren", "hp": 3}
    ops = [{"op": "increment", "path": "/hp", "by": 2}, {"op": "put", "path": "/tags", "value": []}]
    result = made.run("npcs-update", {"key": "WREN", "ops": ops})
    assert result.content == {"key": "wren", "record": {"name": "Wren", "hp": 5, "tags": []}}
    assert staged(made) == [
        {"type": "plugin.data.update", "namespace": "npcs", "key": "wren", "ops": ops}
    ]


def test_a_deletion_is_told_as_such(tmp_path: Path) -> None:
    made = bench(tmp_path)
    made.data.rows["npcs", "wren"] = {"name": "Wren"}
    result = made.run("npcs-update", {"key": "Wren", "ops": [{"op": "delete"}]})
    assert result.content == {"key": "wren", "deleted": True}
    assert error_of(made.run("npcs-get", {"key": "wren"}))["code"] == "not-found"


def test_the_key_field_may_be_respelled_and_not_changed(tmp_path: Path) -> None:
    made = bench(tmp_path)
    made.data.rows["npcs", "iron gate"] = {"name": "Iron Gate"}
    change = {"op": "put", "path": "/name", "value": "IRON  gate"}
    result = made.run("npcs-update", {"key": "iron gate", "ops": [change]})
    assert result.content == {"key": "iron gate", "record": {"name": "IRON  gate"}}
    change["value"] = "Iron Door"
    error = error_of(made.run("npcs-update", {"key": "iron gate", "ops": [change]}))
    assert error == {
        "code": "invalid-input",
        "message": "update cannot change name; upsert a new record and delete this one",
    }


@pytest.mark.parametrize(
    ("ops", "code", "says"),
    [
        ([], "invalid-input", "ops"),
        ([{"op": "delete"}] * 65, "invalid-input", "ops"),
        (["delete"], "invalid-input", "ops"),
        ([{"op": "set", "value": {"name": "Wren"}}], "invalid-input", "ops[0]: 'set'"),
        ([{"op": "remove", "path": "/hp"}], "invalid-input", "ops[0]: 'remove'"),
        ([{"op": "put", "path": "/hp"}], "invalid-input", "ops[0]: "),
        ([{"op": "put", "path": "hp", "value": 1}], "invalid-input", "ops[0]: "),
        ([{"op": "increment", "path": "/hp", "by": -9}], "invalid-input", "does not match"),
        ([{"op": "append", "path": "/tags", "value": "a"}], "conflict", "npcs/wren: ops[0]: "),
        (
            [
                {"op": "put", "path": "/hp", "value": 1},
                {"op": "increment", "path": "/name", "by": 1},
            ],
            "conflict",
            "npcs/wren: ops[1]: ",
        ),
        ([{"op": "increment", "path": "/hp", "by": 9, "max": 5}], "conflict", "ops[0]: "),
    ],
)
def test_an_update_that_cannot_be_made_says_why_and_stages_nothing(
    tmp_path: Path, ops: Any, code: str, says: str
) -> None:
    made = bench(tmp_path, ops=["set", "put", "append", "increment", "delete"])
    made.data.rows["npcs", "wren"] = {"name": "Wren", "hp": 3}
    error = error_of(made.run("npcs-update", {"key": "wren", "ops": ops}))
    assert error["code"] == code
    assert says in error["message"]
    assert "demo" not in error["message"]
    hint = "Read the record with npcs-get and adjust." if code == "conflict" else None
    assert code == "invalid-input" or error.get("hint") == hint
    assert staged(made) == []


def test_hints_name_only_tools_that_the_runtime_chose(tmp_path: Path) -> None:
    update = {"key": "wren", "ops": [{"op": "append", "path": "/tags", "value": "a"}]}
    for chosen, hints in {
        ("get", "list", "upsert", "update"): (
            "List records with npcs-list.",
            "Create it with npcs-upsert.",
            "Read the record with npcs-get and adjust.",
        ),
        ("get", "update"): (None, None, "Read the record with npcs-get and adjust."),
        ("update",): ("-", None, None),
    }.items():
        made = bench(tmp_path, chosen=list(chosen))  # type: ignore[arg-type]
        if hints[0] != "-":
            assert error_of(made.run("npcs-get", {"key": "wren"})) == without_none(
                code="not-found",
                message="The npcs dataset has no record 'wren'.",
                hint=hints[0],
            )
        missing = error_of(made.run("npcs-update", update))
        assert (missing["code"], missing.get("hint")) == ("not-found", hints[1])
        made.data.rows["npcs", "wren"] = {"name": "Wren"}
        conflict = error_of(made.run("npcs-update", update))
        assert (conflict["code"], conflict.get("hint")) == ("conflict", hints[2])


def without_none(**members: Any) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}


# --- hosts and schemas -----------------------------------------------------------------------


def test_without_a_store_every_tool_is_unavailable(tmp_path: Path) -> None:
    made = bench(tmp_path)
    made.has_store = False
    calls: dict[str, Any] = {
        "npcs-get": {"key": "a"},
        "npcs-list": {},
        "npcs-upsert": {"record": {"name": "a"}},
        "npcs-update": {"key": "a", "ops": [{"op": "delete"}]},
    }
    for name, arguments in calls.items():
        assert error_of(made.run(name, arguments))["code"] == "unavailable"


def test_text_in_place_of_a_record_or_operations_is_repaired(tmp_path: Path) -> None:
    made = bench(tmp_path)
    result = made.run("npcs-upsert", {"record": '{"name": "Wren", "tags": "[\\"pilot\\"]"}'})
    assert result.content == {
        "key": "wren",
        "record": {"name": "Wren", "tags": ["pilot"]},
        "created": True,
    }
    assert json.loads(result.history_arguments) == {"record": {"name": "Wren", "tags": ["pilot"]}}
    ops = '[{"op": "merge", "value": "{\\"hp\\": 2}"}]'
    result = made.run("npcs-update", {"key": "wren", "ops": ops})
    record = {"name": "Wren", "tags": ["pilot"], "hp": 2}
    assert content_of(result)["record"] == record


def test_a_text_that_holds_no_record_is_refused_with_its_place(tmp_path: Path) -> None:
    made = bench(tmp_path)
    error = error_of(made.run("npcs-upsert", {"record": {"name": "Wren", "tags": "pilot"}}))
    assert error["code"] == "invalid-input"
    assert error["message"].startswith("record.tags: Expected an array; the text given is not JSON")


def test_a_repaired_record_still_has_to_fit(tmp_path: Path) -> None:
    made = bench(tmp_path)
    error = error_of(made.run("npcs-upsert", {"record": '{"name": "Wren", "hp": -1}'}))
    assert error["code"] == "invalid-input"
    assert error["message"].startswith("The record does not match the npcs dataset:\nhp: ")


def test_a_schema_that_cannot_be_used_is_internal_with_a_line_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    made = bench(tmp_path)

    def broken(record: object) -> list[str]:
        raise ValueError("the engine gave up")

    dataset = replace(made.dataset, rules=replace(made.dataset.rules, schema_problems=broken))
    made = DatasetBench(dataset)
    error = error_of(made.run("npcs-upsert", {"record": {"name": "Wren"}}))
    assert error == {"code": "internal", "message": "The npcs dataset's schema cannot be used."}
    (line,) = caplog.records
    assert "npcs-upsert" in line.getMessage()
    assert "the engine gave up" in caplog.text
    assert staged(made) == []


SPACES = st.text(" \t\u3000\u00a0", min_size=0, max_size=3)
WORDS = st.lists(st.text("abGÉß🜂１ー灯", min_size=1, max_size=4), min_size=1, max_size=3)


@settings(max_examples=60, deadline=None)
@given(words=WORDS, around=SPACES, data=st.data())
def test_a_record_is_found_under_every_spelling_of_its_key(
    words: list[str], around: str, data: st.DataObject
) -> None:
    made = DatasetBench(declared_dataset({"key": "name"}, name="npcs"))
    name = " ".join(words)
    stored = content_of(made.run("npcs-upsert", {"record": {"name": name}}))
    spaced = around + (" " + data.draw(SPACES)).join(words) + around
    found = made.run("npcs-get", {"key": data.draw(st.sampled_from([spaced, name.lower()]))})
    assert found.content == {"key": stored["key"], "record": {"name": name}}
