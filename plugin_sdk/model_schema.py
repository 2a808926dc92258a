"""JSON Schemas as they are shown to a model."""

import re
from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue

# An odd number of backslashes: the last one escapes the `p`.
_UNICODE_PROPERTY = re.compile(r"(?<!\\)(?:\\\\)*\\[pP]")

_SCHEMA_KEYS = frozenset(
    {
        "additionalItems",
        "additionalProperties",
        "contains",
        "contentSchema",
        "else",
        "if",
        "items",
        "not",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)
_SCHEMA_LIST_KEYS = frozenset({"allOf", "anyOf", "items", "oneOf", "prefixItems"})
_SCHEMA_MAP_KEYS = frozenset(
    {"$defs", "definitions", "dependentSchemas", "patternProperties", "properties"}
)


class _PlainJsonSchema(GenerateJsonSchema):
    """Leaves out the titles pydantic makes up and does not warn about what it leaves out."""

    # Declared by pydantic as an instance attribute, which a ClassVar cannot override.
    ignored_warning_kinds = {"skipped-choice", "non-serializable-default"}  # noqa: RUF012

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def schema_of(adapter: TypeAdapter[Any]) -> dict[str, Any]:
    """The schema of what `adapter` accepts as JSON, definitions under `$defs` at the root.

    Raises:
        pydantic.errors.PydanticInvalidForJsonSchema: some part has no JSON Schema.
    """
    schema = _inline_root(adapter.json_schema(schema_generator=_PlainJsonSchema))
    schema.pop("title", None)
    for name, definition in schema.get("$defs", {}).items():
        if definition.get("title") == name:
            del definition["title"]
    return schema


def model_facing_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """`schema` without the patterns that providers refuse; a copy, the argument is left alone.

    Patterns with `\\p{…}` are dropped wherever a schema may stand, because JSON Schema patterns
    have no flags and a provider that checks them refuses the whole request (seed: 模型写错的参数
    JSON).
    Values are still checked against the whole pattern.
    """
    result: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "pattern" and isinstance(value, str) and has_unicode_property(value):
            continue
        result[key] = _model_facing_member(key, value)
    return _without_unicode_keys(result)


def has_unicode_property(pattern: str) -> bool:
    """Whether a regular expression uses a Unicode property escape such as `\\p{Letter}`."""
    return _UNICODE_PROPERTY.search(pattern) is not None


def _model_facing_member(key: str, value: Any) -> Any:
    if key in _SCHEMA_MAP_KEYS and isinstance(value, Mapping):
        return {name: _model_facing(schema) for name, schema in value.items()}
    if key in _SCHEMA_LIST_KEYS and isinstance(value, list):
        return [_model_facing(schema) for schema in value]
    if key in _SCHEMA_KEYS:
        return _model_facing(value)
    return value


def _model_facing(schema: Any) -> Any:
    return model_facing_schema(schema) if isinstance(schema, Mapping) else schema


def _without_unicode_keys(schema: dict[str, Any]) -> dict[str, Any]:
    patterns = schema.get("patternProperties")
    if not isinstance(patterns, dict) or not any(map(has_unicode_property, patterns)):
        return schema
    kept = {name: part for name, part in patterns.items() if not has_unicode_property(name)}
    dropped = [part for name, part in patterns.items() if name not in kept]
    # The dropped pattern is what let these members in, so nothing else may shut them out.
    closing = ("patternProperties", "additionalProperties", "unevaluatedProperties")
    result = {key: value for key, value in schema.items() if key not in closing}
    if kept:
        result["patternProperties"] = kept
    if len(dropped) == 1:
        result["additionalProperties"] = dropped[0]
    return result


def _inline_root(schema: JsonSchemaValue) -> dict[str, Any]:
    reference = schema.get("$ref")
    if not isinstance(reference, str) or not reference.startswith("#/$defs/"):
        return dict(schema)
    definitions = schema["$defs"]
    name = reference.removeprefix("#/$defs/").replace("~1", "/").replace("~0", "~")
    beside = {key: value for key, value in schema.items() if key not in ("$ref", "$defs")}
    root = {**definitions[name], **beside}
    others = {key: value for key, value in definitions.items() if key != name}
    if _mentions(reference, [root, others]):
        others = dict(definitions)
        others[name] = {**definitions[name]}
    if others:
        root["$defs"] = others
    return root


def _mentions(reference: str, value: Any) -> bool:
    if isinstance(value, dict):
        return value.get("$ref") == reference or any(
            _mentions(reference, part) for part in value.values()
        )
    return isinstance(value, list) and any(_mentions(reference, part) for part in value)
