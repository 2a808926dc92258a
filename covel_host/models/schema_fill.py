"""A value that satisfies a JSON Schema, chosen the same way every time (spec/decisions.md 6).

For each member: the payload's value of that name, else the schema's default, its example, the first
enum value, and at last the smallest valid value. Required members are filled, others only where
the payload names them. Schemas are read, not enforced: a schema whose parts contradict each other,
or a pattern no simple text meets, gets a near miss, which the tool then refuses like any other.
"""

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from plugin_sdk.values import JsonValue

_MAX_DEPTH = 12

_FORMATS = {
    "date-time": "2000-01-01T00:00:00Z",
    "date": "2000-01-01",
    "time": "00:00:00Z",
    "email": "name@example.com",
    "uri": "https://example.com/",
    "url": "https://example.com/",
    "uuid": "00000000-0000-4000-8000-000000000000",
    "ipv4": "192.0.2.1",
    "hostname": "example.com",
}

# Texts that meet most patterns of names, keys and numbers; short, so that matching stays cheap.
_PATTERN_TEXTS = (
    "a",
    "a-1",
    "a1",
    "A",
    "0",
    "1",
    "aa",
    "00",
    "a.b",
    "#000000",
    "a/b",
    "2000-01-01",
)

_TYPE_OF = {
    bool: ("boolean",),
    int: ("integer", "number"),
    float: ("number",),
    str: ("string",),
    list: ("array",),
    dict: ("object",),
    type(None): ("null",),
}


def fill_schema(schema: Mapping[str, JsonValue], payload: Mapping[str, JsonValue]) -> JsonValue:
    """The value for `schema`; an object schema without members gives `{}`.

    Args:
        schema: one JSON Schema, its references inside itself (`#/$defs/…`).
        payload: values by member name, used at any depth where their type fits.
    """
    return _Filler(schema, payload).value(schema, 0)


class _Filler:
    def __init__(self, root: Mapping[str, Any], payload: Mapping[str, JsonValue]) -> None:
        self._root = root
        self._payload = payload

    def value(self, schema: Any, depth: int) -> JsonValue:
        if not isinstance(schema, Mapping) or depth > _MAX_DEPTH:
            return None
        schema = self._resolved(schema)
        stated, found = _stated(schema)
        if stated:
            return found
        kind = _type(schema)
        if kind == "object":
            return self._object(schema, depth)
        if kind == "array":
            return self._array(schema, depth)
        return _SMALLEST[kind](schema)

    def _resolved(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """`schema` with its reference followed, `allOf` merged and the first branch taken."""
        for _ in range(_MAX_DEPTH):
            if isinstance(reference := schema.get("$ref"), str):
                schema = {**self._target(reference), **_without(schema, "$ref")}
            elif branches := schema.get("allOf"):
                parts = [self._resolved(branch) for branch in branches]
                schema = _merged([*parts, _without(schema, "allOf")])
            elif "default" in schema or "const" in schema:
                return schema
            elif branches := schema.get("anyOf") or schema.get("oneOf"):
                schema = {**_without(schema, "anyOf", "oneOf"), **branches[0]}
            else:
                return schema
        return schema

    def _target(self, reference: str) -> Mapping[str, Any]:
        node: Any = self._root
        for part in reference.removeprefix("#").split("/")[1:]:
            key = part.replace("~1", "/").replace("~0", "~")
            node = node.get(key, {}) if isinstance(node, Mapping) else {}
        return node if isinstance(node, Mapping) else {}

    def _object(self, schema: Mapping[str, Any], depth: int) -> dict[str, JsonValue]:
        members = schema.get("properties") or {}
        required = schema.get("required") or []
        filled: dict[str, JsonValue] = {}
        for name, member in members.items():
            if self._payload_fits(name, member):
                filled[name] = self._payload[name]
            elif name in required:
                filled[name] = self.value(member, depth + 1)
        for name in required:
            if name not in members:
                filled[name] = self._payload.get(name)
        return filled

    def _payload_fits(self, name: str, member: Any) -> bool:
        if name not in self._payload or not isinstance(member, Mapping):
            return False
        types = _TYPE_OF[type(self._payload[name])]
        return any(
            not (kinds := _types(branch)) or any(kind in kinds for kind in types)
            for branch in self._branches(member)
        )

    def _branches(self, schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        if isinstance(reference := schema.get("$ref"), str):
            return [self._target(reference)]
        branches = schema.get("anyOf") or schema.get("oneOf")
        if not branches:
            return [schema]
        return [self._target(branch["$ref"]) if "$ref" in branch else branch for branch in branches]

    def _array(self, schema: Mapping[str, Any], depth: int) -> list[JsonValue]:
        count = int(schema.get("minItems") or 0)
        heads = list(schema.get("prefixItems") or [])[:count]
        filled = [self.value(head, depth + 1) for head in heads]
        items = schema.get("items")
        choices = items.get("enum") if isinstance(items, Mapping) else None
        while len(filled) < count:
            if choices and schema.get("uniqueItems"):
                filled.append(choices[len(filled) % len(choices)])
            else:
                filled.append(self.value(items, depth + 1))
        return filled


def _stated(schema: Mapping[str, Any]) -> tuple[bool, JsonValue]:
    for key in ("const", "default"):
        if key in schema:
            return True, schema[key]
    for key in ("examples", "enum"):
        if isinstance(values := schema.get(key), list) and values:
            return True, values[0]
        if key == "examples" and "example" in schema:
            return True, schema["example"]
    return False, None


def _types(schema: Mapping[str, Any]) -> list[str]:
    kinds = schema.get("type")
    return [kinds] if isinstance(kinds, str) else list(kinds or [])


def _type(schema: Mapping[str, Any]) -> str:
    kinds = _types(schema)
    if kinds:
        return kinds[0] if kinds[0] in ("object", "array") or kinds[0] in _SMALLEST else "null"
    return "object" if "properties" in schema or "required" in schema else "null"


def _without(schema: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key not in keys}


def _merged(parts: list[Mapping[str, Any]]) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for part in parts:
        for key, value in part.items():
            if key == "properties":
                merged[key] = {**merged.get(key, {}), **value}
            elif key == "required":
                merged[key] = [*merged.get(key, []), *value]
            else:
                merged[key] = value
    return merged


def _text(schema: Mapping[str, Any]) -> str:
    if (known := _FORMATS.get(str(schema.get("format")))) is not None:
        return known
    shortest = int(schema.get("minLength") or 0)
    longest = schema.get("maxLength")
    pattern = schema.get("pattern")
    if not isinstance(pattern, str):
        return "x" * shortest
    fitting = (text + text[-1] * (shortest - len(text)) for text in _PATTERN_TEXTS)
    return next(
        (
            text
            for text in fitting
            if (longest is None or len(text) <= longest) and _matches(pattern, text)
        ),
        "x" * shortest,
    )


def _matches(pattern: str, text: str) -> bool:
    try:
        return len(text) <= 64 and re.search(pattern, text) is not None
    except re.error:
        return False


def _number(schema: Mapping[str, Any], *, step: float) -> float:
    low = schema.get("minimum")
    if (above := schema.get("exclusiveMinimum")) is not None:
        low = above + step
    high = schema.get("maximum")
    if (below := schema.get("exclusiveMaximum")) is not None:
        high = below - step
    value: float = 0
    if low is not None and low > 0:
        value = low
    elif high is not None and high < 0:
        value = high
    multiple = schema.get("multipleOf")
    return math.ceil(value / multiple) * multiple if multiple else value


def _integer(schema: Mapping[str, Any]) -> int:
    return math.ceil(_number(schema, step=1))


_SMALLEST: dict[str, Callable[[Mapping[str, Any]], JsonValue]] = {
    "string": _text,
    "integer": _integer,
    "number": lambda schema: _number(schema, step=0.5),
    "boolean": lambda schema: False,
    "null": lambda schema: None,
}
