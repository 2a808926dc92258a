"""What the audit record of a tool call keeps of a result that is no JSON.

The strict check stays where it is: such a call fails. Its record must not be empty, though, so that
an author sees what came back: the parts that JSON can hold stay, each other one is null and told as
a problem. Nothing here decides what a model reads (seed: 统一返回格式与错误码).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from covel_host.base.author_calls import is_authors_own
from covel_host.base.json_text import MAX_DEPTH, JsonValueError, json_copy
from plugin_sdk.errors import FieldProblem
from plugin_sdk.values import JsonValue

MAX_VALUES = 100_000
"""How many values one record keeps: a small value may repeat itself by reference without end."""

MAX_PROBLEMS = 20
"""How many problems one record lists."""


@dataclass(frozen=True, slots=True)
class AuditValue:
    """A JSON value for the audit; a part named in `problems` stands as null in `value`."""

    value: JsonValue
    problems: tuple[FieldProblem, ...] = ()


def audit_value(value: object) -> AuditValue:
    """`value` as the audit keeps it. Never raises, whatever a package's object does.

    What `json_copy` takes is kept. Problems are all it refuses, integers too long to write, keys
    that are no text, cycles, and what lies beyond `MAX_DEPTH` or `MAX_VALUES`.
    """
    conversion = _Conversion()
    try:
        converted = conversion.convert(value, ())
    except BaseException as error:  # its own code may run even when only its class is asked for
        if not is_authors_own(error):
            raise
        message = f"The value cannot be read ({type(error).__name__})"
        return AuditValue(None, (FieldProblem("", message),))
    return AuditValue(converted, tuple(conversion.problems))


@dataclass(slots=True)
class _Conversion:
    problems: list[FieldProblem] = field(default_factory=list)
    open_ids: set[int] = field(default_factory=set)
    count: int = 0

    def convert(self, value: object, path: tuple[str, ...]) -> JsonValue:
        self.count += 1
        if isinstance(value, (dict, list, tuple)):
            return self._container(value, path)
        try:
            copied = json_copy(value)
        except JsonValueError as error:
            below = (error.path,) if error.path else ()
            self._report((*path, *below), error.message)
            return None
        # What a model or a mapping gave counts and nests like any other part.
        return self._container(copied, path) if isinstance(copied, (dict, list)) else copied

    def _container(
        self, value: dict[Any, Any] | list[Any] | tuple[Any, ...], path: tuple[str, ...]
    ) -> JsonValue:
        if id(value) in self.open_ids or len(path) >= MAX_DEPTH:
            repeats = id(value) in self.open_ids
            deep = f"The value is nested deeper than {MAX_DEPTH} levels"
            self._report(path, "The value contains itself" if repeats else deep)
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
            if not isinstance(key, str):
                self._report(path, f"A key of type {type(key).__name__!r} is no text")
                continue
            name = self.convert(key, path)
            if isinstance(name, str):
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
        self._report(path, f"Only the first {MAX_VALUES} values are kept")
        return True

    def _report(self, path: tuple[str, ...], message: str) -> None:
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(FieldProblem(".".join(path), message))
