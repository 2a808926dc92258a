"""JSON Schema files compiled, with limits, and what records under them can hold."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from covel_host.schemas.compiled import CompiledSchema

MAX_PATTERNS: Final = 64
"""Patterns of one schema: each may take some MB once compiled."""


def compiled_or_reason(value: object, *, may_have_patterns: bool = True) -> "CompiledSchema | str":
    """The compiled schema, or what keeps it from being one, as the rest of a sentence."""
    # Imported here: most packages name no schema, and the engine is slow to import.
    from covel_host.schemas.compiled import SchemaError, compile_schema

    if not isinstance(value, dict | bool):
        return "a JSON Schema is an object, or true or false"
    if may_have_patterns and _patterns(value) > MAX_PATTERNS:
        return f"it has more than {MAX_PATTERNS} patterns"
    try:
        return compile_schema(value)
    except SchemaError as error:
        foreign = _foreign_reference(value)
        if foreign is not None:
            return (
                f"it refers to {foreign!r}; references stay inside the schema file, such as "
                "'#/$defs/name'"
            )
        return str(error)


def text_field_problem(schema: object, name: str) -> str | None:
    """Why a record under `schema` can never have a text in its top-level field `name`.

    Only what the schema plainly says counts; `None` when nothing speaks against it.
    """
    if not isinstance(schema, Mapping):
        return None
    properties = schema.get("properties")
    declared = properties.get(name) if isinstance(properties, Mapping) else None
    if declared is None:
        closed = schema.get("additionalProperties") is False and "patternProperties" not in schema
        composed = any(word in schema for word in ("$ref", "allOf", "anyOf", "oneOf"))
        return "the schema allows no such field" if closed and not composed else None
    if declared is False:
        return "the schema forbids the field"
    kind = declared.get("type") if isinstance(declared, Mapping) else None
    kinds = [kind] if isinstance(kind, str) else kind
    if isinstance(kinds, list) and "string" not in kinds:
        return f"the schema gives it the type {' or '.join(map(repr, kinds))}"
    return None


def _foreign_reference(schema: object) -> str | None:
    """The first `$ref` in `schema` that does not stay in it."""
    for found in _objects(schema):
        reference = found.get("$ref")
        if isinstance(reference, str) and not reference.startswith("#"):
            return reference
    return None


def _patterns(schema: object) -> int:
    count = 0
    for found in _objects(schema):
        named = found.get("patternProperties")
        count += isinstance(found.get("pattern"), str)
        count += len(named) if isinstance(named, dict) else 0
    return count


def _objects(value: object) -> Iterator[dict[str, object]]:
    """Every object inside `value`, outer ones first, without recursion."""
    waiting = [value]
    while waiting:
        found = waiting.pop()
        if isinstance(found, dict):
            yield found
            waiting.extend(reversed(found.values()))
        elif isinstance(found, list):
            waiting.extend(reversed(found))
