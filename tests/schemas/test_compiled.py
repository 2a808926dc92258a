from typing import Any

import pytest

from covel_host.schemas.compiled import SchemaError, compile_schema


def first_problem(schema: dict[str, Any], value: Any) -> str:
    compiled = compile_schema(schema)
    assert not compiled.accepts(value)
    return str(compiled.problems(value)[0])


@pytest.mark.parametrize(
    ("schema", "value", "problem"),
    [
        ({"type": "integer"}, "x", '"x" is not a whole number.'),
        ({"type": ["string", "null"]}, 1, "1 is not text or null."),
        ({"required": ["name"]}, {}, "The member 'name' is missing."),
        (
            {"properties": {}, "additionalProperties": False},
            {"b": 1},
            "The member 'b' is not declared.",
        ),
        ({"enum": ["a", 1]}, "b", '"b" is none of "a", 1.'),
        ({"const": True}, 1, "1 is not true."),
        ({"minimum": 1}, 0, "0 is less than 1."),
        ({"exclusiveMaximum": 5}, 5, "5 is not less than 5."),
        ({"multipleOf": 3}, 4, "4 is not a multiple of 3."),
        ({"minLength": 1}, "", "The text has 0 characters; at least 1 are needed."),
        ({"maxLength": 1}, "ab", "The text has 2 characters; at most 1 are allowed."),
        ({"maxItems": 1}, [1, 2], "The list has 2 items; at most 1 are allowed."),
        ({"minProperties": 2}, {"a": 1}, "The object has 1 member; at least 2 are needed."),
        ({"uniqueItems": True}, [1, 1], "Two items of the list are equal."),
        ({"pattern": "^a"}, "b", "\"b\" does not match the pattern '^a'."),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, 3, "3 is not text or null."),
        ({"not": {}}, 3, "3 has a form that is excluded."),
        (
            {"properties": {"a": {"items": {"type": "string"}}}},
            {"a": ["x", 2]},
            "a.1: 2 is not text.",
        ),
    ],
)
def test_a_problem_names_the_value_and_what_was_expected(
    schema: dict[str, Any], value: Any, problem: str
) -> None:
    assert first_problem(schema, value) == problem


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ({"minLength": -1}, "-1 is less than 0 (at minLength)"),
        (
            {"properties": {"visits": {"type": "integerr"}}},
            (
                '"integerr" fits none of the allowed forms; the nearest: "integerr" is none of '
                '"array", "boolean", "integer", "null", "number", "object", "string" '
                "(at properties.visits.type)"
            ),
        ),
        (
            {"properties": {"name": {"pattern": "("}}},
            (
                "The pattern '(' cannot be used: look-around and back-references are not "
                "supported, everything else must be a regular expression "
                "(at properties.name.pattern)"
            ),
        ),
    ],
)
def test_the_place_of_a_wrong_schema_stands_before_the_full_stop(
    schema: dict[str, Any], reason: str
) -> None:
    with pytest.raises(SchemaError) as caught:
        compile_schema(schema)
    assert str(caught.value) == reason


def test_the_nearest_form_is_explained() -> None:
    schema = {
        "oneOf": [
            {"type": "string"},
            {"properties": {"kind": {"const": "herb"}}, "required": ["kind"], "type": "object"},
        ]
    }
    assert "the nearest: 1 is not" in first_problem(schema, {"kind": 1})


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "file:///etc/hostname"},
        {"$ref": "http://127.0.0.1:9/schema.json"},
        {"$ref": "other.json"},
        {"$ref": "#/$defs/missing"},
    ],
)
def test_a_reference_that_leaves_the_schema_is_refused(schema: dict[str, Any]) -> None:
    with pytest.raises(SchemaError, match="References stay inside the schema file"):
        compile_schema(schema)


@pytest.mark.parametrize("pattern", ["(", "(?=a)b", r"(a)\1"])
def test_a_pattern_the_engine_cannot_run_is_refused(pattern: str) -> None:
    with pytest.raises(SchemaError, match="pattern"):
        compile_schema({"properties": {"a": {"pattern": pattern}}})


def test_what_is_no_schema_is_refused_with_its_place() -> None:
    with pytest.raises(SchemaError) as caught:
        compile_schema({"properties": {"a": {"minLength": "x"}}})
    assert caught.value.path == "properties.a.minLength"


def test_a_pattern_that_makes_backtracking_engines_hang_is_answered() -> None:
    # A backtracking engine needs 2 ** 5000 steps for this and never comes back.
    assert not compile_schema({"pattern": "^(a+)+$"}).accepts("a" * 5000 + "b")


def test_inner_references_and_big_integers_work() -> None:
    schema = {"$defs": {"n": {"type": "integer"}}, "properties": {"n": {"$ref": "#/$defs/n"}}}
    compiled = compile_schema(schema)
    assert compiled.accepts({"n": 10**30})
    assert compiled.problems({"n": "x"})[0].path == "n"


def test_the_number_of_problems_is_bounded() -> None:
    compiled = compile_schema({"items": {"type": "string"}})
    assert len(compiled.problems(list(range(1000)))) == 20
    assert len(compiled.problems(list(range(1000)), limit=3)) == 3
