"""JSON in and out (spec/decisions.md 6): the standard library's reading, orjson's writing.

Reading keeps big integers and refuses what JSON does not have: non-finite numbers, `1e999`, lone
surrogates. Writing uses orjson and falls back to the standard library where orjson refuses
(integers beyond 64 bits). A value that cannot be written is refused with its path, never altered.
"""

import json
import math
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, NoReturn

import orjson

from plugin_sdk.values import JsonValue

MAX_DEPTH = 200
"""Nesting of arrays and objects; deeper values are refused before they exhaust the stack."""

WRAPPED_DEPTH = MAX_DEPTH + 20
"""The same for what the host itself writes, which may lie around a value of `MAX_DEPTH`."""

_LONG_INTEGER = 2**64


class JsonTextError(ValueError):
    """A text is not JSON; `line` and `column` count from 1 in characters."""

    def __init__(self, message: str, *, line: int, column: int) -> None:
        super().__init__(f"{message} (line {line}, column {column})")
        self.message = message
        self.line = line
        self.column = column


class JsonValueError(ValueError):
    """A value cannot be written as JSON; `path` is dotted from the root, "" for the root itself."""

    def __init__(self, message: str, *, path: str) -> None:
        super().__init__(message if not path else f"{message} (at {path})")
        self.message = message
        self.path = path


def parse_json(text: str | bytes, *, max_depth: int = MAX_DEPTH) -> JsonValue:
    """The value that one JSON text holds.

    Integers of any size are kept, the last of duplicate members wins. `max_depth` is
    `WRAPPED_DEPTH` for texts that the host wrote.

    Raises:
        JsonTextError: not JSON, not UTF-8, a non-finite number, a lone surrogate, or deeper than
            `max_depth`.
    """
    source = _decode(text)
    try:
        value: JsonValue = _decoded(source)
    except json.JSONDecodeError as error:
        raise _syntax_error(source, error) from None
    except _NotFiniteError as error:
        raise _located(source, error.token, f"{error.token} is not a JSON number") from None
    except ValueError as error:
        # The interpreter refuses to convert integers of more than a few thousand digits.
        raise JsonTextError(str(error), line=1, column=1) from None
    except RecursionError:
        raise JsonTextError("The text is nested too deeply", line=1, column=1) from None
    return _checked(value, source, max_depth)


def dump_json(value: object) -> str:
    """The compact JSON text of `value`, members in their order, non-ASCII kept.

    It may nest up to `WRAPPED_DEPTH`: in what the host writes lie values of `MAX_DEPTH`.

    Raises:
        JsonValueError: holds something JSON has no form for; nothing is altered in silence.
    """
    if _is_plain(value, WRAPPED_DEPTH):
        try:
            return orjson.dumps(value).decode("utf-8")
        except orjson.JSONEncodeError:
            # A text with lone surrogates or an integer beyond 64 bits is left to the long way.
            pass
    return _dump(_copy(value, (), WRAPPED_DEPTH))


def dump_copied(value: JsonValue) -> str:
    """The same text for a value that is known to be JSON, as what `json_copy` gave."""
    return _dump(value)


def json_copy(value: object) -> JsonValue:
    """A JSON copy of `value` that shares nothing with it.

    Mappings become objects, lists and tuples arrays, dates and times ISO text; pydantic models are
    dumped by alias, and what has a `__json_form__()` is what that gives. Floats must be finite,
    texts free of lone surrogates, keys texts, integers short enough to be written.

    Raises:
        JsonValueError: a value JSON cannot store (cycles and depths over `MAX_DEPTH` included).
    """
    try:
        return _plain_copy(value, MAX_DEPTH)
    except _NotPlainError:
        return _copy(value, (), MAX_DEPTH)


def _is_plain(value: object, depth: int) -> bool:
    """Whether orjson writes `value` as `json_copy` and `_dump` would, or refuses it."""
    kind = type(value)
    if kind is str or kind is int or kind is bool or value is None:
        return True
    if kind is float:
        return math.isfinite(value)  # type: ignore[arg-type]  # the kind is exact
    if depth == 0:
        return False
    # Loops: a generator for each object costs as much again.
    if kind is dict:
        for key, item in value.items():  # type: ignore[attr-defined]
            if type(key) is not str or not _is_plain(item, depth - 1):
                return False
        return True
    if kind is list:
        for item in value:  # type: ignore[attr-defined]  # noqa: SIM110
            if not _is_plain(item, depth - 1):
                return False
        return True
    return False


class _NotPlainError(Exception):
    """A value is to be copied the long way, which also says what is wrong with it."""


def _plain_copy(value: Any, depth: int) -> JsonValue:
    """What `_copy` gives for values of JSON's own types, which are by far the most.

    Raises:
        _NotPlainError: any other value is among them, or one that `_copy` refuses.
    """
    kind = type(value)
    if kind is str:
        if value.isascii() or _is_unicode(value):
            return value  # type: ignore[no-any-return]
    elif kind is dict:
        if depth:
            copy: dict[str, JsonValue] = {}
            for key, item in value.items():
                if type(key) is not str or not (key.isascii() or _is_unicode(key)):
                    raise _NotPlainError
                copy[key] = _plain_copy(item, depth - 1)
            return copy
    elif kind is list:
        if depth:
            return [_plain_copy(item, depth - 1) for item in value]
    elif kind is int:
        if -_LONG_INTEGER < value < _LONG_INTEGER:
            return value  # type: ignore[no-any-return]
    elif kind is bool or value is None or (kind is float and math.isfinite(value)):
        return value  # type: ignore[no-any-return]
    raise _NotPlainError


def _copy(value: object, path: tuple[str, ...], max_depth: int) -> JsonValue:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _checked_text(value, path)
    if isinstance(value, int):
        return _checked_integer(int(value), path)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise JsonValueError(f"{value!r} is not a JSON number", path=".".join(path))
        return float(value)
    if len(path) >= max_depth:
        raise JsonValueError(
            f"The value is nested deeper than {max_depth} levels or contains itself",
            path=".".join(path[:5]) + "…",
        )
    if (form := getattr(type(value), "__json_form__", None)) is not None:
        return _copy(form(value), path, max_depth)
    if isinstance(value, Mapping):
        return {
            _checked_key(key, path): _copy(item, (*path, str(key)), max_depth)
            for key, item in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [_copy(item, (*path, str(index)), max_depth) for index, item in enumerate(value)]
    return _copy_of_object(value, path, max_depth)


def _copy_of_object(value: object, path: tuple[str, ...], max_depth: int) -> JsonValue:
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    dump = getattr(value, "model_dump", None)
    if callable(dump) and not isinstance(value, type):
        return _copy(dump(mode="json", by_alias=True), path, max_depth)
    raise JsonValueError(
        f"A value of type {type(value).__name__!r} has no JSON form", path=".".join(path)
    )


def _checked_integer(number: int, path: tuple[str, ...]) -> int:
    if not -_LONG_INTEGER < number < _LONG_INTEGER:
        try:
            str(number)
        except ValueError:
            # The interpreter writes no integers of more than a few thousand digits.
            raise JsonValueError(
                f"An integer of {number.bit_length()} bits is too long to be written",
                path=".".join(path),
            ) from None
    return number


def _checked_text(text: str, path: tuple[str, ...]) -> str:
    if text.isascii():
        return str(text)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise JsonValueError(
            f"The text holds a lone surrogate at position {error.start}", path=".".join(path)
        ) from None
    return str(text)


def _checked_key(key: object, path: tuple[str, ...]) -> str:
    if not isinstance(key, str):
        raise JsonValueError(
            f"The key {key!r} is not text; JSON objects have text keys", path=".".join(path)
        )
    return _checked_text(key, path)


def _dump(value: JsonValue) -> str:
    try:
        return orjson.dumps(value).decode("utf-8")
    except (orjson.JSONEncodeError, RecursionError):
        pass
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _checked(value: JsonValue, source: str, max_depth: int) -> JsonValue:
    # No text nests deeper than it has brackets, and a surrogate stands in it or comes from an
    # escape: most texts need no second walk.
    if len(source) <= max_depth and source.isascii() and "\\" not in source:
        return value
    brackets = source.count("[") + source.count("{")
    if brackets <= max_depth and not _escapes_surrogate(source) and _is_unicode(source):
        return value
    try:
        return _copy(value, (), max_depth)
    except JsonValueError as error:
        raise JsonTextError(str(error), line=1, column=1) from None


def _escapes_surrogate(text: str) -> bool:
    # Looking for one character takes a fraction of looking for three.
    return "\\" in text and ("\\ud" in text or "\\uD" in text)


def _is_unicode(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _decode(text: str | bytes) -> str:
    if isinstance(text, str):
        return text
    try:
        return text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise JsonTextError(
            f"The text is not UTF-8 (byte {error.start})", line=1, column=1
        ) from None


class _NotFiniteError(ValueError):
    def __init__(self, token: str) -> None:
        super().__init__(token)
        self.token = token


def _refuse_constant(token: str) -> NoReturn:
    raise _NotFiniteError(token)


def _finite_float(token: str) -> Any:
    number = float(token)
    # Of numbers written in digits, the infinite ones alone are not less than infinity.
    if -math.inf < number < math.inf:
        return number
    raise _NotFiniteError(token)


# Made once: a decoder with hooks of its own costs more to make than a short text to read.
_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite_float)


def _decoded(source: str) -> Any:
    if source.startswith("{") and source.endswith("}"):
        # An object with nothing around it: `decode` would look for white space, at half the cost.
        value, end = _DECODER.raw_decode(source)
        if end == len(source):
            return value
    return _DECODER.decode(source)


def _syntax_error(source: str, error: json.JSONDecodeError) -> JsonTextError:
    """The interpreter's own words; a comma before a closing bracket is told as newer ones do."""
    before = source[: error.pos].rstrip(" \t\r\n")
    closer = source[error.pos : error.pos + 1]
    if before.endswith(",") and closer in ("}", "]"):
        kind = "object" if closer == "}" else "array"
        message = f"Illegal trailing comma before end of {kind}"
        error = json.JSONDecodeError(message, source, len(before) - 1)
    return JsonTextError(error.msg, line=error.lineno, column=error.colno)


def _located(source: str, token: str, message: str) -> JsonTextError:
    offset = max(source.find(token), 0)
    line = source.count("\n", 0, offset) + 1
    column = offset - source.rfind("\n", 0, offset)
    return JsonTextError(message, line=line, column=column)
