"""Fields derived from the world clock: what an `x-derive` may say, and what it comes to.

Spec: spec/world.md 3.5.
"""

from __future__ import annotations

from collections.abc import Iterator

from plugin_sdk.errors import FieldProblem
from plugin_sdk.rules._json import JsonObject, is_array, is_number, is_object, json_text
from plugin_sdk.rules.dimension_derived import DERIVE_KEYWORD, derived_paths
from plugin_sdk.rules.dimension_paths import Segments, look_up
from plugin_sdk.rules.dimension_updates import SchemaCheck
from plugin_sdk.values import JsonValue

CLOCK_SOURCE = "clock.elapsedSinceStart"

_MEMBERS = ("source", "start", "perUnit", "min", "max", "ranges")
_NUMBERS = ("start", "perUnit", "min", "max")
_RANGE_MEMBERS = ("from", "to", "value")
_SCALARS = ("string", "number", "integer", "boolean")


def derived_value(field_schema: JsonObject, elapsed: int | float) -> JsonValue:
    """What a field with `x-derive` is when the clock has moved `elapsed` base units.

    None when no range contains the number; a checked declaration that ends with an open range has
    a value for every number.
    """
    derive = field_schema[DERIVE_KEYWORD]
    assert is_object(derive)
    number = _number(derive, "start", 0) + _number(derive, "perUnit", 1) * elapsed
    if is_number(low := derive.get("min")):
        number = max(number, low)
    if is_number(high := derive.get("max")):
        number = min(number, high)
    ranges = derive.get("ranges")
    if is_array(ranges):
        return next((entry["value"] for entry in _fitting(ranges, number)), None)
    return round(number) if field_schema.get("type") == "integer" else number


def derivation_problems(
    schema: JsonObject, initial: JsonValue, check: SchemaCheck
) -> list[FieldProblem]:
    """What is wrong with the `x-derive` of a checked schema; `initial` is the initial value."""
    problems = []
    for path in derived_paths(schema):
        field = _field(schema, path)
        place = ".".join(["schema", *(f"properties.{name}" for name in path), DERIVE_KEYWORD])
        found = list(_problems(field, place, check))
        if not found:
            found = list(_start_problems(field, path, initial))
        problems += found
    return problems


def _problems(field: JsonObject, place: str, check: SchemaCheck) -> Iterator[FieldProblem]:
    derive = field[DERIVE_KEYWORD]
    assert is_object(derive)
    for member in derive:
        if member not in _MEMBERS:
            yield FieldProblem(f"{place}.{member}", f"Known are {', '.join(_MEMBERS)}.")
    if derive.get("source") != CLOCK_SOURCE:
        yield FieldProblem(f"{place}.source", f"The only source is {CLOCK_SOURCE!r}.")
    for member in _NUMBERS:
        if member in derive and not is_number(derive[member]):
            yield FieldProblem(f"{place}.{member}", "Expected a number.")
    if field.get("type") not in _SCALARS:
        yield FieldProblem(place, f"A derived field has one type of {', '.join(_SCALARS)}.")
    elif field.get("type") in ("string", "boolean") and "ranges" not in derive:
        yield FieldProblem(place, "A text or a truth value is derived by ranges.")
    if field.get("x-i18n") is True:
        yield FieldProblem(place, "A translatable text cannot be derived.")
    yield from _bound_problems(field, derive, place)
    if "ranges" in derive:
        yield from _range_problems(field, derive["ranges"], f"{place}.ranges", check)


def _bound_problems(field: JsonObject, derive: JsonObject, place: str) -> Iterator[FieldProblem]:
    low, high = field.get("minimum"), field.get("maximum")
    for member in ("min", "max"):
        value = derive.get(member)
        if is_number(value) and (
            (is_number(low) and value < low) or (is_number(high) and value > high)
        ):
            message = f"{value} lies outside the field's minimum and maximum."
            yield FieldProblem(f"{place}.{member}", message)


def _range_problems(
    field: JsonObject, ranges: JsonValue, place: str, check: SchemaCheck
) -> Iterator[FieldProblem]:
    if not is_array(ranges) or not ranges:
        yield FieldProblem(place, "Expected a list of ranges.")
        return
    allowed = {key: value for key, value in field.items() if key != DERIVE_KEYWORD}
    for index, entry in enumerate(ranges):
        where = f"{place}.{index}"
        if not is_object(entry) or "value" not in entry or not set(entry) <= set(_RANGE_MEMBERS):
            yield FieldProblem(where, "Expected an object with value, and from and to if needed.")
            continue
        for end in ("from", "to"):
            if end in entry and not is_number(entry[end]):
                yield FieldProblem(f"{where}.{end}", "Expected a number.")
        for sentence in check(allowed, entry["value"]):
            yield FieldProblem(f"{where}.value", sentence)


def _start_problems(
    field: JsonObject, path: Segments, initial: JsonValue
) -> Iterator[FieldProblem]:
    _, given = look_up(initial, path)
    expected = derived_value(field, 0)
    if given != expected or isinstance(given, bool) != isinstance(expected, bool):
        message = (
            f"The clock derives {json_text(expected)} at its start; the initial value there is "
            f"{json_text(given)}."
        )
        yield FieldProblem(".".join(["initialValue", *path]), message)


def _field(schema: JsonObject, path: Segments) -> JsonObject:
    for name in path:
        properties = schema["properties"]
        assert is_object(properties)
        child = properties[name]
        assert is_object(child)
        schema = child
    return schema


def _fitting(ranges: list[JsonValue], number: int | float) -> Iterator[JsonObject]:
    for entry in ranges:
        if not is_object(entry):
            continue
        low, high = entry.get("from"), entry.get("to")
        if (not is_number(low) or number >= low) and (not is_number(high) or number <= high):
            yield entry


def _number(derive: JsonObject, member: str, default: int) -> int | float:
    value = derive.get(member)
    return value if is_number(value) else default
