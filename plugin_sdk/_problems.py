"""What pydantic found, said in sentences that a model or an author can act on."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic_core import ErrorDetails, from_json

from plugin_sdk._member_names import MemberNames
from plugin_sdk.errors import FieldProblem

_TYPE_NAMES = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "int_parsing": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a finite number",
    "decimal_type": "a decimal number",
    "decimal_parsing": "a decimal number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "string_type": "text",
    "string_sub_type": "text",
    "bytes_type": "text",
    "list_type": "an array",
    "tuple_type": "an array",
    "set_type": "an array",
    "frozen_set_type": "an array",
    "iterable_type": "an array",
    "dict_type": "an object",
    "mapping_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
    "dataclass_type": "an object",
    "none_required": "null",
    "date_type": "a date such as '2031-05-09'",
    "date_parsing": "a date such as '2031-05-09'",
    "date_from_datetime_parsing": "a date such as '2031-05-09'",
    "date_from_datetime_inexact": "a date without a time of day",
    "datetime_type": "a date and time such as '2031-05-09T14:30:00Z'",
    "datetime_parsing": "a date and time such as '2031-05-09T14:30:00Z'",
    "datetime_from_date_parsing": "a date and time such as '2031-05-09T14:30:00Z'",
    "time_type": "a time such as '14:30:00'",
    "time_parsing": "a time such as '14:30:00'",
    "time_delta_type": "a duration such as 'PT5M'",
    "time_delta_parsing": "a duration such as 'PT5M'",
    "uuid_type": "a UUID",
    "uuid_parsing": "a UUID",
    "url_type": "a URL",
    "url_parsing": "a URL",
}
_CONTAINERS: dict[str, Literal["array", "object"]] = {"an array": "array", "an object": "object"}

_SENTENCES: dict[str, Callable[[dict[str, Any]], str]] = {
    "greater_than": lambda facts: f"The number must be greater than {facts['gt']}.",
    "greater_than_equal": lambda facts: f"The number must be at least {facts['ge']}.",
    "less_than": lambda facts: f"The number must be less than {facts['lt']}.",
    "less_than_equal": lambda facts: f"The number must be at most {facts['le']}.",
    "multiple_of": lambda facts: f"The number must be a multiple of {facts['multiple_of']}.",
    "string_too_short": lambda facts: (
        f"The text must have at least {_counted(facts['min_length'], 'character')}."
    ),
    "string_too_long": lambda facts: (
        f"The text must have at most {_counted(facts['max_length'], 'character')}."
    ),
    "string_pattern_mismatch": lambda facts: f"The text must match {facts['pattern']!r}.",
    "too_short": lambda facts: (
        f"At least {_counted(facts['min_length'], 'item')} must be given, "
        f"not {facts['actual_length']}."
    ),
    "too_long": lambda facts: f"At most {_counted(facts['max_length'], 'item')} may be given.",
    "union_tag_invalid": lambda facts: (
        f"{facts['discriminator']} is {facts['tag']!r}; expected one of {facts['expected_tags']}."
    ),
    "union_tag_not_found": lambda facts: (
        f"The member {facts['discriminator']} is required; it says which kind this is."
    ),
    "value_error": lambda facts: _sentence(str(facts["error"])),
    "assertion_error": lambda facts: _sentence(str(facts["error"])),
    "string_unicode": lambda facts: (
        "The text holds half of a surrogate pair; send whole characters."
    ),
}

_JSON_PLACE = re.compile(r"(?P<what>.*) at line (?P<line>\d+) column (?P<column>\d+)", re.DOTALL)
_SHOWN_LENGTH = 60


@dataclass(slots=True)
class _Finding:
    """One error with its real place; `union_at` and `branch` tell which way of a union it is of."""

    location: tuple[str | int, ...]
    expected: str | None
    sentence: str
    union_at: tuple[str | int, ...] | None
    branch: str


def field_problems(
    errors: Iterable[ErrorDetails], text: str, *, schema: Mapping[str, Any] | None = None
) -> tuple[FieldProblem, ...]:
    """The problems of one validation of the JSON `text`, one per field, in the order met.

    The ways of a union are one problem: the way that came closest speaks, and where none fits even
    by type all are named together. With the JSON Schema of the value, names that it does not know
    are told with the nearest right one.
    """
    listed = list(errors)
    if listed and listed[0]["type"] == "json_invalid":
        return (_not_json(listed[0]),)
    value = _value_of(text)
    names = MemberNames(schema, value)
    return tuple(_merged([_finding(error, value, names) for error in listed]))


def non_finite_problem(token: str) -> FieldProblem:
    """The problem of a text that holds the number `token`."""
    return FieldProblem("", f"{token} is not a JSON number. Use a finite number or leave it out.")


def shown(value: object) -> str:
    """`value` as short JSON text for a message."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        text = repr(value)
    return text if len(text) <= _SHOWN_LENGTH else f"{text[: _SHOWN_LENGTH - 1]}…"


def _not_json(error: ErrorDetails) -> FieldProblem:
    reason = str(error.get("ctx", {}).get("error", error["msg"]))
    place = _JSON_PLACE.fullmatch(reason)
    if place is None:
        return FieldProblem("", f"The text is not valid JSON: {_sentence(reason, capital=False)}")
    return FieldProblem(
        "",
        f"The text is not valid JSON at line {place['line']}, column {place['column']}: "
        f"{_sentence(place['what'], capital=False)}",
    )


def _value_of(text: str) -> object:
    try:
        return from_json(text)
    except (ValueError, TypeError):
        return None


def _finding(error: ErrorDetails, value: object, names: MemberNames) -> _Finding:
    location, union_at, branch = _real_place(error, value)
    kind = error["type"]
    facts = error.get("ctx", {})
    expected = _TYPE_NAMES.get(kind)
    if kind in ("literal_error", "enum"):
        expected = (
            f"one of {facts['expected']}" if " or " in facts["expected"] else facts["expected"]
        )
    if expected is not None:
        sentence = f"Expected {expected}, got {shown(error['input'])}."
    elif kind == "missing":
        sentence = names.missing(location)
    elif kind == "extra_forbidden":
        sentence = names.unknown(location)
    elif kind in _SENTENCES:
        sentence = _SENTENCES[kind](facts)
    else:
        sentence = _sentence(error["msg"])
    if kind.startswith(("string_too", "too_")) and error["loc"][-1:] == ("[key]",):
        sentence = f"The key does not fit. {sentence}"
    return _Finding(location, expected, sentence, union_at, branch)


def _real_place(
    error: ErrorDetails, value: object
) -> tuple[tuple[str | int, ...], tuple[str | int, ...] | None, str]:
    """The error's place in the value, without the union branches that pydantic writes into it."""
    place: list[str | int] = []
    union_at: tuple[str | int, ...] | None = None
    branch = ""
    current: Any = value
    last = len(error["loc"]) - 1
    for index, part in enumerate(error["loc"]):
        if _holds(current, part):
            current = current[part]
        elif not (error["type"] == "missing" and index == last):
            if union_at is None and part != "[key]":
                union_at, branch = tuple(place), str(part)
            continue
        place.append(part)
    return tuple(place), union_at, branch


def _holds(value: object, part: str | int) -> bool:
    if isinstance(value, list):
        return isinstance(part, int) and part < len(value)
    return isinstance(value, dict) and part in value


def _merged(findings: Sequence[_Finding]) -> list[FieldProblem]:
    problems: list[FieldProblem] = []
    done: set[tuple[str | int, ...]] = set()
    for finding in findings:
        if finding.union_at is None:
            problems.append(_problem([finding]))
        elif finding.union_at not in done:
            done.add(finding.union_at)
            problems += _union(
                finding.union_at, [one for one in findings if one.union_at == finding.union_at]
            )
    return problems


def _union(at: tuple[str | int, ...], findings: Sequence[_Finding]) -> list[FieldProblem]:
    branches: dict[str, list[_Finding]] = {}
    for finding in findings:
        branches.setdefault(finding.branch, []).append(finding)
    closeness = {name: _closeness(at, branch) for name, branch in branches.items()}
    best = max(closeness.values())
    if best == 0:
        return [_problem([one for branch in branches.values() for one in branch])]
    closest = min((branch for name, branch in branches.items() if closeness[name] == best), key=len)
    return [_problem([finding]) for finding in closest]


def _closeness(at: tuple[str | int, ...], branch: Sequence[_Finding]) -> int:
    """0: the type is wrong; 1: the type fits, the value does not; 2: only something inside."""
    if all(len(finding.location) > len(at) for finding in branch):
        return 2
    return 0 if any(finding.expected and finding.location == at for finding in branch) else 1


def _problem(findings: Sequence[_Finding]) -> FieldProblem:
    first = findings[0]
    names = list(dict.fromkeys(one.expected for one in findings if one.expected is not None))
    sentence = first.sentence
    if len(names) > 1:
        got = sentence.partition(", got ")[2]
        sentence = f"Expected {', '.join(names[:-1])} or {names[-1]}, got {got}"
    containers = [_CONTAINERS[name] for name in names if name in _CONTAINERS]
    return FieldProblem(
        ".".join(map(str, first.location)),
        sentence,
        location=first.location,
        expected=containers[0] if containers else None,
    )


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _sentence(text: str, *, capital: bool = True) -> str:
    text = text.strip() or "The value does not fit"
    if capital:
        text = text[0].upper() + text[1:]
    return text if text.endswith((".", "!", "?", "。")) else f"{text}."
