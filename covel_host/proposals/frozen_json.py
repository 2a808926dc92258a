"""JSON values that nobody can change: what views hand out, shared by all who look.

They are real dictionaries and lists, so they compare with, and are written as, plain JSON; copying
one (`copy.copy`, `copy.deepcopy`, `json_copy`) gives a plain value again.
"""

from collections.abc import Mapping
from typing import Any, NoReturn

from plugin_sdk.values import JsonValue

_UNCHANGEABLE = frozenset({str, int, float, bool, type(None)})
_HINT = "it is frozen, and what a run wants changed it hands in as a proposal. Change a copy."


class FrozenObject(dict[str, Any]):
    """A JSON object that refuses changes; `freeze` makes it."""

    __slots__ = ()

    def _refuse(self, *_arguments: object, **_keywords: object) -> NoReturn:
        raise TypeError(f"This JSON object cannot be changed: {_HINT}")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __copy__(self) -> dict[str, Any]:
        return dict(self)

    def __deepcopy__(self, memo: object) -> JsonValue:
        return thawed(self)

    def __reduce__(self) -> tuple[type[dict[str, Any]], tuple[JsonValue]]:
        return dict, (thawed(self),)


class FrozenArray(list[Any]):
    """A JSON array that refuses changes; `freeze` makes it."""

    __slots__ = ()

    def _refuse(self, *_arguments: object, **_keywords: object) -> NoReturn:
        raise TypeError(f"This JSON array cannot be changed: {_HINT}")

    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = clear = extend = insert = pop = remove = reverse = sort = _refuse

    def __copy__(self) -> list[Any]:
        return list(self)

    def __deepcopy__(self, memo: object) -> JsonValue:
        return thawed(self)

    def __reduce__(self) -> tuple[type[list[Any]], tuple[JsonValue]]:
        return list, (thawed(self),)


def freeze(value: JsonValue) -> Any:
    """`value`, frozen all the way down; it shares nothing with the given one but its texts."""
    if isinstance(value, dict):
        return freeze_object(value)
    if isinstance(value, list):
        return value if type(value) is FrozenArray else FrozenArray(map(freeze, value))
    return value


def freeze_object(value: Mapping[str, JsonValue]) -> FrozenObject:
    """Like `freeze`, for an object."""
    if type(value) is FrozenObject:
        return value
    return FrozenObject(
        {key: item if type(item) in _UNCHANGEABLE else freeze(item) for key, item in value.items()}
    )


def thawed(value: Any) -> JsonValue:
    """`value` as plain dictionaries and lists that share nothing with it."""
    if isinstance(value, dict):
        return {key: thawed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [thawed(item) for item in value]
    plain: JsonValue = value
    return plain
