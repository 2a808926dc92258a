"""The JSON Schema a model is shown."""

from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field, WithJsonSchema

from plugin_sdk import ToolValidationError, tool
from plugin_sdk.model_schema import has_unicode_property, model_facing_schema


class Note(BaseModel):
    title: str
    pages: "list[Page]" = []


class Page(BaseModel):
    title: str
    after: "Page | None" = None


def test_definitions_stand_at_the_root_and_made_up_titles_are_gone() -> None:
    @tool
    def write(note: Note) -> None:
        """Write."""

    assert write.input_schema == {
        "type": "object",
        "properties": {"note": {"$ref": "#/$defs/Note"}},
        "required": ["note"],
        "$defs": {
            "Note": {
                "type": "object",
                "properties": {
                    "title": {"type": "string"},
                    "pages": {"type": "array", "items": {"$ref": "#/$defs/Page"}, "default": []},
                },
                "required": ["title"],
            },
            "Page": {
                "type": "object",
                "properties": {
                    "title": {"type": "string"},
                    "after": {
                        "anyOf": [{"$ref": "#/$defs/Page"}, {"type": "null"}],
                        "default": None,
                    },
                },
                "required": ["title"],
            },
        },
    }


def test_the_root_of_a_recursive_model_is_an_object() -> None:
    @tool(parameters=Page)
    def write(page: Page) -> None:
        """Write."""

    schema = write.input_schema
    assert schema["type"] == "object"
    assert "$ref" not in schema
    assert "title" not in schema
    assert schema["$defs"]["Page"]["properties"] == schema["properties"]


def test_titles_an_author_wrote_stay() -> None:
    @tool
    def write(key: Annotated[str, Field(title="The key")]) -> None:
        """Write."""

    assert write.input_schema["properties"]["key"]["title"] == "The key"


def test_unicode_patterns_are_hidden_from_the_model_and_still_checked() -> None:
    word = Annotated[str, Field(pattern=r"^\p{Letter}+$")]

    @tool
    def write(
        key: word, more: dict[word, word], plain: Annotated[str, Field(pattern="^a")]
    ) -> None:  # type: ignore[valid-type]
        """Write."""

    properties = write.input_schema["properties"]
    assert properties["key"] == {"type": "string"}
    assert properties["more"] == {"type": "object", "additionalProperties": {"type": "string"}}
    assert properties["plain"] == {"type": "string", "pattern": "^a"}
    assert write.parse('{"key": "é", "more": {"ä": "ö"}, "plain": "a"}')["key"] == "é"
    with pytest.raises(ToolValidationError) as caught:
        write.parse('{"key": "1", "more": {"ä": "2"}, "plain": "a"}')
    assert [problem.path for problem in caught.value.details] == ["key", "more.ä"]


def test_a_default_without_json_form_is_left_out_without_a_warning() -> None:
    @tool
    def write(
        size: Annotated[Any, WithJsonSchema({"type": "integer"})] = object(),  # noqa: B008
    ) -> None:
        """Write."""

    assert write.input_schema["properties"]["size"] == {"type": "integer"}


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        (r"\p{Letter}", True),
        (r"a\P{L}", True),
        (r"\\\p{L}", True),
        (r"\pL", True),
        (r"\\p{L}", False),
        (r"p{2}", False),
        (r"\d+", False),
    ],
)
def test_property_escapes_are_told_from_look_alikes(pattern: str, found: bool) -> None:
    assert has_unicode_property(pattern) is found


def test_patterns_go_wherever_a_schema_stands_and_nowhere_else() -> None:
    bad = {"type": "string", "pattern": r"\p{L}"}
    good = {"type": "string"}
    schema: dict[str, Any] = {
        "properties": {"pattern": bad, "const": {"const": bad}},
        "items": [bad],
        "prefixItems": [bad],
        "anyOf": [bad, True],
        "not": bad,
        "additionalProperties": bad,
        "$defs": {"a": bad},
        "default": bad,
        "examples": [bad],
    }
    before = repr(schema)
    assert model_facing_schema(schema) == {
        "properties": {"pattern": good, "const": {"const": bad}},
        "items": [good],
        "prefixItems": [good],
        "anyOf": [good, True],
        "not": good,
        "additionalProperties": good,
        "$defs": {"a": good},
        "default": bad,
        "examples": [bad],
    }
    assert repr(schema) == before


def test_members_let_in_by_a_dropped_key_pattern_are_not_shut_out() -> None:
    schema = {
        "patternProperties": {r"^\p{L}": {"type": "integer"}, "^a": {}},
        "additionalProperties": False,
    }
    assert model_facing_schema(schema) == {
        "patternProperties": {"^a": {}},
        "additionalProperties": {"type": "integer"},
    }
