"""How adapters compare answers and catch refusals."""

from collections.abc import Callable
from typing import Any, TypeVar

E = TypeVar("E", bound=Exception)


def same_json(left: object, right: object) -> bool:
    """Whether two values are one JSON value: `1` and `true` differ, `1` and `1.0` do not."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same_json(left[key], right[key]) for key in left)
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        return len(left) == len(right) and all(map(same_json, left, right))
    return left == right


def refusal_of(call: Callable[[], object], kind: type[E]) -> E:
    """The error of `kind` that `call` ends with."""
    try:
        answer = call()
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}; the answer is {answer!r}")


def has_members(record: Any, expected: dict[str, Any]) -> bool:
    """Whether a record holds the members that are written; null stands for absent or empty."""
    return all(
        (record.get(key) in (None, "", [], {}))
        if value is None
        else same_json(record.get(key), value)
        for key, value in expected.items()
    )
