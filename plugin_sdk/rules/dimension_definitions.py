"""What a dimension may be declared as, and the declaration in one language.

Seed: dimension.initialize by its provider; spec/world.md 3.1-3.3. World files and proposals are
checked by this same rule.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from plugin_sdk.errors import FieldProblem
from plugin_sdk.rules._json import JsonObject, is_array, is_object, json_copy
from plugin_sdk.rules.dimension_derivations import derivation_problems
from plugin_sdk.rules.dimension_derived import derived_paths
from plugin_sdk.rules.dimension_schemas import dimension_schema_problems
from plugin_sdk.rules.dimension_updates import SchemaCheck
from plugin_sdk.rules.i18n import resolve_i18n_text
from plugin_sdk.values import JsonValue

MAX_DEPTH = 32
MAX_NODES = 10_000
MAX_BYTES = 262_144
"""Limits of a value and of a definition, as compact JSON in UTF-8."""

_ID = re.compile(r"[a-z][a-zA-Z0-9_-]{0,63}")
_FORBIDDEN_IDS = frozenset({"__proto__", "constructor", "prototype"})
_REQUIRED = ("name", "schema", "initialValue")
_MEMBERS = (*_REQUIRED, "description", "updateRule")


def dimension_definition_problems(
    dimension_id: str, definition: JsonObject, check: SchemaCheck
) -> tuple[FieldProblem, ...]:
    """What is wrong with a definition that `resolve_dimension_definition` gave; empty if nothing.

    `check(schema, value)` says what is wrong with a value, one sentence each; it is given schemas
    that passed. A path is dotted from the definition, `""` for its ID.
    """
    shape = tuple(_shape_problems(dimension_id, definition))
    if shape:
        return shape
    schema = definition["schema"]
    assert is_object(schema)
    problems = tuple(dimension_schema_problems(schema))
    if problems:
        return problems
    initial = definition["initialValue"]
    found = [FieldProblem("initialValue", sentence) for sentence in check(schema, initial)]
    found += derivation_problems(schema, initial, check)
    if () in derived_paths(schema) and definition.get("updateRule"):
        message = "A dimension that the clock derives as a whole has no rule; leave it out."
        found.append(FieldProblem("updateRule", message))
    return tuple(found)


def resolve_dimension_definition(definition: JsonObject, locale: str) -> dict[str, JsonValue]:
    """A copy of `definition` whose translatable values and rule are plain text in `locale`.

    Only text nodes marked `x-i18n` of the initial value and `updateRule` are resolved; labels stay
    as they are (spec/world.md 3.3). What is not as it should be stays for the check to find.
    """
    resolved = {key: json_copy(value) for key, value in definition.items()}
    if "initialValue" in resolved:
        resolved["initialValue"] = _in_locale(
            resolved["initialValue"], definition.get("schema"), locale
        )
    if _is_locale_map(resolved.get("updateRule")):
        resolved["updateRule"] = _one_text(resolved["updateRule"], locale)
    return resolved


def dimension_value_problem(value: JsonValue) -> str | None:
    """Why a value or a definition is too big for a dimension; None when it is not."""
    nodes, deepest, rest = 0, 0, [(value, 1)]
    while rest:
        node, depth = rest.pop()
        nodes, deepest = nodes + 1, max(deepest, depth)
        if nodes > MAX_NODES:
            return f"It has more than {MAX_NODES} parts."
        if deepest > MAX_DEPTH:
            return f"It is nested deeper than {MAX_DEPTH} levels."
        if is_object(node):
            rest.extend((child, depth + 1) for child in node.values())
        elif is_array(node):
            rest.extend((child, depth + 1) for child in node)
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=dict)
    size_bytes = len(text.encode("utf-8", "surrogatepass"))
    if size_bytes <= MAX_BYTES:
        return None
    return f"It has {size_bytes} bytes; the limit is {MAX_BYTES}."


def _shape_problems(dimension_id: str, definition: JsonObject) -> Iterator[FieldProblem]:
    if not _ID.fullmatch(dimension_id) or dimension_id in _FORBIDDEN_IDS:
        message = (
            f"{dimension_id!r} is no dimension ID. Begin with a lower-case letter; letters, "
            "digits, '-' and '_' may follow, 64 characters at most."
        )
        yield FieldProblem("", message)
    for member in definition:
        if member not in _MEMBERS:
            yield FieldProblem(member, f"Not known here. Known are {', '.join(_MEMBERS)}.")
    for member in _REQUIRED:
        if member not in definition:
            yield FieldProblem(member, "This field is required.")
    for member in ("name", "description", "updateRule"):
        value = definition.get(member)
        if member in definition and not isinstance(value, str) and not _is_locale_map(value):
            yield FieldProblem(member, "Expected text, or one text per locale.")
    if "schema" in definition and not is_object(definition["schema"]):
        yield FieldProblem("schema", "Expected an object.")
    if (problem := dimension_value_problem(json_copy(definition))) is not None:
        yield FieldProblem("", problem)


def _in_locale(value: JsonValue, schema: JsonValue, locale: str) -> JsonValue:
    """`value`, its own copy, with one text at every node that `schema` marks translatable."""
    if not is_object(schema):
        return value
    if schema.get("x-i18n") is True and _is_locale_map(value):
        return _one_text(value, locale)
    if isinstance(value, list):
        return [_in_locale(item, schema.get("items"), locale) for item in value]
    if not isinstance(value, dict):
        return value
    declared, others = schema.get("properties"), schema.get("additionalProperties")
    named = declared if is_object(declared) else {}
    return {key: _in_locale(item, named.get(key, others), locale) for key, item in value.items()}


def _is_locale_map(value: JsonValue) -> bool:
    texts = value.values() if is_object(value) else ()
    return bool(texts) and all(isinstance(text, str) for text in texts)


def _one_text(value: JsonValue, locale: str) -> str:
    assert is_object(value)
    texts = {key: text for key, text in value.items() if isinstance(text, str)}
    return resolve_i18n_text(texts, locale)
