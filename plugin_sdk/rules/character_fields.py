"""Which attribute values a character may have, and its start values.

Seed: sync-characters (属性怎么校验), character.schema.set; spec/world.md 2.4, 2.5.
A schema is `{types: [text], attributes: [{id, type, …}]}` as a session stores it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from plugin_sdk.errors import (
    FIX_FIELDS_HINT,
    CharacterFieldValidationError,
    FieldProblem,
    ToolValidationError,
    problems_message,
)
from plugin_sdk.rules._json import (
    JsonObject,
    is_array,
    is_number,
    is_object,
    json_copy,
    json_text,
    shorten,
)
from plugin_sdk.values import JsonValue

PLAYER_TYPE = "player"
"""The reserved type of player characters; a schema never lists it."""

DEFAULT_TYPES = ("npc", "companion")

_SHOWN_VALUE_LENGTH = 80


def merge_schema_defaults(
    schema: JsonObject | None, fields: JsonObject | None
) -> dict[str, JsonValue]:
    """`fields` with the default of every declared attribute that they leave out.

    A default that breaks its own attribute is not written. Defaults belong to top-level
    attributes; those of `subSchema` children are not filled in. Declared attributes with a default
    come first, in the schema's order. Nothing is shared with the arguments.
    """
    given = fields or {}
    start = {
        key: attribute["defaultValue"]
        for key, attribute in _declared(schema).items()
        if "defaultValue" in attribute
        and not any(_problems(attribute["defaultValue"], attribute, key))
    }
    return {key: json_copy(value) for key, value in {**start, **given}.items()}


def assert_character_fields(fields: JsonObject, schema: JsonObject | None) -> tuple[str, ...]:
    """The keys of `fields` that the schema does not declare, in order; they are allowed and kept.

    Every declared attribute that is present is checked, whether `fields` are the whole of a new
    character or the patch of an old one. Numbers are finite numbers, never text, null or a boolean.

    Raises:
        CharacterFieldValidationError: `details` holds one problem per wrong value; its path starts
            with the attribute's ID (`gear.weight`, `bag.1`).
    """
    declared = _declared(schema)
    problems = [
        problem
        for key, value in fields.items()
        if key in declared
        for problem in _problems(value, declared[key], key)
    ]
    if problems:
        raise CharacterFieldValidationError(
            problems_message(problems), hint=FIX_FIELDS_HINT, details=problems
        )
    return tuple(key for key in fields if key not in declared)


def character_types(schema: JsonObject | None) -> tuple[str, ...]:
    """The types a character may have: `player`, then those of the schema.

    Without a schema, or where it lists no types, those are `npc` and `companion`
    (spec/world.md 2.2).
    """
    types = (schema or {}).get("types")
    listed = types if is_array(types) else DEFAULT_TYPES
    named = [item for item in listed if isinstance(item, str)]
    return (PLAYER_TYPE, *(item for item in named if item != PLAYER_TYPE))


def assert_character_type(character_type: str, schema: JsonObject | None) -> None:
    """Pass when a character may have `character_type`.

    Raises:
        ToolValidationError: The type is not declared; the message lists those that are.
    """
    allowed = character_types(schema)
    if character_type not in allowed:
        known = ", ".join(allowed)
        message = f"Character type {character_type!r} is not declared. Use one of: {known}."
        raise ToolValidationError(message)


def assert_schema_fits_characters(schema: JsonObject, characters: Iterable[JsonObject]) -> None:
    """Pass when `schema` may become the schema of a session that has `characters`.

    Raises:
        ToolValidationError: A character has an undeclared type or a value that breaks an attribute;
            the message names the characters (seed: character.schema.set).
    """
    problems = [problem for character in characters for problem in _misfits(character, schema)]
    if problems:
        raise ToolValidationError(problems_message(problems), details=problems)


def describe_character_fields(schema: JsonObject | None) -> str:
    """The field constraints for a tool description, one attribute per line.

    Types, bounds, options, element types and nesting; no names, descriptions or defaults. Empty
    without declared attributes.
    """
    attributes = _declared(schema).items()
    return "\n".join(f"- {key}: {_shape(attribute)}" for key, attribute in attributes)


def _misfits(character: JsonObject, schema: JsonObject) -> Iterator[FieldProblem]:
    character_id, character_type = str(character.get("id")), character.get("type")
    if character_type not in character_types(schema):
        problem = f"{character.get('name')!r} has the undeclared type {character_type!r}."
        yield FieldProblem(character_id, problem)
    fields, declared = character.get("fields"), _declared(schema)
    for key, value in fields.items() if is_object(fields) else ():
        if key in declared:
            yield from _problems(value, declared[key], f"{character_id}.{key}")


def _declared(schema: JsonObject | None) -> dict[str, JsonObject]:
    return _by_id((schema or {}).get("attributes"))


def _by_id(attributes: JsonValue) -> dict[str, JsonObject]:
    listed = attributes if is_array(attributes) else []
    return {
        str(attribute["id"]): attribute
        for attribute in listed
        if is_object(attribute) and "id" in attribute
    }


def _problems(value: JsonValue, attribute: JsonObject, path: str) -> Iterator[FieldProblem]:
    check = _CHECKS.get(str(attribute.get("type")))
    return check(value, attribute, path) if check else iter(())


def _wrong(value: JsonValue, expected: str, path: str) -> FieldProblem:
    shown = shorten(json_text(value), _SHOWN_VALUE_LENGTH)
    return FieldProblem(path, f"Expected {expected}, got {shown}.")


def _check_string(value: JsonValue, attribute: JsonObject, path: str) -> Iterator[FieldProblem]:
    if not isinstance(value, str):
        yield _wrong(value, "text", path)


def _check_boolean(value: JsonValue, attribute: JsonObject, path: str) -> Iterator[FieldProblem]:
    if not isinstance(value, bool):
        yield _wrong(value, "true or false", path)


def _check_number(value: JsonValue, attribute: JsonObject, path: str) -> Iterator[FieldProblem]:
    low, high = attribute.get("min"), attribute.get("max")
    outside = is_number(value) and (
        (is_number(low) and value < low) or (is_number(high) and value > high)
    )
    if outside or not is_number(value):
        yield _wrong(value, _number_shape(attribute), path)


def _check_enum(value: JsonValue, attribute: JsonObject, path: str) -> Iterator[FieldProblem]:
    options = attribute.get("options")
    if not isinstance(value, str) or (is_array(options) and options and value not in options):
        yield _wrong(value, _enum_shape(attribute), path)


def _check_array(value: JsonValue, attribute: JsonObject, path: str) -> Iterator[FieldProblem]:
    if not is_array(value):
        yield _wrong(value, "an array", path)
        return
    item = {"type": attribute.get("itemType") or "string"}
    for index, entry in enumerate(value):
        yield from _problems(entry, item, f"{path}.{index}")


def _check_object(value: JsonValue, attribute: JsonObject, path: str) -> Iterator[FieldProblem]:
    if not is_object(value):
        yield _wrong(value, "an object", path)
        return
    for key, child in _by_id(attribute.get("subSchema")).items():
        if key in value:
            yield from _problems(value[key], child, f"{path}.{key}")


def _check_map(value: JsonValue, attribute: JsonObject, path: str) -> Iterator[FieldProblem]:
    if not is_object(value):
        yield _wrong(value, "an object", path)
        return
    entry_shape = {"type": attribute.get("valueType") or "string"}
    for key, entry in value.items():
        yield from _problems(entry, entry_shape, f"{path}.{key}")


_CHECKS: Mapping[str, Callable[[JsonValue, JsonObject, str], Iterator[FieldProblem]]] = {
    "string": _check_string,
    "number": _check_number,
    "boolean": _check_boolean,
    "enum": _check_enum,
    "array": _check_array,
    "object": _check_object,
    "map": _check_map,
}


def _shape(attribute: JsonObject) -> str:
    """How a tool description writes the attribute's values: `array of number`."""
    match attribute.get("type"):
        case "number":
            return _number_shape(attribute)
        case "enum":
            return _enum_shape(attribute)
        case "array":
            return f"array of {attribute.get('itemType') or 'string'}"
        case "map":
            return f"map of text to {attribute.get('valueType') or 'string'}"
        case "object":
            children = _by_id(attribute.get("subSchema")).items()
            inner = ", ".join(f"{key}: {_shape(child)}" for key, child in children)
            return f"object {{{inner}}}" if inner else "object"
        case other:
            return str(other)


def _number_shape(attribute: JsonObject) -> str:
    low, high = attribute.get("min"), attribute.get("max")
    if is_number(low) and is_number(high):
        return f"a number from {low} to {high}"
    if is_number(low):
        return f"a number of at least {low}"
    return f"a number of at most {high}" if is_number(high) else "a number"


def _enum_shape(attribute: JsonObject) -> str:
    options = attribute.get("options")
    listed = ", ".join(map(json_text, options)) if is_array(options) else ""
    return f"one of {listed}" if listed else "text"
