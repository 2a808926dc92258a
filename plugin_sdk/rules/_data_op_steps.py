"""One data operation on a record that may be changed in place (spec/decisions.md 2)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from plugin_sdk.rules._data_op_paths import (
    DataOpProblem,
    item_index,
    mismatch,
    not_found,
    out_of_range,
    pointer_segments,
    shown_kind,
    shown_pointer,
    value_at,
)
from plugin_sdk.rules._json import is_number, is_object, json_copy
from plugin_sdk.values import JsonValue

Op = Mapping[str, JsonValue]

_MAX_INTEGER_BITS = 14_284
"""Integers of up to 4,300 digits; the interpreter writes no longer ones as JSON."""

_REQUIRED = {
    "set": ("value",),
    "put": ("path", "value"),
    "merge": ("value",),
    "increment": ("path", "by"),
    "append": ("path", "value"),
    "insert": ("path", "index", "value"),
    "remove": ("path",),
    "delete": (),
}
_OPTIONAL = {"merge": ("path",), "increment": ("min", "max"), "append": ("unique",)}


def applied(record: JsonValue, name: str, op: Op) -> JsonValue:
    """The record after `op` of that `name`; `record` itself may have been changed."""
    return _STEPS[name](record, op)


def json_equal(left: JsonValue, right: JsonValue) -> bool:
    """Whether two values are the same JSON: `true` is not 1, members have no order."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(
            json_equal(item, right[key]) for key, item in left.items()
        )
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(json_equal, left, right))
    return left == right


def checked_name(op: object) -> str:
    """The name of an operation that has the fields of its kind and no others.

    Raises:
        DataOpProblem: `invalid-op`, also for what is no object at all.
    """
    if not is_object(op):
        raise DataOpProblem("invalid-op", f"An operation is an object, not {shown_kind(op)}.")
    name = op.get("op")
    if not isinstance(name, str) or name not in _REQUIRED:
        given = repr(name) if isinstance(name, str) else shown_kind(name)
        raise DataOpProblem("invalid-op", f"'op' is {given}. Use one of {', '.join(_REQUIRED)}.")
    for field in _REQUIRED[name]:
        if field not in op:
            raise DataOpProblem("invalid-op", f"{name!r} needs the field {field!r}.")
    known = {"op", *_REQUIRED[name], *_OPTIONAL.get(name, ())}
    for field in op:
        if field not in known:
            raise DataOpProblem("invalid-op", f"{name!r} has no field {field!r}.")
    return name


def _set(record: JsonValue, op: Op) -> JsonValue:
    if op["value"] is None:
        raise DataOpProblem("invalid-op", "A record cannot be null. Remove it with 'delete'.")
    return json_copy(op["value"])


def _put(record: JsonValue, op: Op) -> JsonValue:
    parents, last = _split(op)
    parent = value_at(record, parents)
    if isinstance(parent, dict):
        parent[last] = json_copy(op["value"])
    elif isinstance(parent, list):
        index = item_index(parents, parent, last, when_name="type-mismatch")
        parent[index] = json_copy(op["value"])
    else:
        raise DataOpProblem(
            "type-mismatch",
            f"{shown_pointer(parents)} is {shown_kind(parent)} and has no member {last!r}.",
        )
    return record


def _merge(record: JsonValue, op: Op) -> JsonValue:
    value = op["value"]
    if not isinstance(value, Mapping):
        raise DataOpProblem(
            "invalid-op", f"The value of 'merge' is an object, not {shown_kind(value)}."
        )
    segments = pointer_segments(op.get("path", ""))
    target = value_at(record, segments)
    if not isinstance(target, dict):
        raise mismatch(segments, target, "an object")
    target.update((key, json_copy(item)) for key, item in value.items())
    return record


def _increment(record: JsonValue, op: Op) -> JsonValue:
    by, low, high = (_number(op, field) for field in ("by", "min", "max"))
    if low is not None and high is not None and low > high:
        raise DataOpProblem("invalid-op", f"'min' {low} is greater than 'max' {high}.")
    segments = pointer_segments(op["path"])
    current = value_at(record, segments)
    if not is_number(current) or by is None:
        raise mismatch(segments, current, "a number")
    total = _sum(current, by)
    if total is None or (low is not None and total < low) or (high is not None and total > high):
        bounds = {name: bound for name, bound in (("min", low), ("max", high)) if bound is not None}
        raise DataOpProblem("out-of-bounds", _bounds_text(segments, current, by, bounds))
    if not segments:
        return total
    parent = value_at(record, segments[:-1])
    if isinstance(parent, dict):
        parent[segments[-1]] = total
    elif isinstance(parent, list):
        parent[int(segments[-1])] = total
    return record


def _append(record: JsonValue, op: Op) -> JsonValue:
    unique = op.get("unique", False)
    if not isinstance(unique, bool):
        raise DataOpProblem("invalid-op", f"'unique' is true or false, not {shown_kind(unique)}.")
    segments, array = _array(record, op)
    value = json_copy(op["value"])
    if unique and any(json_equal(item, value) for item in array):
        raise DataOpProblem("duplicate-item", f"{shown_pointer(segments)} holds this item already.")
    array.append(value)
    return record


def _insert(record: JsonValue, op: Op) -> JsonValue:
    index = op["index"]
    if isinstance(index, bool) or not isinstance(index, int) or index < 0:
        raise DataOpProblem("invalid-op", "'index' is not a whole number from 0.")
    segments, array = _array(record, op)
    if index > len(array):
        raise out_of_range(segments, array)
    array.insert(index, json_copy(op["value"]))
    return record


def _remove(record: JsonValue, op: Op) -> JsonValue:
    parents, last = _split(op)
    parent = value_at(record, parents)
    if isinstance(parent, list):
        del parent[item_index(parents, parent, last, when_name="path-not-found")]
    elif isinstance(parent, dict) and last in parent:
        del parent[last]
    else:
        raise not_found([*parents, last])
    return record


def _delete(record: JsonValue, op: Op) -> JsonValue:
    return None


_STEPS: dict[str, Callable[[JsonValue, Op], JsonValue]] = {
    "set": _set,
    "put": _put,
    "merge": _merge,
    "increment": _increment,
    "append": _append,
    "insert": _insert,
    "remove": _remove,
    "delete": _delete,
}


def _split(op: Op) -> tuple[list[str], str]:
    segments = pointer_segments(op["path"])
    if not segments:
        raise DataOpProblem(
            "invalid-path", f"{op['op']!r} needs the path of a member, not the whole record."
        )
    return segments[:-1], segments[-1]


def _array(record: JsonValue, op: Op) -> tuple[list[str], list[JsonValue]]:
    segments = pointer_segments(op["path"])
    array = value_at(record, segments)
    if not isinstance(array, list):
        raise mismatch(segments, array, "an array")
    return segments, array


def _number(op: Op, field: str) -> int | float | None:
    if field not in op:
        return None
    value = op[field]
    if not is_number(value):
        raise DataOpProblem("invalid-op", f"{field!r} is a number, not {shown_kind(value)}.")
    if not _is_writable(value):
        raise DataOpProblem("invalid-op", f"{field!r} has more digits than JSON text can hold.")
    return value


def _sum(left: int | float, right: int | float) -> int | float | None:
    """The sum; None where it is beyond the numbers that JSON text can hold."""
    try:
        total = left + right
    except OverflowError:
        return None
    return total if _is_writable(total) else None


def _is_writable(number: int | float) -> bool:
    if isinstance(number, int):
        return number.bit_length() <= _MAX_INTEGER_BITS
    return math.isfinite(number)


def _bounds_text(
    segments: list[str], current: int | float, by: int | float, bounds: dict[str, int | float]
) -> str:
    shown = current if _is_writable(current) else "an integer too long to show"
    limits = " and ".join(f"{name} {bound}" for name, bound in bounds.items())
    return (
        f"{shown_pointer(segments)} is {shown}; an increment by {by} goes beyond "
        f"{limits or 'the numbers JSON can hold'}."
    )
