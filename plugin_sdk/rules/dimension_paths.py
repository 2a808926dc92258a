"""Paths into a dimension's value: how they are written, what they reach, how a change is set.

Seed: world-dimension-get (path), update-dimensions (changes, 自动整理的写法).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeAlias

from plugin_sdk.rules._json import FORBIDDEN_SEGMENTS, is_array, is_object
from plugin_sdk.values import JsonValue

Segments: TypeAlias = tuple[str, ...]
"""The keys and array indexes of a path, from the value down; empty for the value itself."""

# A name, or an index in brackets; a name when reading with the dot that may stand before it.
_READ_STEP = re.compile(r"(\.?)([^.\[\]]+)|\[([0-9]+)\]")
_CHANGE_STEP = re.compile(r"([^./\[\]]+)|\[([0-9]+)\]")
_POINTER_TOKEN = re.compile(r"(?:[^~]|~[01])*")
# Longer digits name no index of any value, and int() refuses very long ones.
_INDEX = re.compile(r"0|[1-9][0-9]{0,8}")
_SEPARATORS = frozenset("./[")


class PathSyntaxError(ValueError):
    """A path that cannot be read; the text says what is wrong with it."""


class PathChangeError(ValueError):
    """A change that cannot be set at its path; the text says why."""


def parse_read_path(path: str) -> Segments:
    """The segments of a dot path with `[index]` or, with a leading `/`, of a JSON Pointer.

    Raises:
        PathSyntaxError: An empty segment, an open bracket, no digits in brackets, or a `~` in a
            pointer that is not `~0` or `~1`.
    """
    if path.startswith("/"):
        return tuple(_pointer_token(token, path) for token in path[1:].split("/"))
    return tuple(_steps(path))


def look_up(value: JsonValue, segments: Segments) -> tuple[bool, JsonValue]:
    """Whether `segments` lead to a value, and that value; only own members and indexes count."""
    for segment in segments:
        if is_object(value) and segment in value:
            value = value[segment]
        elif is_array(value) and (index := _index(segment)) is not None and index < len(value):
            value = value[index]
        else:
            return False, None
    return True, value


def parse_change_path(path: str, value: JsonValue) -> Segments:
    """The segments of the path of a change, read against the current `value`.

    `.` and `/` separate, `[n]` is an index. A key of the current value that holds a slash is one
    segment where the path reaches it; so is a key that holds a dot or bracket, where the path has
    no other reading.

    Raises:
        PathSyntaxError: The path is empty or cannot be read, or has a forbidden segment.
    """
    segments: list[str] = []
    body = path if _keys_ahead(path, value) else path.removeprefix("/")
    while body:
        segment, rest = _first_segment(body, value, path)
        if segment in FORBIDDEN_SEGMENTS:
            raise PathSyntaxError(f"The path {path!r} has the forbidden segment {segment!r}.")
        segments.append(segment)
        _, value = look_up(value, (segment,))
        body = _after_separator(rest, path)
    if not segments:
        raise PathSyntaxError("An empty path is allowed only in the one change of a dimension.")
    return tuple(segments)


def set_at(root: JsonValue, segments: Segments, value: JsonValue) -> None:
    """Set `value` at `segments` inside `root`, which is changed in place.

    Objects that are missing on the way are made; an index may be the array's length, which adds
    an item.

    Raises:
        PathChangeError: The way leads through text, a number, a boolean or null, or past an array.
    """
    parent = root
    for depth, segment in enumerate(segments[:-1]):
        found, child = look_up(parent, (segment,))
        if not found:
            child = {}
            _put(parent, segment, child, segments[:depth])
        parent = child
    _put(parent, segments[-1], value, segments[:-1])


def write_path(segments: Segments) -> str:
    """`segments` as a dot path, for messages."""
    return ".".join(segments)


def _put(parent: JsonValue, segment: str, value: JsonValue, where: Segments) -> None:
    if isinstance(parent, dict):
        parent[segment] = value
        return
    place = repr(write_path(where)) if where else "the dimension"
    if not isinstance(parent, list):
        raise PathChangeError(f"{place} is not an object, so {segment!r} cannot be set in it.")
    index = _index(segment)
    if index is None or index > len(parent):
        raise PathChangeError(
            f"{place} is an array of {len(parent)}; {segment!r} is no index of it."
        )
    parent[index : index + 1] = [value]


def _steps(path: str) -> Iterator[str]:
    at = 0
    while at < len(path):
        match = _READ_STEP.match(path, at)
        # Names after the first need the dot; the first one must not have it.
        if match is None or (match[2] is not None and bool(match[1]) != (at > 0)):
            raise PathSyntaxError(_syntax_problem(path, at))
        at = match.end()
        yield match[2] if match[2] is not None else match[3]


def _syntax_problem(path: str, at: int) -> str:
    return (
        f"The path {path!r} cannot be read at character {at + 1}. "
        "Write it like 'durability', 'regions[0].name' or '/regions/0/name'."
    )


def _pointer_token(token: str, path: str) -> str:
    if _POINTER_TOKEN.fullmatch(token) is None:
        raise PathSyntaxError(f"In the path {path!r} a '~' is followed by neither 0 nor 1.")
    return token.replace("~1", "/").replace("~0", "~")


def _index(segment: str) -> int | None:
    return int(segment) if _INDEX.fullmatch(segment) else None


def _first_segment(body: str, value: JsonValue, path: str) -> tuple[str, str]:
    """The first segment of `body`, and what follows it."""
    keys = _keys_ahead(body, value)
    if slashed := [key for key in keys if "/" in key]:
        key = max(slashed, key=len)
        return key, body[len(key) :]
    plain = _CHANGE_STEP.match(body)
    if plain is not None:
        segment = plain[1] if plain[1] is not None else plain[2]
        if segment in keys or not keys:
            return segment, body[plain.end() :]
    if keys:
        key = max(keys, key=len)
        return key, body[len(key) :]
    raise PathSyntaxError(_syntax_problem(path, len(path) - len(body)))


def _keys_ahead(body: str, value: JsonValue) -> list[str]:
    return [key for key in value if _leads(body, key)] if is_object(value) else []


def _leads(body: str, key: str) -> bool:
    """Whether `body` is `key`, or `key` and a path below it."""
    after = body[len(key) : len(key) + 1]
    return bool(key) and body.startswith(key) and (not after or after in _SEPARATORS)


def _after_separator(rest: str, path: str) -> str:
    if not rest or rest[0] == "[":
        return rest
    if rest[0] in "./" and len(rest) > 1 and rest[1] != "[":
        return rest[1:]
    raise PathSyntaxError(_syntax_problem(path, len(path) - len(rest)))
