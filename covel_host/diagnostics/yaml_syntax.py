"""What a YAML syntax error means for the person who wrote the text."""

import re
from typing import Final

from yaml import MarkedYAMLError, YAMLError

from covel_host.diagnostics.values_shown import MAX_SHOWN
from covel_host.diagnostics.yaml_nodes import Path, YamlProblem
from covel_host.diagnostics.yaml_repairs import line_end, line_start

_KEY_AND_VALUE: Final = re.compile(
    r"""^[ \t]*(?:-[ \t]+)*(?P<key>[^\s:#'"\[\]{},&*!|>%@`-][^:#'"\[\]{}]*?):[ \t]+(?P<value>.*)$"""
)
_COMMENT: Final = re.compile(r"(?<![ \t])[ \t]++#.*\Z")

_GENERAL_HINT: Final = "Check quotes, brackets and indentation from the line above on."
# What the C parser says, what it means, and what to do. The pure-Python parser has other words;
# they are shown as they come.
_MEANINGS: Final = {
    "did not find expected node content": (
        "a value is expected and none follows",
        "Close the bracket, or write the value.",
    ),
    "did not find expected ',' or ']'": (
        "the list opened with '[' is not closed",
        "Put a ',' between items and a ']' after the last one.",
    ),
    "did not find expected ',' or '}'": (
        "the map opened with '{' is not closed",
        "Put a ',' between members and a '}' after the last one.",
    ),
    "found unexpected end of stream": (
        "a quoted text is not closed",
        "Add the closing quote.",
    ),
    "did not find expected key": (
        "this line does not fit the map around it",
        "Indent it like the other keys of its map, and write it as 'key: value'.",
    ),
    "did not find expected '-' indicator": (
        "this line does not fit the list around it",
        "Start it with '- ', indented like the other items.",
    ),
    "could not find expected ':'": (
        "a key has no ':' after it",
        "Write 'key: value', with a space after the colon.",
    ),
    "found character that cannot start any token": (
        "an unquoted value cannot start with this character",
        "Put the value in quotes.",
    ),
    "found invalid Unicode character escape code": (
        "this escape stands for no character",
        "Write the character itself, or its number after '\\U' with eight digits.",
    ),
    "found unknown escape character": (
        "this escape does not exist inside double quotes",
        "Write a backslash as two, or use single quotes.",
    ),
}


def syntax_problem(text: str, error: YAMLError) -> YamlProblem:
    """The parser's `error` in our words, at its place in `text`."""
    if not isinstance(error, MarkedYAMLError):
        return YamlProblem("yaml-syntax", f"the text is not valid YAML: {_flat(str(error))}", 0, 0)
    mark = error.problem_mark or error.context_mark
    at = min(mark.index, len(text)) if mark is not None else len(text)
    said = error.problem or error.context or "the text cannot be read"
    return _tab(text, at, said) or _unquoted_colon(text, at, error) or _other(text, at, error)


def _tab(text: str, at: int, said: str) -> YamlProblem | None:
    start = line_start(text, at)
    indentation = re.compile(r"[ \t]*").match(text, start)
    end = indentation.end() if indentation is not None else start
    tab = text.find("\t", start, max(end, start))
    if tab < 0 and text[at : at + 1] == "\t":
        tab = at
    if tab < 0 or ("tab" not in said and "cannot start any token" not in said and tab != at):
        return None
    return YamlProblem(
        "yaml-tab",
        "a line is indented with a tab; YAML indents with spaces only",
        tab,
        tab + 1,
        hint="Replace each tab at the start of the line by two spaces.",
    )


def _unquoted_colon(text: str, at: int, error: MarkedYAMLError) -> YamlProblem | None:
    path: Path
    start = line_start(text, at)
    if "mapping values are not allowed" not in (error.problem or ""):
        # Inside brackets the parser complains about a missing ','. Only a colon on the line of the
        # opening bracket is a value's own; on a later line the bracket was never closed.
        opened = error.context_mark
        if text[at : at + 1] != ":" or opened is None or opened.index < start:
            return None
    line = text[start : line_end(text, at)]
    parts = _KEY_AND_VALUE.match(line)
    if parts is None or start + parts.start("value") > at or len(parts["key"]) > MAX_SHOWN:
        if not line[: max(at - start, 0)].strip():
            return None
        named, path, advice = "a value", (), "Put the whole value in double quotes."
    else:
        named = f"the value of `{parts['key']}`"
        path = (parts["key"],) if line[:1] not in " \t-" else ()
        advice = _quoting_advice(parts["key"], _COMMENT.sub("", parts["value"]).rstrip())
    return YamlProblem(
        "yaml-unquoted-colon",
        f"{named} holds ': ' outside quotes, so YAML reads it as a nested map",
        at,
        at + 1,
        path=path,
        hint=advice,
    )


def _quoting_advice(key: str, value: str) -> str:
    if '"' in value or "\\" in value or len(value) > 80:
        return "Put the whole value in double quotes."
    return f'Put the whole value in double quotes: {key}: "{value}".'


def several_documents(at: int) -> YamlProblem:
    """The problem of a text that goes on with a second document at `at`."""
    return YamlProblem(
        "yaml-several-documents",
        "the text holds more than one YAML document",
        at,
        at,
        hint="Keep one document; a line of '...' or '--- text' starts another one.",
    )


def _other(text: str, at: int, error: MarkedYAMLError) -> YamlProblem:
    said = _flat(error.problem or error.context or "it cannot be read")
    known = _MEANINGS.get(said)
    meaning, hint = known if known is not None else (said, _GENERAL_HINT)
    opened = error.context_mark.index if error.context_mark is not None else None
    first = (opened, opened + 1) if opened is not None and opened < at else None
    end = at + 1 if at < len(text) and text[at] not in "\r\n" else at
    return YamlProblem(
        "yaml-syntax",
        f"this is not valid YAML: {meaning}",
        at,
        end,
        hint=hint,
        first=first,
        first_message="what is being read starts here" if first is not None else "",
    )


def _flat(text: str) -> str:
    return " ".join(text.split())
