"""The words of a command line as the arguments that the command declares. Pure."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from covel_host.manifest.commands import Command, CommandArgument
from covel_host.turn.command_errors import CommandRefused
from covel_host.turn.command_lines import Word, written_word
from covel_host.turn.command_texts import usage
from plugin_sdk.values import JsonObject, JsonValue

_INTEGER: Final = re.compile(r"[+-]?[0-9]+")
_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_TRUTHS: Final[Mapping[str, bool]] = {
    "true": True, "yes": True, "on": True,
    "false": False, "no": False, "off": False,
}  # fmt: skip
_EXPECTED: Final[Mapping[str, str]] = {
    "integer": "a whole number",
    "number": "a number",
    "boolean": "one of true, yes, on, false, no, off",
}
_NO_VALUE: Final = object()


def bind_words(command: Command, words: Sequence[Word], *, line: str) -> JsonObject:
    """The values of the declared arguments by name, in the order of the words.

    An optional argument without a word is absent. A variadic one takes everything that is left, as
    a list, and is absent when nothing is left.

    Raises:
        CommandRefused: `command-argument`, with the place of the word, or the end of the line
            where one is missing.
    """
    values: JsonObject = {}
    rest = list(words)
    for argument in command.arguments:
        taken = rest if argument.variadic else rest[:1]
        rest = rest[len(taken) :]
        if not taken:
            if argument.required:
                raise _missing(command, argument, line)
            continue
        read = [_read(argument, word, line) for word in taken]
        values[argument.name] = read if argument.variadic else read[0]
    if rest:
        raise _surplus(command, rest, line)
    return values


def bind_named(command: Command, given: Mapping[str, JsonValue]) -> JsonObject:
    """Values that were given by name, checked by the same rules; JSON kinds must be right.

    Raises:
        CommandRefused: `command-argument`.
    """
    known = {argument.name: argument for argument in command.arguments}
    for name in given:
        if name not in known:
            raise CommandRefused(
                f"/{command.name} has no argument {name!r}.",
                code="command-argument",
                hint=f"Usage: {usage(command)}",
                argument=name,
            )
    values: JsonObject = {}
    for argument in command.arguments:
        value = given.get(argument.name)
        if value is None or value == []:
            if argument.required:
                raise _missing(command, argument, "")
            continue
        values[argument.name] = _checked(argument, value)
    return values


def canonical_line(command: Command, values: JsonObject) -> str:
    """The line under the command's own name that says the same as `values`, as far as one can.

    A line gives arguments by their order, so it ends before the first one that is absent.
    """
    parts = [f"/{command.name}"]
    for argument in command.arguments:
        if argument.name not in values:
            break
        value = values[argument.name]
        items = value if isinstance(value, list) else [value]
        parts += [written_word(_text(item)) for item in items]
    return " ".join(parts)


def _read(argument: CommandArgument, word: Word, line: str) -> JsonValue:
    problem = _choice_problem(argument, word.text)
    value = _NO_VALUE if problem else _READERS[argument.type](word.text)
    if value is _NO_VALUE:
        raise CommandRefused(
            f"{argument.name!r} is {word.text!r}; expected {problem or _EXPECTED[argument.type]}.",
            code="command-argument",
            line=line,
            place=(word.start, word.end),
            argument=argument.name,
        )
    return value  # type: ignore[return-value]  # _NO_VALUE is out


def _integer(text: str) -> object:
    return int(text) if _INTEGER.fullmatch(text) else _NO_VALUE


def _number(text: str) -> object:
    if not _NUMBER.fullmatch(text):
        return _NO_VALUE
    if _INTEGER.fullmatch(text):
        return int(text)
    value = float(text)
    return value if math.isfinite(value) else _NO_VALUE


_READERS: Final[Mapping[str, Callable[[str], object]]] = {
    "string": lambda text: text,
    "integer": _integer,
    "number": _number,
    "boolean": lambda text: _TRUTHS.get(text.lower(), _NO_VALUE),
}


def _choice_problem(argument: CommandArgument, text: str) -> str | None:
    if argument.choices is None or text in argument.choices:
        return None
    return f"one of {', '.join(argument.choices)}"


def _checked(argument: CommandArgument, value: JsonValue) -> JsonValue:
    if argument.variadic:
        items = value if isinstance(value, list) else [value]
        return [_checked_one(argument, item) for item in items]
    return _checked_one(argument, value)


def _checked_one(argument: CommandArgument, value: JsonValue) -> JsonValue:
    problem = None if _is_of(argument.type, value) else _EXPECTED.get(argument.type, "a text")
    problem = problem or _choice_problem(argument, _text(value))
    if problem is not None:
        raise CommandRefused(
            f"{argument.name!r} is {value!r}; expected {problem}.",
            code="command-argument",
            argument=argument.name,
        )
    return value


def _is_of(kind: str, value: JsonValue) -> bool:
    match kind:
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case _:
            return isinstance(value, (int, float)) and not isinstance(value, bool)


def _text(value: JsonValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _missing(command: Command, argument: CommandArgument, line: str) -> CommandRefused:
    end = len(line.rstrip())
    return CommandRefused(
        f"/{command.name} needs {argument.name!r}.",
        code="command-argument",
        hint=f"Usage: {usage(command)}",
        line=line,
        place=(end, end + 1) if line else None,
        argument=argument.name,
    )


def _surplus(command: Command, rest: Sequence[Word], line: str) -> CommandRefused:
    taken = len(command.arguments)
    takes = "no arguments" if taken == 0 else f"at most {taken}" if taken > 1 else "only one"
    last = command.arguments[-1].type if command.arguments else None
    quoting = " A text with spaces goes into quotation marks." if last == "string" else ""
    return CommandRefused(
        f"/{command.name} takes {takes}; {rest[0].text!r} is too much.",
        code="command-argument",
        hint=f"Usage: {usage(command)}{quoting}",
        line=line,
        place=(rest[0].start, rest[-1].end),
    )
