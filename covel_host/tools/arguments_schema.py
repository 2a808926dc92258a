"""What a JSON Schema says about one place of the arguments, as far as text fields need it.

A place is described by several schemas at once: the branches of `anyOf` and `oneOf`, the parts of
`allOf`, the targets of local `$ref`s. Where they disagree, "text is allowed" wins
(seed: 模型写错的参数 JSON).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from plugin_sdk.values import JsonValue

Schema: TypeAlias = "Mapping[str, JsonValue]"
Container: TypeAlias = Literal["array", "object"]

_CONTAINERS: tuple[Container, ...] = ("array", "object")
_ALL_TYPES = frozenset({"null", "boolean", "integer", "number", "string", "array", "object"})
_TYPE_NAMES = {
    type(None): "null",
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}


class SchemaPlaces:
    """Reads places of one tool's input schema; `root` resolves its `#/…` references."""

    __slots__ = ("_root",)

    def __init__(self, root: Schema) -> None:
        self._root = root

    def containers(self, schemas: list[Schema]) -> tuple[Container, ...]:
        """The containers allowed where text is not; empty where text is allowed as well."""
        types: frozenset[str] = frozenset().union(*(self._types(schema, ()) for schema in schemas))
        return () if "string" in types else tuple(kind for kind in _CONTAINERS if kind in types)

    def of_member(
        self, schemas: list[Schema], value: Mapping[str, JsonValue], key: str
    ) -> list[Schema]:
        """The schemas of the member `key` of the object `value`.

        Branches that another constant rules out (`{"op": {"const": "put"}}`) have no say.
        """
        fitting = [part for part in self._parts(schemas) if _constants_fit(part, value)]
        declared = [
            properties[key]
            for part in fitting
            if isinstance(properties := part.get("properties"), dict) and key in properties
        ]
        return _schemas(declared or [part.get("additionalProperties") for part in fitting])

    def of_item(self, schemas: list[Schema], index: int) -> list[Schema]:
        """The schemas of the array item at `index`."""
        return _schemas([_item_schema(part, index) for part in self._parts(schemas)])

    def _types(self, schema: Schema, followed: tuple[str, ...]) -> frozenset[str]:
        types = _stated_types(schema)
        target, seen = self._target(schema, followed)
        if target is not None:
            types &= self._types(target, seen)
        for name in ("anyOf", "oneOf"):
            if name in schema:
                branches = _schemas(schema[name])
                types &= frozenset().union(*(self._types(part, followed) for part in branches))
        for part in _schemas(schema.get("allOf")):
            types &= self._types(part, followed)
        return types

    def _parts(self, schemas: list[Schema]) -> list[Schema]:
        """The schemas and all they are made of, each once.

        A recursive schema comes by the same parts on every level of a value: counted anew each
        time, they would double with its depth.
        """
        found: dict[int, Schema] = {}
        waiting = list(schemas)
        while waiting:
            schema = waiting.pop()
            if id(schema) in found:
                continue
            found[id(schema)] = schema
            target, _ = self._target(schema, ())
            waiting += [] if target is None else [target]
            for name in ("anyOf", "oneOf", "allOf"):
                waiting += _schemas(schema.get(name))
        return list(found.values())

    def _target(
        self, schema: Schema, followed: tuple[str, ...]
    ) -> tuple[Schema | None, tuple[str, ...]]:
        reference = schema.get("$ref")
        if not isinstance(reference, str) or reference in followed:
            return None, followed
        if reference == "#":
            return self._root, (*followed, reference)
        if not reference.startswith("#/"):
            return {}, followed
        node: JsonValue = dict(self._root)
        for segment in reference[2:].split("/"):
            name = segment.replace("~1", "/").replace("~0", "~")
            node = node.get(name) if isinstance(node, dict) else None
        return (node if isinstance(node, dict) else {}), (*followed, reference)


def _stated_types(schema: Schema) -> frozenset[str]:
    stated = schema.get("type")
    types = _ALL_TYPES
    if isinstance(stated, str):
        types = frozenset({stated})
    elif isinstance(stated, list):
        types = frozenset(name for name in stated if isinstance(name, str))
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    if isinstance(values, list):
        types &= {_TYPE_NAMES[type(value)] for value in values}
    return types


def _constants_fit(part: Schema, value: Mapping[str, JsonValue]) -> bool:
    properties = part.get("properties")
    if not isinstance(properties, dict):
        return True
    return all(
        value[name] == declared["const"]
        for name, declared in properties.items()
        if name in value and isinstance(declared, dict) and "const" in declared
    )


def _item_schema(part: Schema, index: int) -> JsonValue:
    prefix = part.get("prefixItems")
    if isinstance(prefix, list) and index < len(prefix):
        return prefix[index]
    return part.get("items")


def _schemas(values: object) -> list[Schema]:
    """The schemas among `values`: `true` allows anything, `false` and non-schemas say nothing."""
    if not isinstance(values, list):
        return []
    return [value if isinstance(value, dict) else {} for value in values if _is_schema(value)]


def _is_schema(value: object) -> bool:
    return value is True or isinstance(value, dict)
