"""What a model reads of the tools made from a data set."""

from typing import Any

import pytest

from covel_host.models.schema_fill import fill_schema
from covel_host.schemas.compiled import compile_schema
from covel_host.tools.dataset_tools import dataset_tools
from plugin_sdk.rules.data_ops import DATA_OP_NAMES, apply_data_ops
from tests.support.datasets import PERSON, declared_dataset


def schema_of(tool: str, **declaration: Any) -> dict[str, Any]:
    dataset = declared_dataset({"schema": PERSON, "key": "name", **declaration}, name="npcs")
    return dataset_tools(dataset)[tool].tool.input_schema


def test_the_record_parameter_is_the_schema_of_the_data_set() -> None:
    shown = schema_of("npcs-upsert")
    assert shown == {
        "type": "object",
        "properties": {"record": PERSON},
        "required": ["record"],
    }


def test_definitions_move_to_the_root_and_identity_goes() -> None:
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "https://example.com/npc.json",
        "$defs": {"item": {"type": "object", "properties": {"inside": {"$ref": "#/$defs/item"}}}},
        "definitions": {"level": {"type": "integer"}},
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "bag": {"$ref": "#/$defs/item"},
            "level": {"$ref": "#/definitions/level"},
        },
    }
    shown = schema_of("npcs-upsert", schema=schema)
    assert shown["$defs"] == schema["$defs"]
    assert shown["definitions"] == schema["definitions"]
    assert set(shown["properties"]["record"]) == {"type", "properties"}
    assert shown["properties"]["record"]["properties"] == schema["properties"]


def test_references_to_other_places_of_the_schema_follow_the_move() -> None:
    schema = {
        "$id": "https://example.com/npc.json",
        "$defs": {"name": {"$ref": "#/properties/name"}},
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "alias": {"$ref": "#/properties/name"},
            "friend": {"$ref": "#"},
            "foe": {"$ref": "https://example.com/npc.json#/properties/name"},
            "default": {"enum": [{"$ref": "#"}]},
        },
    }
    shown = schema_of("npcs-upsert", schema=schema)
    record = shown["properties"]["record"]["properties"]
    assert record["alias"] == record["foe"] == {"$ref": "#/properties/record/properties/name"}
    assert record["friend"] == {"$ref": "#/properties/record"}
    assert record["default"] == {"enum": [{"$ref": "#"}]}
    assert shown["$defs"]["name"] == {"$ref": "#/properties/record/properties/name"}
    check = compile_schema(shown)
    assert check.accepts({"record": {"name": "a", "friend": {"name": "b"}}})
    assert not check.accepts({"record": {"name": "a", "friend": {"name": 1}}})
    assert not check.accepts({"record": {"foe": 1}})


def test_patterns_that_providers_refuse_are_left_out_and_still_checked() -> None:
    schema = {"type": "object", "properties": {"name": {"type": "string", "pattern": r"^\p{Lu}"}}}
    dataset = declared_dataset({"schema": schema}, name="npcs")
    shown = dataset_tools(dataset)["npcs-upsert"].tool.input_schema
    assert shown["properties"]["record"]["properties"] == {"name": {"type": "string"}}
    assert dataset.rules.schema_problems({"name": "wren"})
    assert not dataset.rules.schema_problems({"name": "Wren"})


def test_the_schema_of_the_data_set_itself_is_not_changed() -> None:
    schema = {"$id": "x", "$defs": {"a": {}}, "type": "object"}
    dataset = declared_dataset({"schema": schema})
    dataset_tools(dataset)
    assert dataset.schema == {"$id": "x", "$defs": {"a": {}}, "type": "object"}


def test_key_and_filter_name_the_key_field_and_what_a_look_up_ignores() -> None:
    for tool, member in (("npcs-get", "key"), ("npcs-update", "key"), ("npcs-list", "where")):
        text = schema_of(tool)["properties"][member]["description"]
        assert "'name'" in text
        assert "case" in text
        assert "spaces" in text
    keyless = declared_dataset({}, name="npcs")
    for found in dataset_tools(keyless).values():
        assert "'name'" not in str(found.tool.input_schema)


def branches(**declaration: Any) -> list[dict[str, Any]]:
    items = schema_of("npcs-update", **declaration)["properties"]["ops"]["items"]
    found: list[dict[str, Any]] = items.get("anyOf", [items])
    return found


def test_operations_have_one_object_schema_for_each_allowed_kind_without_set() -> None:
    names = [branch["properties"]["op"]["const"] for branch in branches()]
    assert names == [name for name in DATA_OP_NAMES if name != "set"]
    assert [branch["properties"]["op"]["const"] for branch in branches(ops=["set", "put"])] == [
        "put"
    ]
    ops = schema_of("npcs-update")["properties"]["ops"]
    assert (ops["minItems"], ops["maxItems"]) == (1, 64)


RECORDS: dict[str, Any] = {
    "put": ({"a": 1}, {"op": "put", "path": "/a", "value": 2}),
    "merge": ({"a": 1}, {"op": "merge", "value": {"b": 1}}),
    "increment": ({"a": 1}, {"op": "increment", "path": "/a", "by": 1, "min": 0, "max": 9}),
    "append": ({"a": []}, {"op": "append", "path": "/a", "value": None, "unique": True}),
    "insert": ({"a": []}, {"op": "insert", "path": "/a", "index": 0, "value": 1}),
    "remove": ({"a": 1}, {"op": "remove", "path": "/a"}),
    "delete": ({"a": 1}, {"op": "delete"}),
}


@pytest.mark.parametrize("name", RECORDS)
def test_each_kind_is_described_as_it_is_applied(name: str) -> None:
    (branch,) = branches(ops=["set", name])
    record, op = RECORDS[name]
    apply_data_ops(record, [op])
    check = compile_schema(branch)
    assert check.accepts(op)
    assert not check.accepts({**op, "other": 1})
    for member in branch["required"]:
        rest = {key: value for key, value in op.items() if key != member}
        assert not check.accepts(rest)


@pytest.mark.parametrize("tool", ["npcs-get", "npcs-list", "npcs-upsert", "npcs-update"])
def test_the_schemas_are_schemas_that_can_be_filled(tool: str) -> None:
    shown = schema_of(tool)
    filled = fill_schema(shown, {})
    assert compile_schema(shown).problems(filled) == []
