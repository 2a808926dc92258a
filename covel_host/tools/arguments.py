"""The arguments of a tool call, read from the text that the model wrote.

Five mistakes have one reading each and are corrected while parsing; everything else is refused, so
that a wrong guess never becomes a wrong write (seed: 模型写错的参数 JSON). The corrected value has
to pass the tool's schema all the same; text where the schema wants an array or an object is the
part of `arguments_fields`. Valid text costs one parse.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from covel_host.base.json_text import JsonTextError, dump_json, parse_json
from covel_host.tools.arguments_quotes import escape_inner_quotes
from covel_host.tools.arguments_repairs import ALONE, close_open_brackets, drop_extra_closers
from plugin_sdk.values import JsonValue


@dataclass(frozen=True, slots=True)
class ParsedArguments:
    """Arguments that are JSON: `text` is the JSON text of `value`, as it goes into the history.

    `repaired`: `text` is not what the model wrote.
    """

    value: JsonValue
    text: str
    repaired: bool


class ArgumentsError(ValueError):
    """An argument text is not JSON and has no single reading.

    `message` is the whole sentence for the model; `reason` only what the parser found; `line` and
    `column` count from 1 in characters of the text as it came.
    """

    def __init__(self, reason: str, *, line: int, column: int) -> None:
        self.reason = reason
        self.line = line
        self.column = column
        self.message = (
            f"The arguments are not valid JSON: {reason} (line {line}, column {column}). "
            "Send the complete arguments again as one JSON object."
        )
        super().__init__(self.message)


def parse_arguments(text: str) -> ParsedArguments:
    """The arguments of one call, repaired where a mistake has one reading.

    Raises:
        ArgumentsError: not JSON and none of the five mistakes, with the place of the first problem.
    """
    return _parse(text, _repairs(text))


def parse_field_text(text: str) -> ParsedArguments:
    """The array or object that a field holds as JSON text.

    One rule more than for whole arguments: brackets still open at the end are closed. The outer
    arguments were read already, so this text was not cut off on the way.

    Raises:
        ArgumentsError: as for `parse_arguments`, with the place inside `text`.
    """
    return _parse(text, _field_repairs(text))


def arguments_of(value: JsonValue) -> ParsedArguments:
    """Arguments whose value was changed after parsing: by a repaired field, or by a hook."""
    return ParsedArguments(value, dump_json(value), repaired=True)


def history_text(text: str, arguments: ParsedArguments | None) -> str:
    """What the model history keeps of the argument text: always valid JSON.

    The text of the parsed arguments, repaired ones included; a text that could not be read (`None`)
    becomes one JSON string, so that it never looks like an empty object that was executed.
    """
    if arguments is not None:
        return arguments.text
    # A lone surrogate has no UTF-8 form; the history shows its escape.
    return dump_json(text.encode("utf-8", "backslashreplace").decode("utf-8"))


def _parse(text: str, repairs: Iterator[str]) -> ParsedArguments:
    try:
        return ParsedArguments(parse_json(text), text, repaired=False)
    except JsonTextError as error:
        problem = error
    for repaired in repairs:
        try:
            return ParsedArguments(parse_json(repaired), repaired, repaired=True)
        except JsonTextError:
            continue
    raise ArgumentsError(problem.message, line=problem.line, column=problem.column)


def _repairs(text: str) -> Iterator[str]:
    """Candidates in the seed's order; only the first two rows may come together."""
    yield from _found(drop_extra_closers(text))
    quoted = escape_inner_quotes(text)
    if quoted is not None:
        yield quoted
        yield from _found(drop_extra_closers(quoted))
    for repair in ALONE:
        yield from _found(repair(text))


def _field_repairs(text: str) -> Iterator[str]:
    yield from _repairs(text)
    yield from _found(close_open_brackets(text))


def _found(repaired: str | None) -> Iterator[str]:
    if repaired is not None:
        yield repaired
