"""What a dimension may be declared as."""

from typing import Any

import pytest

from covel_host.schemas.dimension_values import check_dimension_value
from plugin_sdk.rules.dimension_definitions import (
    dimension_definition_problems,
    dimension_value_problem,
    resolve_dimension_definition,
)
from plugin_sdk.rules.dimension_derivations import derived_value
from plugin_sdk.rules.dimension_schemas import dimension_value_schema

FARE: dict[str, Any] = {
    "name": "Ferry fare",
    "schema": {"type": "integer", "minimum": 0, "maximum": 90},
    "initialValue": 6,
    "updateRule": "Raise by two for each storm night that the story shows.",
}


def problems(definition: dict[str, Any], dimension_id: str = "ferryFare") -> dict[str, str]:
    found = dimension_definition_problems(dimension_id, definition, check_dimension_value)
    return {problem.path: problem.message for problem in found}


def with_schema(schema: dict[str, Any], initial: Any = None) -> dict[str, Any]:
    return {"name": "D", "schema": schema, "initialValue": initial}


def test_a_good_definition_has_no_problems() -> None:
    assert problems(FARE) == {}
    assert problems({**FARE, "name": {"en": "Fare"}, "description": "What it costs."}) == {}


@pytest.mark.parametrize("dimension_id", ["", "Fare", "9", "a" * 65, "a b", "constructor"])
def test_a_bad_id_is_named(dimension_id: str) -> None:
    assert list(problems(FARE, dimension_id)) == [""]


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"name": 7}, "name"),
        ({"name": {}}, "name"),
        ({"description": ["a"]}, "description"),
        ({"updateRule": 1}, "updateRule"),
        ({"schema": True}, "schema"),
        ({"version": 1}, "version"),
        ({"initialValue": 91}, "initialValue"),
        ({"initialValue": "6"}, "initialValue"),
        ({"initialValue": [[]] * 10_001}, ""),
    ],
)
def test_a_bad_member_is_named(change: dict[str, Any], path: str) -> None:
    assert path in problems({**FARE, **change})


@pytest.mark.parametrize("member", ["name", "schema", "initialValue"])
def test_required_members_are_missed(member: str) -> None:
    assert member in problems({key: value for key, value in FARE.items() if key != member})


def test_null_is_a_value() -> None:
    assert problems(with_schema({"type": ["integer", "null"]}, None)) == {}


@pytest.mark.parametrize(
    ("schema", "path"),
    [
        ({"$ref": "#"}, "schema.$ref"),
        ({"pattern": "a"}, "schema.pattern"),
        ({"oneOf": []}, "schema.oneOf"),
        ({"type": "text"}, "schema.type"),
        ({"type": []}, "schema.type"),
        ({"enum": []}, "schema.enum"),
        ({"minimum": True}, "schema.minimum"),
        ({"maxLength": -1}, "schema.maxLength"),
        ({"items": [{}]}, "schema.items"),
        ({"items": {"format": "date"}}, "schema.items.format"),
        ({"properties": {"a": True}}, "schema.properties"),
        ({"properties": {"a": {"type": "date"}}}, "schema.properties.a.type"),
        ({"properties": {"a": {}}, "required": ["b"]}, "schema.required"),
        ({"properties": {}, "required": [["b"]]}, "schema.required"),
        ({"additionalProperties": "no"}, "schema.additionalProperties"),
        ({"additionalProperties": {"not": {}}}, "schema.additionalProperties.not"),
        ({"enum": ["a"], "x-enumLabels": {"b": "B"}}, "schema.x-enumLabels"),
        ({"enum": ["a"], "x-enumLabels": {"a": 1}}, "schema.x-enumLabels"),
        ({"x-i18n": "yes"}, "schema.x-i18n"),
        ({"items": {"x-derive": {}}}, "schema.items.x-derive"),
        ({"additionalProperties": {"x-derive": {}}}, "schema.additionalProperties.x-derive"),
    ],
)
def test_the_value_schema_is_a_closed_subset(schema: dict[str, Any], path: str) -> None:
    assert path in problems(with_schema(schema))


def test_labels_are_no_part_of_what_a_value_must_fit() -> None:
    schema = {
        "title": {"en": "T"},
        "enum": ["a", 1],
        "x-enumLabels": {"a": {"en": "A"}, "1": "One"},
        "properties": {"title": {"description": "D", "type": "string"}},
        "items": {"x-i18n": True, "type": "string"},
    }
    assert dimension_value_schema(schema) == {
        "enum": ["a", 1],
        "properties": {"title": {"type": "string"}},
        "items": {"type": "string"},
    }
    assert problems(with_schema(schema, "a")) == {}


# Languages


def test_only_marked_values_and_the_rule_become_one_text() -> None:
    schema = {
        "type": "object",
        "properties": {
            "mood": {"type": "string", "x-i18n": True},
            "plain": {"type": "object"},
            "list": {"type": "array", "items": {"type": "string", "x-i18n": True}},
        },
        "additionalProperties": {"type": "string", "x-i18n": True},
    }
    texts = {"en": "calm", "de": "ruhig"}
    initial = {"mood": texts, "plain": texts, "list": [texts, "x"], "more": texts}
    definition = {"name": texts, "schema": schema, "initialValue": initial, "updateRule": texts}
    resolved = resolve_dimension_definition(definition, "de-AT")
    assert resolved["initialValue"] == {
        "mood": "ruhig",
        "plain": texts,
        "list": ["ruhig", "x"],
        "more": "ruhig",
    }
    assert (resolved["name"], resolved["updateRule"]) == (texts, "ruhig")
    assert definition["initialValue"] == initial
    assert resolve_dimension_definition(resolved, "en") == resolved
    assert problems(resolved) == {}


def test_a_locale_map_that_nobody_resolved_is_no_value() -> None:
    schema = {"type": "string", "x-i18n": True}
    assert "initialValue" in problems(with_schema(schema, {"en": "calm"}))


# Derived fields

DAYS = {"source": "clock.elapsedSinceStart", "start": 30, "perUnit": -1, "min": 0}
MOON = {
    "source": "clock.elapsedSinceStart",
    "ranges": [
        {"to": 9, "value": "new"},
        {"from": 10, "to": 19, "value": "half"},
        {"value": "full"},
    ],
}


@pytest.mark.parametrize(
    ("field", "elapsed", "value"),
    [
        ({"type": "integer", "x-derive": DAYS}, 0, 30),
        ({"type": "integer", "x-derive": DAYS}, 29, 1),
        ({"type": "integer", "x-derive": DAYS}, 90, 0),
        ({"type": "integer", "x-derive": {**DAYS, "perUnit": -0.4}}, 1, 30),
        ({"type": "number", "x-derive": {**DAYS, "max": 12.5}}, 0, 12.5),
        ({"type": "string", "x-derive": MOON}, 0, "new"),
        ({"type": "string", "x-derive": MOON}, 10, "half"),
        ({"type": "string", "x-derive": MOON}, 9.5, "full"),
        ({"type": "string", "x-derive": MOON}, -5, "new"),
    ],
)
def test_a_derived_value_follows_the_clock(
    field: dict[str, Any], elapsed: float, value: Any
) -> None:
    assert derived_value(field, elapsed) == value


def test_a_declared_derivation_starts_with_the_initial_value() -> None:
    whole = {"type": "integer", "x-derive": DAYS}
    assert problems(with_schema(whole, 30)) == {}
    assert list(problems(with_schema(whole, 29))) == ["initialValue"]
    inner = {"type": "object", "properties": {"moon": {"type": "string", "x-derive": MOON}}}
    assert problems(with_schema(inner, {"moon": "new"})) == {}
    assert list(problems(with_schema(inner, {"moon": "full"}))) == ["initialValue.moon"]
    assert list(problems({**with_schema(whole, 30), "updateRule": "Count."})) == ["updateRule"]


@pytest.mark.parametrize(
    ("field", "path"),
    [
        ({"type": "integer", "x-derive": {**DAYS, "source": "turns"}}, "source"),
        ({"type": "integer", "x-derive": {**DAYS, "step": 1}}, "step"),
        ({"type": "integer", "x-derive": {**DAYS, "start": "30"}}, "start"),
        ({"type": ["integer", "null"], "x-derive": DAYS}, ""),
        ({"type": "object", "x-derive": DAYS}, ""),
        ({"type": "string", "x-derive": DAYS}, ""),
        ({"type": "boolean", "x-derive": DAYS}, ""),
        ({"type": "string", "x-i18n": True, "x-derive": MOON}, ""),
        ({"type": "integer", "minimum": 1, "x-derive": DAYS}, "min"),
        ({"type": "integer", "maximum": 9, "x-derive": {**DAYS, "max": 10}}, "max"),
        ({"type": "string", "x-derive": {**MOON, "ranges": []}}, "ranges"),
        ({"type": "string", "enum": ["new", "half"], "x-derive": MOON}, "ranges.2.value"),
        ({"type": "string", "x-derive": {**MOON, "ranges": [{"to": 3}]}}, "ranges.0"),
        (
            {"type": "string", "x-derive": {**MOON, "ranges": [{"to": "3", "value": "a"}]}},
            "ranges.0.to",
        ),
    ],
)
def test_a_bad_derivation_is_named(field: dict[str, Any], path: str) -> None:
    place = "schema.x-derive" + (f".{path}" if path else "")
    assert place in problems(with_schema(field))


# Limits


def nested(depth: int) -> Any:
    value: Any = 0
    for _ in range(depth - 1):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "is_fine"),
    [
        (nested(32), True),
        (nested(33), False),
        ([0] * 9_999, True),
        ([0] * 10_000, False),
        ("x" * 262_142, True),
        ("x" * 262_143, False),
        ("ü" * 131_072, False),
    ],
)
def test_the_limits_of_a_value(value: Any, is_fine: bool) -> None:
    assert (dimension_value_problem(value) is None) == is_fine
