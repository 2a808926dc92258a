"""Fields that the world clock computes: where they are, hidden and kept.

Seed: update-dimensions (由时钟推导的字段); spec/world.md 3.5.
"""

from __future__ import annotations

from collections.abc import Sequence

from plugin_sdk.rules._json import JsonObject, is_object, json_copy
from plugin_sdk.rules.dimension_paths import Segments, look_up
from plugin_sdk.values import JsonValue

DERIVE_KEYWORD = "x-derive"


def derived_paths(schema: JsonValue | JsonObject) -> tuple[Segments, ...]:
    """The places that the clock computes; `()` among them means the whole value.

    Only the value itself and what `properties` alone lead to can be derived.
    """
    if not is_object(schema):
        return ()
    if DERIVE_KEYWORD in schema:
        return ((),)
    properties = schema.get("properties")
    return tuple(
        (name, *rest)
        for name, child in (properties.items() if is_object(properties) else ())
        for rest in derived_paths(child)
    )


def restore_derived(value: JsonValue, current: JsonValue, derived: Sequence[Segments]) -> JsonValue:
    """`value`, changed in place, with the `current` value at every derived place.

    Objects that are missing on the way are made, because the fields below them are the clock's and
    not the model's to remove; a field that `current` lacks is removed.
    """
    for path in derived:
        found, now = look_up(current, path)
        if not path:
            return json_copy(now)
        parent = value
        for name in path[:-1]:
            if found and isinstance(parent, dict):
                parent.setdefault(name, {})
            _, parent = look_up(parent, (name,))
        if isinstance(parent, dict):
            parent.pop(path[-1], None)
            if found:
                parent[path[-1]] = json_copy(now)
    return value


def hide_derived_value(schema: JsonValue, value: JsonValue) -> JsonValue:
    """A copy of `value` without the derived fields; None when the whole value is derived."""
    return restore_derived(json_copy(value), None, derived_paths(schema))


def hide_derived_schema(schema: JsonObject) -> dict[str, JsonValue] | None:
    """A copy of `schema` without the derived fields; None when the whole value is derived."""
    if DERIVE_KEYWORD in schema:
        return None
    shown = {key: json_copy(value) for key, value in schema.items()}
    properties = schema.get("properties")
    if not is_object(properties):
        return shown
    kept: dict[str, JsonValue] = {}
    for name, child in properties.items():
        visible = hide_derived_schema(child) if is_object(child) else json_copy(child)
        if visible is not None:
            kept[name] = visible
    shown["properties"] = kept
    required = schema.get("required")
    if isinstance(required, (list, tuple)):
        shown["required"] = [name for name in required if name not in properties or name in kept]
    return shown
