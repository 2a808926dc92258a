"""The closed subset of JSON Schema that dimensions are described in (spec/world.md 3.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from plugin_sdk.errors import FieldProblem
from plugin_sdk.rules._json import JsonObject, is_array, is_number, is_object, json_text
from plugin_sdk.rules.dimension_derived import DERIVE_KEYWORD
from plugin_sdk.values import JsonValue

VALUE_TYPES = ("string", "number", "integer", "boolean", "null", "object", "array")

_LABELS = frozenset({"title", "description", "x-i18n", "x-enumLabels", DERIVE_KEYWORD})


def dimension_schema_problems(
    schema: JsonObject, path: str = "schema", *, may_derive: bool = True
) -> Iterator[FieldProblem]:
    """What is wrong with a dimension's schema; nothing when it may be used.

    Any keyword that is not of the subset is an error. `x-derive` may stand on the value itself and
    on what `properties` alone lead to; its content is checked elsewhere.
    """
    for keyword, value in schema.items():
        place = f"{path}.{keyword}"
        test = _KEYWORDS.get(keyword)
        if test is None:
            known = ", ".join(_KEYWORDS)
            yield FieldProblem(place, f"Dimensions do not know this keyword. Known are {known}.")
        elif not test[0](value):
            yield FieldProblem(place, f"Expected {test[1]}.")
    if DERIVE_KEYWORD in schema and not may_derive:
        message = "Only the value itself and members under properties can be derived."
        yield FieldProblem(f"{path}.{DERIVE_KEYWORD}", message)
    yield from _members_agree(schema, path)
    for place, child, child_may_derive in _children(schema, path):
        yield from dimension_schema_problems(
            child, place, may_derive=may_derive and child_may_derive
        )


def dimension_value_schema(schema: JsonObject) -> dict[str, JsonValue]:
    """The part of `schema` that a value must fit: without labels, texts and `x-derive`.

    What is left is plain JSON Schema, whose `title` may not be one text per locale.
    """
    shown: dict[str, JsonValue] = {}
    for keyword, value in schema.items():
        if keyword in _LABELS:
            continue
        if keyword == "properties" and is_object(value):
            shown[keyword] = {name: _value_schema(child) for name, child in value.items()}
        elif keyword in ("items", "additionalProperties"):
            shown[keyword] = _value_schema(value)
        else:
            shown[keyword] = value
    return shown


def _value_schema(value: JsonValue) -> JsonValue:
    return dimension_value_schema(value) if is_object(value) else value


def _children(schema: JsonObject, path: str) -> Iterator[tuple[str, JsonObject, bool]]:
    properties = schema.get("properties")
    for name, child in properties.items() if is_object(properties) else ():
        if is_object(child):
            yield f"{path}.properties.{name}", child, True
    for keyword in ("items", "additionalProperties"):
        child = schema.get(keyword)
        if is_object(child):
            yield f"{path}.{keyword}", child, False


def _members_agree(schema: JsonObject, path: str) -> Iterator[FieldProblem]:
    required, properties = schema.get("required"), schema.get("properties")
    declared = properties if is_object(properties) else {}
    for name in required if is_array(required) else ():
        if isinstance(name, str) and name not in declared:
            yield FieldProblem(f"{path}.required", f"{name!r} is not declared in properties.")
    labels, members = schema.get("x-enumLabels"), schema.get("enum")
    known = [_label_key(member) for member in members] if is_array(members) else []
    for name in labels if is_object(labels) else ():
        if name not in known:
            yield FieldProblem(f"{path}.x-enumLabels", f"{name!r} is no member of enum.")


def _label_key(member: JsonValue) -> str:
    return member if isinstance(member, str) else json_text(member)


def _is_type(value: JsonValue) -> bool:
    if isinstance(value, str):
        return value in VALUE_TYPES
    return is_array(value) and bool(value) and all(item in VALUE_TYPES for item in value)


def _is_text(value: JsonValue) -> bool:
    """A text, or one text per locale."""
    if isinstance(value, str):
        return True
    return is_object(value) and all(isinstance(text, str) for text in value.values())


def _is_count(value: JsonValue) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_schema_map(value: JsonValue) -> bool:
    return is_object(value) and all(is_object(child) for child in value.values())


def _is_text_list(value: JsonValue) -> bool:
    return is_array(value) and all(isinstance(item, str) for item in value)


def _is_labels(value: JsonValue) -> bool:
    return is_object(value) and all(_is_text(label) for label in value.values())


_Test = Callable[[JsonValue], bool]
_NUMBER: tuple[_Test, str] = (is_number, "a number")
_COUNT: tuple[_Test, str] = (_is_count, "a whole number of at least 0")

_KEYWORDS: Mapping[str, tuple[_Test, str]] = MappingProxyType(
    {
        "type": (_is_type, f"one of {', '.join(VALUE_TYPES)}, or a list of them"),
        "title": (_is_text, "text, or one text per locale"),
        "description": (_is_text, "text, or one text per locale"),
        "enum": (lambda value: is_array(value) and bool(value), "a list of values"),
        "const": (lambda value: True, "a value"),
        "minimum": _NUMBER,
        "maximum": _NUMBER,
        "exclusiveMinimum": _NUMBER,
        "exclusiveMaximum": _NUMBER,
        "minLength": _COUNT,
        "maxLength": _COUNT,
        "items": (is_object, "one schema"),
        "minItems": _COUNT,
        "maxItems": _COUNT,
        "properties": (_is_schema_map, "one schema per name"),
        "required": (_is_text_list, "a list of names"),
        "additionalProperties": (
            lambda value: isinstance(value, bool) or is_object(value),
            "true, false or a schema",
        ),
        "x-i18n": (lambda value: isinstance(value, bool), "true or false"),
        "x-enumLabels": (_is_labels, "one label per member of enum"),
        DERIVE_KEYWORD: (is_object, "an object"),
    }
)
