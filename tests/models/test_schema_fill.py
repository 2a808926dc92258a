from enum import Enum
from typing import Annotated, Any, Literal

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from covel_host.models.schema_fill import fill_schema


def member(schema: object, **payload: Any) -> Any:
    """What a required member `v` of that schema is filled with."""
    filled = fill_schema(
        {"type": "object", "properties": {"v": schema}, "required": ["v"]},  # type: ignore[dict-item]
        payload,
    )
    assert isinstance(filled, dict)
    return filled["v"]


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string"}, ""),
        ({"type": "string", "minLength": 3}, "xxx"),
        ({"type": "string", "format": "date"}, "2000-01-01"),
        ({"type": "string", "pattern": "^[a-z][a-z0-9-]*$"}, "a"),
        ({"type": "string", "pattern": "^[0-9]+$", "minLength": 4}, "0000"),
        ({"type": "string", "pattern": "^#[0-9]{6}$"}, "#000000"),
        ({"type": "string", "pattern": "(", "minLength": 1}, "x"),
        ({"type": "integer"}, 0),
        ({"type": "integer", "minimum": 3}, 3),
        ({"type": "integer", "exclusiveMinimum": 3}, 4),
        ({"type": "integer", "maximum": -2}, -2),
        ({"type": "integer", "minimum": 4, "multipleOf": 3}, 6),
        ({"type": "number", "exclusiveMinimum": 0}, 0.5),
        ({"type": "boolean"}, False),
        ({"type": "null"}, None),
        ({}, None),
        ({"type": ["string", "null"]}, ""),
        ({"type": "array"}, []),
        ({"type": "array", "minItems": 2, "items": {"type": "integer"}}, [0, 0]),
        ({"type": "array", "minItems": 2, "uniqueItems": True, "items": {"enum": [1, 2]}}, [1, 2]),
        ({"type": "array", "minItems": 1, "prefixItems": [{"const": "p"}]}, ["p"]),
        ({"type": "object"}, {}),
        ({"properties": {"a": {"type": "integer"}}, "required": ["a"]}, {"a": 0}),
        ({"type": "object", "required": ["free"]}, {"free": None}),
        ({"const": 7}, 7),
        ({"enum": ["b", "a"]}, "b"),
        ({"type": "string", "examples": ["e"], "enum": ["b"]}, "e"),
        ({"type": "string", "example": "e", "enum": ["b"]}, "e"),
        ({"type": "string", "default": "d", "examples": ["e"]}, "d"),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, 0),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None}, None),
        ({"oneOf": [{"const": "x"}, {"const": "y"}]}, "x"),
        ({"allOf": [{"type": "integer"}, {"minimum": 2}]}, 2),
        (True, None),
    ],
)
def test_a_required_member_gets_the_first_value_that_is_stated(
    schema: object, expected: object
) -> None:
    assert member(schema) == expected


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "string", "default": "d"}, "p"),
        ({"type": "number"}, 3),
        ({"type": "number"}, 3.5),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, None),
        ({}, {"any": 1}),
        ({"enum": ["b", "a"]}, "a"),
    ],
)
def test_the_payload_wins_where_its_type_fits(schema: object, value: object) -> None:
    assert member(schema, v=value) == value


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        ({"type": "integer"}, "three", 0),
        ({"type": "integer"}, True, 0),
        ({"type": "string"}, None, ""),
        ({"type": "object"}, [], {}),
    ],
)
def test_a_payload_of_another_type_is_passed_over(
    schema: object, value: object, expected: object
) -> None:
    assert member(schema, v=value) == expected


def test_optional_members_are_filled_only_from_the_payload() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string", "default": "x"}, "b": {"type": "string"}},
    }

    assert fill_schema(schema, {}) == {}  # type: ignore[arg-type]
    assert fill_schema(schema, {"b": "given", "c": 1}) == {"b": "given"}  # type: ignore[arg-type]


class Kind(Enum):
    herb = "herb"
    stone = "stone"


class Inner(BaseModel):
    text: Annotated[str, Field(min_length=2)]
    kind: Kind


class Outer(BaseModel):
    name: str
    inner: Inner
    many: Annotated[list[Inner], Field(min_length=1)]
    mode: Literal["a", "b"] | None
    parent: "Outer | None" = None


def test_a_pydantic_models_schema_is_filled_validly() -> None:
    filled = fill_schema(Outer.model_json_schema(), {"text": "from payload", "name": "n"})
    outer = Outer.model_validate(filled)

    assert (outer.name, outer.inner.text, outer.inner.kind) == ("n", "from payload", Kind.herb)


class Endless(BaseModel):
    inner: "Endless"


def test_an_endless_schema_ends() -> None:
    assert isinstance(fill_schema(Endless.model_json_schema(), {}), dict)


schemas = st.recursive(
    st.one_of(
        st.builds(
            lambda low, more: {"type": "integer", "minimum": low, "maximum": low + more},
            st.integers(-50, 50),
            st.integers(0, 9),
        ),
        st.builds(lambda least: {"type": "string", "minLength": least}, st.integers(0, 9)),
        st.builds(lambda values: {"enum": values}, st.lists(st.text(), min_size=1, unique=True)),
        st.sampled_from([{"type": "boolean"}, {"type": "null"}, {}, {"type": "number"}]),
        st.sampled_from([{"type": "string", "format": name} for name in ("date", "uuid", "uri")]),
    ),
    lambda inner: st.one_of(
        st.builds(
            lambda items, least: {"type": "array", "items": items, "minItems": least},
            inner,
            st.integers(0, 3),
        ),
        st.builds(
            lambda members: {
                "type": "object",
                "properties": members,
                "required": list(members)[::2],
                "additionalProperties": False,
            },
            st.dictionaries(st.sampled_from(["a", "b", "c"]), inner),
        ),
        st.builds(lambda first, second: {"anyOf": [first, second]}, inner, inner),
    ),
    max_leaves=8,
)


@given(schemas)
def test_what_is_filled_in_satisfies_its_schema(schema: dict[str, Any]) -> None:
    assert jsonschema_rs.is_valid(schema, fill_schema(schema, {}))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=10,
)


@given(st.dictionaries(st.text(max_size=4), json_values, max_size=4))
def test_any_payload_is_taken(payload: dict[str, Any]) -> None:
    schema = {"type": "object", "properties": {name: {} for name in payload}}

    assert fill_schema(schema, payload) == payload
