"""What the model sees of a JSON value: the value without its bookkeeping members.

Code always reads the full value (seed: 统一返回格式与错误码; spec/manifest.md 12.7).
"""

from __future__ import annotations

import re

from plugin_sdk.rules._json import is_array, is_object
from plugin_sdk.values import JsonValue

_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_ISO_TIME = re.compile(
    r"[+-]?[0-9]{4,6}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?"
    r"(?:Z|[+-][0-9]{2}(?::?[0-9]{2})?)?",
    re.IGNORECASE,
)


_SCALARS = frozenset({str, int, float, bool, type(None)})

_BOOKKEEPING_ENDS = frozenset("dspt")
"""The last letters of the names that `_is_bookkeeping` knows."""


def model_facing_json(value: JsonValue) -> JsonValue:
    """A copy of `value` without bookkeeping members, at any depth.

    Left out are `sessionId`, whatever it holds; `id`, `…Id` and `…Ids` that hold a UUID or a list
    of UUIDs; `timestamp` and `…At` that hold an ISO time. Readable IDs and story dates stay.
    """
    # Asking for an abstract class is slow, and most values are plain ones.
    if type(value) in _SCALARS:
        return value
    if type(value) is dict or is_object(value):
        return {
            key: item if type(item) in _SCALARS else model_facing_json(item)
            for key, item in value.items()
            if key[-1:] not in _BOOKKEEPING_ENDS or not _is_bookkeeping(key, item)
        }
    if is_array(value):
        return [model_facing_json(item) for item in value]
    return value


def may_hold_bookkeeping(text: str) -> bool:
    """Whether `model_facing_json` may leave anything out of the value with this compact JSON text.

    Its members' names alone are looked at, so that most values need no walk.
    """
    return (
        'Id":' in text
        or 'id":' in text
        or 'Ids":' in text
        or 'At":' in text
        or 'timestamp":' in text
    )


def _is_bookkeeping(key: str, value: JsonValue) -> bool:
    if key == "sessionId":
        return True
    if key == "id" or key.endswith(("Id", "Ids")):
        return is_uuid(value) or (
            is_array(value) and len(value) > 0 and all(is_uuid(item) for item in value)
        )
    if key == "timestamp" or key.endswith("At"):
        return isinstance(value, str) and _ISO_TIME.fullmatch(value) is not None
    return False


def is_uuid(value: JsonValue) -> bool:
    """Whether `value` is a text that is a UUID and nothing else."""
    return isinstance(value, str) and _UUID.fullmatch(value) is not None
