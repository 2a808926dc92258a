"""The refusal of a replacement, and the checks that several events share."""

from collections.abc import Mapping
from typing import TypeVar

from covel_host.base.json_text import JsonValueError, json_copy
from covel_host.base.unicode_text import storable_text
from plugin_sdk.values import JsonObject, JsonValue

Value = TypeVar("Value")


class ReplacementRefused(Exception):
    """A replacement that cannot be used; `problem` is a sentence that names the member."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem


def json_value(value: object, *, member: str) -> JsonValue:
    """A JSON copy of `value`.

    Raises:
        ReplacementRefused: JSON cannot hold it.
    """
    try:
        return json_copy(value)
    except JsonValueError as error:
        raise ReplacementRefused(f"{member!r} has no JSON form: {error}.") from error


def json_object(value: object, *, member: str) -> JsonObject:
    """A JSON copy of `value`, an object.

    Raises:
        ReplacementRefused: it is none.
    """
    copy = json_value(value, member=member)
    if not isinstance(copy, dict):
        raise _refused(value, member, "an object")
    return copy


def json_list(value: object, *, member: str) -> list[JsonValue]:
    """A JSON copy of `value`, a list or tuple.

    Raises:
        ReplacementRefused: it is none.
    """
    copy = json_value(value, member=member)
    if not isinstance(copy, list):
        raise _refused(value, member, "a list")
    return copy


def text(value: object, *, member: str) -> str:
    """`value`, a text that is not blank and can be stored.

    Raises:
        ReplacementRefused: it is none.
    """
    if not isinstance(value, str) or not value.strip():
        raise _refused(value, member, "a text that is not empty")
    return storable_text(value)


def only_members(value: Mapping[str, JsonValue], allowed: tuple[str, ...], *, member: str) -> None:
    """Refuse members that nothing would read, such as misspelt ones.

    Raises:
        ReplacementRefused: there is one.
    """
    for name in value:
        if name not in allowed:
            raise ReplacementRefused(
                f"{member!r} has the member {name!r}; it may have {', '.join(allowed)}."
            )


def _refused(value: object, member: str, wanted: str) -> ReplacementRefused:
    shown = repr(value) if isinstance(value, (str, int, float, bool)) or value is None else ""
    given = shown if 0 < len(shown) <= 80 else f"of type {type(value).__name__!r}"
    return ReplacementRefused(f"{member!r} is {given}; it must be {wanted}.")
