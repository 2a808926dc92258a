"""JSON values as the rules meet them: copies without shared references, plain numbers, short texts.

A rule may be given a frozen view instead of plain objects, so a mapping counts as an object and a
tuple as an array.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import TypeAlias, TypeGuard

from plugin_sdk.values import JsonValue

JsonObject: TypeAlias = "Mapping[str, JsonValue]"
"""A JSON object that is only read."""

_SCALARS = frozenset({str, int, float, bool, type(None)})


FORBIDDEN_SEGMENTS = frozenset({"__proto__", "constructor", "prototype"})
"""No path may hold one of these: the data also goes through JavaScript clients, where these names
reach an object's prototype."""


def json_copy(value: object) -> JsonValue:
    """`value` as plain dicts and lists that share nothing with it."""
    kind = type(value)
    # Plain values come by far the most often, and asking an abstract class is slow.
    if kind in _SCALARS:
        return value  # type: ignore[return-value]  # they are immutable
    if kind is dict:
        return {str(key): json_copy(item) for key, item in value.items()}  # type: ignore[attr-defined]
    if kind is list:
        return [json_copy(item) for item in value]  # type: ignore[attr-defined]
    if isinstance(value, Mapping):
        return {str(key): json_copy(item) for key, item in value.items()}
    if is_array(value):
        return [json_copy(item) for item in value]
    return value  # type: ignore[return-value]  # scalars of JSON are immutable


def is_object(value: object) -> TypeGuard[Mapping[str, JsonValue]]:
    """Whether `value` is a JSON object."""
    return isinstance(value, Mapping)


def is_array(value: object) -> TypeGuard[list[JsonValue]]:
    """Whether `value` is a JSON array."""
    return isinstance(value, (list, tuple))


def is_number(value: object) -> TypeGuard[int | float]:
    """Whether `value` is a finite JSON number; a boolean is none."""
    if isinstance(value, bool):
        return False
    return isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))


def json_text(value: JsonValue) -> str:
    """`value` as JSON text on one line, non-ASCII characters as they are."""
    return json.dumps(value, ensure_ascii=False, default=dict)


def shorten(text: str, limit: int) -> str:
    """`text` cut to `limit` characters, the last one then being `…` (spec/decisions.md 5)."""
    return text if len(text) <= limit else text[: limit - 1] + "…"
