"""What the audit record of a tool call keeps of its input and output.

The audit must never fail a call: a part that JSON cannot hold becomes a problem beside the rest of
the value. The strict checks stay where they are, and nothing here decides what a model reads
(seed: 统一返回格式与错误码).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from plugin_sdk.values import JsonValue

MAX_DEPTH = 200
"""Nesting of arrays and objects; the depth that host JSON may have."""

MAX_VALUES = 100_000
"""How many values one record keeps: a small value may repeat itself by reference without end."""

MAX_PROBLEMS = 20
"""How many problems one record lists."""

MAX_INTEGER_BITS = 14_284
"""Integers of up to 4,300 digits; the interpreter writes no longer ones as text."""


@dataclass(frozen=True, slots=True)
class AuditProblem:
    """One part that could not be kept: its dotted path (`""` for the whole value), and why."""

    path: str
    message: str


@dataclass(frozen=True, slots=True)
class AuditValue:
    """A JSON value for the audit; a part named in `problems` stands as null in `value`."""

    value: JsonValue
    problems: tuple[AuditProblem, ...] = ()


def audit_value(value: object) -> AuditValue:
    """`value` as the audit keeps it. Never raises, whatever a package's object does.

    Dicts, lists, tuples, texts, numbers, booleans and None are kept. Problems are: non-finite
    numbers, integers too long to write, lone surrogates, keys that are no text, functions, cycles,
    every other kind of object, and what lies beyond `MAX_DEPTH` or `MAX_VALUES`.
    """
    conversion = _Conversion()
    try:
        converted = conversion.convert(value, ())
    except Exception as error:  # the value's own code may run even when only its class is asked for
        message = f"the value cannot be read ({type(error).__name__})"
        return AuditValue(None, (AuditProblem("", message),))
    return AuditValue(converted, tuple(conversion.problems))


@dataclass(slots=True)
class _Conversion:
    problems: list[AuditProblem] = field(default_factory=list)
    open_ids: set[int] = field(default_factory=set)
    count: int = 0

    def convert(self, value: object, path: tuple[str, ...]) -> JsonValue:
        self.count += 1
        if isinstance(value, (dict, list, tuple)):
            return self._container(value, path)
        problem = _scalar_problem(value)
        if problem is not None:
            self._report(path, problem)
            return None
        return _plain_scalar(value)

    def _container(
        self, value: dict[object, object] | list[object] | tuple[object, ...], path: tuple[str, ...]
    ) -> JsonValue:
        if id(value) in self.open_ids or len(path) >= MAX_DEPTH:
            repeats = id(value) in self.open_ids
            deep = f"the value is nested deeper than {MAX_DEPTH} levels"
            self._report(path, "the value contains itself" if repeats else deep)
            return None
        self.open_ids.add(id(value))
        converted: JsonValue
        if isinstance(value, dict):
            converted = dict(self._members(value, path))
        else:
            converted = list(self._items(value, path))
        self.open_ids.discard(id(value))
        return converted

    def _members(
        self, value: dict[object, object], path: tuple[str, ...]
    ) -> Iterator[tuple[str, JsonValue]]:
        for key, item in dict.items(value):
            if self._is_full(path):
                return
            if not isinstance(key, str) or _scalar_problem(key) is not None:
                self._report(path, f"a key of type {type(key).__name__!r} is no JSON text")
                continue
            name = str.__str__(key)
            yield name, self.convert(item, (*path, name))

    def _items(
        self, value: list[object] | tuple[object, ...], path: tuple[str, ...]
    ) -> Iterator[JsonValue]:
        items = list.__iter__(value) if isinstance(value, list) else tuple.__iter__(value)
        for index, item in enumerate(items):
            if self._is_full(path):
                return
            yield self.convert(item, (*path, str(index)))

    def _is_full(self, path: tuple[str, ...]) -> bool:
        if self.count < MAX_VALUES:
            return False
        self._report(path, f"only the first {MAX_VALUES} values are kept")
        return True

    def _report(self, path: tuple[str, ...], message: str) -> None:
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(AuditProblem(".".join(path), message))


def _scalar_problem(value: object) -> str | None:
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, str):
        return _text_problem(value)
    if isinstance(value, int):
        bits = int.bit_length(value)
        return f"an integer of {bits} bits is too long" if bits > MAX_INTEGER_BITS else None
    if isinstance(value, float):
        return None if math.isfinite(float.__float__(value)) else "a number is not finite"
    kind = "a function" if callable(value) else "an object"
    return f"{kind} of type {type(value).__name__!r} has no JSON form"


def _text_problem(text: str) -> str | None:
    try:
        str.encode(text, "utf-8")
    except UnicodeEncodeError as error:
        return f"the text holds a lone surrogate at position {error.start}"
    return None


def _plain_scalar(value: object) -> JsonValue:
    """A scalar without its sub-class, such as the text of a `StrEnum` member."""
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, float):
        return float.__float__(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return int.__int__(value)
    return value if isinstance(value, bool) else None
