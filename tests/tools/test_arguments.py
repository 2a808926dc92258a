"""Argument repair: the properties of the five rules, and what the work costs."""

import contextlib
import json
import random
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.repair import structural_offsets
from covel_host.base.json_text import JsonTextError, parse_json
from covel_host.tools import arguments as arguments_module
from covel_host.tools.arguments import (
    ArgumentsError,
    ParsedArguments,
    arguments_of,
    history_text,
    parse_arguments,
    parse_field_text,
)
from covel_host.tools.arguments_fields import repair_text_fields
from covel_host.tools.arguments_quotes import escape_inner_quotes
from covel_host.tools.arguments_repairs import (
    ALONE,
    Repair,
    close_elements,
    close_open_brackets,
    drop_extra_closers,
    drop_repeated_openers,
    drop_stray_braces,
    exchange_last_closer,
)
from tests.support.work import calls_of, hang_guard
from tests.vector_adapters.comparing import same_json

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=("Cs",))),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=20,
)
NEARLY_JSON = st.lists(
    st.sampled_from(
        ["{", "}", "[", "]", ",", ":", '"', '"a"', '"b":', '{"', '{"{"', " ", "1", "门", "\\"]
    ),
    max_size=25,
).map("".join)
RULES: tuple[Repair, ...] = (drop_extra_closers, escape_inner_quotes, *ALONE)


# What goes in and out.


@given(JSON)
def test_text_that_parses_is_never_changed(value: object) -> None:
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False, indent=1)):
        parsed = parse_arguments(text)
        assert (parsed.text, parsed.repaired) == (text, False)
        assert same_json(parsed.value, value)


@given(NEARLY_JSON)
def test_an_answer_is_json_and_its_text_is_the_history(text: str) -> None:
    try:
        parsed = parse_arguments(text)
    except ArgumentsError:
        assert json.loads(history_text(text, None)) == text
        return
    assert same_json(json.loads(parsed.text), parsed.value)
    assert history_text(text, parsed) == parsed.text
    assert parsed.repaired == (parsed.text != text)


@given(NEARLY_JSON)
def test_no_two_rules_have_different_answers_for_one_text(text: str) -> None:
    try:
        parse_json(text)
        return
    except JsonTextError:
        pass
    values = []
    for rule in RULES:
        repaired = rule(text)
        if repaired is not None:
            try:
                values.append(parse_json(repaired))
            except JsonTextError:
                continue
    assert all(same_json(value, values[0]) for value in values)


@given(st.text())
def test_any_text_is_parsed_or_refused(text: str) -> None:
    for parse in (parse_arguments, parse_field_text):
        with contextlib.suppress(ArgumentsError):
            assert isinstance(parse(text), ParsedArguments)


def test_the_error_names_line_and_column() -> None:
    with pytest.raises(ArgumentsError) as caught:
        parse_arguments('{"query": "灯塔",\n "limit": }')
    assert (caught.value.line, caught.value.column) == (2, 11)
    assert "line 2, column 11" in caught.value.message
    assert caught.value.message.endswith("Send the complete arguments again as one JSON object.")


def test_the_error_of_a_failed_repair_is_that_of_the_text_as_it_came() -> None:
    with pytest.raises(ArgumentsError) as caught:
        parse_arguments('[{"{"id":"a"},{"id":"b"}}]')
    assert (caught.value.line, caught.value.column) == (1, 6)


def test_unreadable_text_with_a_lone_surrogate_still_goes_into_the_history() -> None:
    assert json.loads(history_text("{\ud800", None)) == "{\\ud800"


def test_changed_arguments_are_written_as_valid_json() -> None:
    changed = arguments_of({"name": "灯", "n": 2**70})
    assert changed.text == '{"name":"灯","n":1180591620717411303424}'
    assert changed.repaired


def test_empty_text_is_no_empty_object() -> None:
    with pytest.raises(ArgumentsError):
        parse_arguments(" ")


@pytest.mark.parametrize(
    "text", ['{"a":NaN}', '{"a":1e999}', '{"a":"\\ud800"}', "[" * 300 + "]" * 300, "[" * 100_000]
)
def test_what_json_cannot_hold_is_refused(text: str) -> None:
    with pytest.raises(ArgumentsError):
        parse_arguments(text)


# Each rule beyond its vectors: where it stops.


@pytest.mark.parametrize(
    ("rule", "text", "repaired"),
    [
        (drop_extra_closers, '{"a":1} ]\n}', '{"a":1}'),
        (drop_extra_closers, "12]", "12"),
        (drop_extra_closers, '{"a":1}', None),
        (drop_extra_closers, '{"a":1},]', None),
        (drop_extra_closers, '{"a":1}\u00a0}', None),
        (escape_inner_quotes, '{"a":"钟停在"12:30"那一刻"}', '{"a":"钟停在\\"12:30\\"那一刻"}'),
        (escape_inner_quotes, '["x \\"y\\" "z" w"]', '["x \\"y\\" \\"z\\" w"]'),
        (escape_inner_quotes, '{"a":"x \\"y" z"}', None),
        (escape_inner_quotes, '["a"{"b"]', None),
        (escape_inner_quotes, '["a" null, "b"]', None),
        (escape_inner_quotes, '{"a":"x" + "y"}', None),
        (escape_inner_quotes, '["a""b"]', None),
        (escape_inner_quotes, '["a" "b" "c"]', None),
        (
            close_elements,
            '[{"a":{"x":1}, {"a":{"x":2}, {"a":3}]',
            '[{"a":{"x":1}}, {"a":{"x":2}}, {"a":3}]',
        ),
        (close_elements, '{"a":{"b":{"x":1}, {"c":2}}}', None),
        (drop_stray_braces, '[{"a":1}},{"b":2}},{"c":3}]', '[{"a":1} ,{"b":2} ,{"c":3}]'),
        (drop_stray_braces, '[}{"a":1}]', '[ {"a":1}]'),
        (drop_stray_braces, '[{"a":1},}{"b":2}]', '[{"a":1}, {"b":2}]'),
        (drop_stray_braces, "[1}2]", "[1 2]"),
        (exchange_last_closer, '{"a":[1]] ', '{"a":[1]} '),
        (exchange_last_closer, "[}", "[]"),
        (exchange_last_closer, "[{]", None),
        (drop_repeated_openers, '{ "{ "id": 1}', '{ "id": 1}'),
        (drop_repeated_openers, '{"{":1}', None),
        (drop_repeated_openers, '{"a":"{\\"{\\"b"}', None),
        (close_open_brackets, '[{"a":[1', '[{"a":[1]}]'),
        (close_open_brackets, '[{"a":1]', None),
    ],
)
def test_rule(rule: Repair, text: str, repaired: str | None) -> None:
    assert rule(text) == repaired


def test_the_first_two_rules_may_come_together() -> None:
    parsed = parse_arguments('{"note":"叫作"锁"的灯"}}')
    assert parsed.value == {"note": '叫作"锁"的灯'}


def test_a_dropped_brace_never_joins_two_numbers() -> None:
    with pytest.raises(ArgumentsError):
        parse_arguments("[1}2]")


# One structural character wrong.


def random_value(source: random.Random, depth: int) -> object:
    shape = source.random()
    if depth == 0 or shape < 0.4:
        return source.choice(["旧码头", "a, b", '"x"', "}", "", 3, -1.5, True, None])
    if shape < 0.7:
        return {f"k{i}": random_value(source, depth - 1) for i in range(source.randint(0, 4))}
    return [random_value(source, depth - 1) for _ in range(source.randint(0, 4))]


def test_one_wrong_structural_character_is_almost_never_read_as_another_value() -> None:
    source = random.Random(20)
    wrong = repaired = 0
    for _ in range(4_000):
        value = {name: random_value(source, 4) for name in ("query", "rows", "last")}
        text = json.dumps(value, ensure_ascii=False)
        at = source.choice(structural_offsets(text))
        sign = source.choice(["", text[at] * 2, *"{}[],:"])
        broken = text[:at] + sign + text[at + 1 :]
        try:
            json.loads(broken)
            continue
        except ValueError:
            pass
        try:
            parsed = parse_arguments(broken).value
        except ArgumentsError:
            continue
        repaired += 1
        wrong += not same_json(parsed, value)
    assert repaired > 50
    assert wrong <= 4_000 * 0.003


def is_structural(text: str, match: re.Match[str]) -> bool:
    return match.start() in structural_offsets(text)


@given(
    st.recursive(
        st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["id", "{", ""]), inner),
    ).map(lambda value: {"id": value})
)
def test_the_three_plain_slips_are_always_repaired(value: dict[str, object]) -> None:
    text = json.dumps(value)
    openers = [match.start() for match in re.finditer(r'\{"', text) if is_structural(text, match)]
    doubled = [text[:offset] + '{"' + text[offset:] for offset in openers]
    for slip in (text + text[-1], text[:-1] + "]", *doubled):
        assert same_json(parse_arguments(slip).value, value)


# Cost.


def test_valid_text_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed = []

    def counting(text: str) -> object:
        parsed.append(text)
        return parse_json(text)

    monkeypatch.setattr(arguments_module, "parse_json", counting)
    parse_arguments('{"query":"灯塔","limit":4}')
    assert len(parsed) == 1


def test_a_text_is_parsed_at_most_once_per_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed = []

    def counting(text: str) -> object:
        parsed.append(text)
        return parse_json(text)

    monkeypatch.setattr(arguments_module, "parse_json", counting)
    with pytest.raises(ArgumentsError):
        parse_arguments('{"a":[{"x "y" z":1}, {"{"}}]}]')
    assert len(parsed) <= 2 + len(RULES)


ADVERSARIAL: dict[str, Callable[[int], str]] = {
    "openers": lambda n: "[{" * (n // 2),
    "closers": lambda n: "{" + "}" * n,
    "quotes": lambda n: '{"a":' + '"' * n,
    "quoted words": lambda n: '{"a":"' + '"x" ' * (n // 4),
    "backslashes": lambda n: '{"a":"' + "\\" * n,
    "white space": lambda n: '{"a":"x"' + " " * n + '"b"',
    "quotes in white space": lambda n: '{"a":"' + ('"' + " " * 99) * (n // 100) + "x",
    "elements": lambda n: "[" + '{"a":{"b":1}, ' * (n // 14),
    "opened twice": lambda n: '{"' * (n // 2),
    "opened with white space": lambda n: ("{" + " " * 98 + '"') * (n // 100),
    "numbers": lambda n: '["a" ' + "1," * (n // 2) + '"b" x',
}


def refused(text: str) -> None:
    for parse in (parse_arguments, parse_field_text):
        with pytest.raises(ArgumentsError):
            parse(text)


@pytest.mark.parametrize("shape", ADVERSARIAL)
def test_the_work_grows_with_the_length_of_the_text(shape: str) -> None:
    make = ADVERSARIAL[shape]
    refused(make(100))
    # Ten times the text; a quadratic rule would make a hundred times the calls ...
    assert calls_of(lambda: refused(make(20_000))) < 15 * calls_of(lambda: refused(make(2_000)))
    # ... and where it hides in one call, a pattern's, it would take minutes here.
    with hang_guard():
        refused(make(200_000))


# Text where the schema wants an array or an object.

ENTRY = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
TOOL = {
    "type": "object",
    "properties": {
        "entries": {"type": "array", "items": {"$ref": "#/$defs/Entry"}},
        "place": {"anyOf": [{"$ref": "#/$defs/Entry"}, {"type": "null"}]},
        "either": {"anyOf": [{"type": "array"}, {"type": "string"}]},
        "free": {},
        "tags": {"type": ["array", "null"], "items": {"type": "string"}},
    },
    "additionalProperties": {"type": "object"},
    "$defs": {"Entry": ENTRY},
}


@pytest.mark.parametrize(
    ("value", "repaired", "paths"),
    [
        ({"entries": '[{"id":"a"}]'}, {"entries": [{"id": "a"}]}, ("entries",)),
        ({"entries": ['{"id":"a"}']}, {"entries": [{"id": "a"}]}, ("entries.0",)),
        (
            {"entries": '["{\\"id\\":\\"a\\"}"]'},
            {"entries": [{"id": "a"}]},
            ("entries", "entries.0"),
        ),
        ({"place": '{"id":"a"'}, {"place": {"id": "a"}}, ("place",)),
        ({"tags": '["[1]"]'}, {"tags": ["[1]"]}, ("tags",)),
        ({"other": "{}"}, {"other": {}}, ("other",)),
        ({"either": "[1]", "free": "[1]"}, {"either": "[1]", "free": "[1]"}, ()),
    ],
)
def test_text_is_read_where_an_array_or_object_is_wanted(
    value: Any, repaired: object, paths: tuple[str, ...]
) -> None:
    fields = repair_text_fields(value, TOOL)
    assert fields.value == repaired
    assert fields.repaired_paths == paths
    assert fields.problems == ()


@pytest.mark.parametrize(
    ("value", "path", "message"),
    [
        (
            {"entries": "the two lamps"},
            "entries",
            (
                "Expected an array; the text given is not JSON: Expecting value "
                "(line 1, column 1 of the text). Pass an array itself, not text."
            ),
        ),
        (
            {"entries": '{"id":"a"}'},
            "entries",
            (
                "Expected an array; the text given is the JSON of an object. "
                "Pass an array itself, not text."
            ),
        ),
        (
            {"entries": ["7"]},
            "entries.0",
            (
                "Expected an object; the text given is the JSON of a single value. "
                "Pass an object itself, not text."
            ),
        ),
    ],
)
def test_text_that_cannot_be_read_says_why_and_what_to_pass(
    value: Any, path: str, message: str
) -> None:
    fields = repair_text_fields(value, TOOL)
    assert fields.value == value
    assert fields.repaired_paths == ()
    assert [(problem.path, problem.message) for problem in fields.problems] == [(path, message)]


def test_a_branch_that_a_constant_rules_out_has_no_say() -> None:
    schema: Any = {
        "type": "array",
        "items": {
            "anyOf": [
                {"properties": {"op": {"const": "note"}, "value": {"type": "string"}}},
                {"properties": {"op": {"const": "list"}, "value": {"type": "array"}}},
            ]
        },
    }
    value: Any = [{"op": "note", "value": "[1]"}, {"op": "list", "value": "[1]"}]
    fields = repair_text_fields(value, schema)
    assert fields.value == [{"op": "note", "value": "[1]"}, {"op": "list", "value": [1]}]


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}},
        {"$ref": "https://example.org/s.json"},
        {"$ref": "#/$defs/missing"},
        {"properties": {"a": True, "b": False}, "items": [], "type": [1], "anyOf": [True]},
        {"enum": ["a", None, 1, 1.5, True, [], {}]},
    ],
)
@given(JSON)
def test_no_schema_and_value_raise(schema: Any, value: Any) -> None:
    assert repair_text_fields(value, schema).value == value


def test_a_recursive_schema_with_alike_branches_costs_no_more_per_level() -> None:
    node = {"anyOf": [{"$ref": "#/$defs/Group"}, {"$ref": "#/$defs/Box"}]}
    branch = {"type": "object", "properties": {"parts": {"type": "array", "items": node}}}
    schema: Any = {"properties": {"root": node}, "$defs": {"Group": branch, "Box": {**branch}}}
    value: Any = '{"parts":[]}'
    for _ in range(40):
        value = {"parts": [value]}
    fields = repair_text_fields({"root": value}, schema)
    assert fields.repaired_paths == ("root" + ".parts.0" * 40,)


@given(JSON)
def test_fields_are_repaired_without_changing_what_was_given(value: Any) -> None:
    given_value = {"entries": json.dumps(value), "rest": [value]}
    before = json.dumps(given_value)
    repair_text_fields(given_value, TOOL)
    assert json.dumps(given_value) == before
