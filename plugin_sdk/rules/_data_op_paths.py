"""JSON pointers of data operations: reading them, following them, and what goes wrong.

`""` is the whole record; `~1` is a slash and `~0` a tilde (RFC 6901; spec/decisions.md 2).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from plugin_sdk.rules._json import FORBIDDEN_SEGMENTS
from plugin_sdk.values import JsonValue

if TYPE_CHECKING:
    from plugin_sdk.rules.data_ops import DataOpErrorCode

_BAD_ESCAPE = re.compile(r"~(?![01])")
_INDEX = re.compile(r"0|[1-9][0-9]*")
_INDEX_ATTEMPT = re.compile(r"-?[0-9]*")
_MAX_INDEX_DIGITS = 18


class DataOpProblem(Exception):
    """What is wrong with one operation, before its index is known."""

    def __init__(self, code: DataOpErrorCode, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def pointer_segments(path: JsonValue) -> list[str]:
    """The member names and indexes of a pointer, none for the whole record.

    Raises:
        DataOpProblem: `invalid-path`.
    """
    if not isinstance(path, str):
        raise DataOpProblem(
            "invalid-path", f"A path is text such as '/name', not {shown_kind(path)}."
        )
    if path and not path.startswith("/"):
        raise DataOpProblem("invalid-path", f"The path {path!r} does not begin with '/'.")
    if _BAD_ESCAPE.search(path):
        raise DataOpProblem("invalid-path", f"In the path {path!r} a '~' is not ~0 or ~1.")
    segments = [part.replace("~1", "/").replace("~0", "~") for part in path.split("/")[1:]]
    for segment in segments:
        if segment in FORBIDDEN_SEGMENTS:
            raise DataOpProblem("invalid-path", f"A path may not contain {segment!r}.")
    return segments


def value_at(record: JsonValue, segments: list[str]) -> JsonValue:
    """The value at `segments`; None stands for no record."""
    if record is None:
        raise DataOpProblem("path-not-found", "There is no record yet. Create it with 'set'.")
    value: JsonValue = record
    for count, segment in enumerate(segments, start=1):
        if isinstance(value, dict) and segment in value:
            value = value[segment]
        elif isinstance(value, list) and (index := _index(segment)) is not None:
            if index >= len(value):
                raise not_found(segments[:count])
            value = value[index]
        else:
            raise not_found(segments[:count])
    return value


def _index(segment: str) -> int | None:
    """The array index that `segment` writes; None when it is a name.

    Raises:
        DataOpProblem: `-`, a sign, or a leading zero.
    """
    if _INDEX.fullmatch(segment):
        # The interpreter refuses to convert thousands of digits; no array has that many items.
        return int(segment[:_MAX_INDEX_DIGITS])
    if segment and _INDEX_ATTEMPT.fullmatch(segment):
        raise DataOpProblem("invalid-path", f"{segment!r} is no array index.")
    return None


def item_index(
    parents: list[str], array: list[JsonValue], segment: str, *, when_name: DataOpErrorCode
) -> int:
    """The index of the existing item of `array` that `segment` names.

    Raises:
        DataOpProblem: `when_name` for a member name, `index-out-of-range`, `invalid-path`.
    """
    index = _index(segment)
    if index is None:
        raise DataOpProblem(
            when_name, f"{shown_pointer(parents)} is an array and has no member {segment!r}."
        )
    if index >= len(array):
        raise out_of_range(parents, array)
    return index


def shown_kind(value: object) -> str:
    """What kind of JSON `value` is, for a message."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return "text"
    if isinstance(value, Mapping):
        return "an object"
    return "an array" if isinstance(value, (list, tuple)) else "a number"


def shown_pointer(segments: list[str]) -> str:
    """The place at `segments`, for a message."""
    path = "".join("/" + part.replace("~", "~0").replace("/", "~1") for part in segments)
    return repr(path) if path else "The record"


def not_found(segments: list[str]) -> DataOpProblem:
    """The problem of a place that is not there."""
    return DataOpProblem(
        "path-not-found", f"{shown_pointer(segments)} does not exist in the record."
    )


def mismatch(segments: list[str], value: JsonValue, expected: str) -> DataOpProblem:
    """The problem of a place whose value is not what the operation works on."""
    return DataOpProblem(
        "type-mismatch",
        f"{shown_pointer(segments)} is {shown_kind(value)}; this operation needs {expected}.",
    )


def out_of_range(segments: list[str], array: list[JsonValue]) -> DataOpProblem:
    """The problem of an index beyond the array at `segments`."""
    return DataOpProblem(
        "index-out-of-range",
        f"{shown_pointer(segments)} has {len(array)} items; the index lies beyond them.",
    )
