"""YAML with places: core scalars only, limits while reading, and never an exception."""

import json

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from covel_host.diagnostics import yaml_composer
from covel_host.diagnostics.yaml_document import MAX_DEPTH, MAX_NODES, YamlDocument, read_yaml
from tests.support.work import calls_of


def names(document: YamlDocument) -> list[str]:
    return [problem.name for problem in document.problems]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("no", "no"),
        ("on", "on"),
        ("y", "y"),
        ("12:30", "12:30"),
        ("2024-01-02", "2024-01-02"),
        ("1_000", "1_000"),
        ("0b11", "0b11"),
        ("true", True),
        ("FALSE", False),
        ("tRue", "tRue"),
        ("null", None),
        ("~", None),
        ("", None),
        ("7", 7),
        ("-7", -7),
        ("+7", 7),
        ("010", 10),
        ("0o10", 8),
        ("0x1F", 31),
        ("1.10", 1.1),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("1.2.3", "1.2.3"),
        ("'7'", "7"),
        ('"true"', "true"),
        ("99999999999999999999", 99999999999999999999),
    ],
)
def test_scalars_follow_the_core_schema(written: str, value: object) -> None:
    read = read_yaml(f"a: {written}\n").value
    assert read == {"a": value}
    assert type(read["a"]) is type(value)  # type: ignore[index]


def test_an_empty_list_item_is_no_value() -> None:
    assert read_yaml("a:\n  -\n").value == {"a": [None]}


def test_every_value_and_key_has_its_place() -> None:
    text = "a: 1\nlist:\n  - {x: 'é'}\n  - two\n"
    document = read_yaml(text)

    def at(place: tuple[int, int] | None) -> str:
        assert place is not None
        return text[place[0] : place[1]]

    assert at(document.place(("list", 0, "x"))) == "'é'"
    assert at(document.key_place(("list", 0, "x"))) == "x"
    assert at(document.place(("list", 1))) == "two"
    assert at(document.place(("list", 0))) == "{x: 'é'}"
    assert at(document.place(("list", 7, "gone"))) == "- {x: 'é'}\n  - two"


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_places_hold_with_every_line_end_and_beyond_the_basic_plane(line_end: str) -> None:
    text = line_end.join(["😀: x", "b: yes", "c: [1,", "  2]", ""])
    document = read_yaml(text)
    start, end = document.place(("c", 1)) or (0, 0)
    assert text[start:end] == "2"
    assert document.value == {"😀": "x", "b": "yes", "c": [1, 2]}


@pytest.mark.parametrize(
    ("text", "name", "marked"),
    [
        ("a: 1\na: 2\n", "yaml-duplicate-key", "a"),
        ("<<: {a: 1}\n<<: {b: 1}\n", "yaml-duplicate-key", "<<"),
        ("42: x\n", "yaml-key-not-text", "42"),
        ("null: x\n", "yaml-key-not-text", "null"),
        ("? [a]\n: x\n", "yaml-key-not-text", "["),
        ("a: !!str x\n", "yaml-tag", "!!str x"),
        ("a: !env X\n", "yaml-tag", "!env X"),
        ("a: .nan\n", "yaml-number", ".nan"),
        ("a: 1e999\n", "yaml-number", "1e999"),
        ("a: *gone\n", "yaml-unknown-alias", "*gone"),
        ("a: &a [*a]\n", "yaml-recursive-alias", "*a"),
        ("a: &a {b: *a}\n", "yaml-recursive-alias", "*a"),
        ("<<: 5\n", "yaml-merge", "5"),
        ("<<: [{a: 1}, 5]\n", "yaml-merge", "[{a: 1}, 5]"),
        ("a: 1\n--- x\n", "yaml-several-documents", ""),
        ("d: Herbs: all\n", "yaml-unquoted-colon", ":"),
        ("x:\n  d: Herbs: all\n", "yaml-unquoted-colon", ":"),
        ("{d: Herbs: all}\n", "yaml-unquoted-colon", ":"),
        ("a:\n\tb: 1\n", "yaml-tab", "\t"),
        ("a:\n  - x\n\t- y\n", "yaml-tab", "\t"),
        ("a: [1, 2\nb: 3\n", "yaml-syntax", ":"),
        ("a: 'x\n", "yaml-syntax", ""),
        ("a: @x\n", "yaml-syntax", "@"),
        ("a: \x07\n", "yaml-control-character", "\x07"),
        ("a: \ufeff\n", "yaml-control-character", "\ufeff"),
        ("\ufeffa: 1\n", "yaml-control-character", "\ufeff"),
        ("a: '\ufeff'\nb: x\ufeff\n", "yaml-control-character", "\ufeff"),
        ("a: \uffff\n", "yaml-control-character", "\uffff"),
        ('a: "\\ud83c\\udf3f"\n', "yaml-syntax", "d"),
    ],
)
def test_each_mistake_has_its_name_and_place(text: str, name: str, marked: str) -> None:
    problem = read_yaml(text).problems[0]
    assert problem.name == name
    assert text[problem.start : problem.end] == marked


@pytest.mark.parametrize(
    "text",
    [
        'a: "x\ufeffy"',
        "a: 'x\ufeffy'",
        "\"a\ufeff\": '\ufeff'",
        "a: x\x85y\u2028z\u2029",
        "a: |\n  x\u2028y\n",
    ],
)
def test_characters_that_end_no_line_stand_in_values_as_they_are(text: str) -> None:
    document = read_yaml(text)
    assert document.problems == ()
    (pair,) = document.value.items()  # type: ignore[attr-defined]
    written = {char for char in text if not char.isascii()}
    assert written == {char for char in "".join(pair) if not char.isascii()}
    _, end = document.place((pair[0],)) or (0, 0)
    assert text[:end].rstrip("\n") == text.rstrip("\n")


def test_a_manifest_at_all_its_counted_limits_can_be_read() -> None:
    argument = {"name": "a", "choices": [f"c{number}" for number in range(64)]}
    command = {"name": "a", "aliases": ["b"] * 16, "arguments": [argument] * 16}
    text = json.dumps({"commands": [command] * 32})
    assert read_yaml(text).problems == ()


def test_a_duplicate_key_shows_both_places_and_keeps_the_first_value() -> None:
    document = read_yaml("a: 1\nb: 2\na: 3\n")
    (problem,) = document.problems
    assert problem.first == (0, 1)
    assert (problem.start, problem.end) == (10, 11)
    assert document.value == {"a": 1, "b": 2}


def test_mistakes_of_single_nodes_are_all_reported() -> None:
    document = read_yaml("a: 1\na: 2\nb: !t x\n3: y\nc: .inf\n")
    assert names(document) == ["yaml-duplicate-key", "yaml-tag", "yaml-key-not-text", "yaml-number"]
    assert document.value == {"a": 1, "b": "x", "c": None}


def test_merged_members_yield_to_written_ones_and_earlier_sources_win() -> None:
    text = "a: &a {x: 1, y: 1}\nb: &b {y: 2, z: 2}\nc: {<<: [*a, *b], x: 3}\n"
    assert read_yaml(text).value["c"] == {"x": 3, "y": 1, "z": 2}  # type: ignore[index]


def test_a_quoted_merge_key_is_a_name() -> None:
    assert read_yaml('"<<": 1\n').value == {"<<": 1}


@pytest.mark.parametrize("text", ["", "\n", "# only a comment\n", "---\n"])
def test_no_content_is_no_value(text: str) -> None:
    document = read_yaml(text)
    assert document.value is None
    assert document.problems == ()


def test_depth_is_capped_where_it_is_exceeded() -> None:
    fits = "a: " + "[" * (MAX_DEPTH - 1) + "]" * (MAX_DEPTH - 1)
    assert read_yaml(fits).problems == ()
    assert names(read_yaml("a: " + "[" * MAX_DEPTH + "]" * MAX_DEPTH)) == ["yaml-too-deep"]


def test_nodes_are_counted_while_composing() -> None:
    text = "a: [" + "x, " * (MAX_NODES * 100) + "]"
    fits = "a: [" + "x, " * (MAX_NODES // 2) + "]"
    # A hundred times the nodes that fit cost no more than reading up to the limit, and the text.
    work = calls_of(lambda: read_yaml(fits))
    document = read_yaml(text)
    assert names(document) == ["yaml-too-large"]
    assert document.root is None
    assert calls_of(lambda: read_yaml(text)) < 5 * work


def test_an_alias_bomb_is_refused_by_what_it_stands_for() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    for level in range(1, 12):
        items = ", ".join([f"*a{level - 1}"] * 10)
        lines.append(f"a{level}: &a{level} [{items}]")
    assert names(read_yaml("\n".join(lines))) == ["yaml-too-large"]


def test_a_merge_bomb_is_refused_too() -> None:
    members = ", ".join(f"k{index}: x" for index in range(1000))
    merges = ", ".join(["{<<: *a}"] * 100)
    assert names(read_yaml(f"a: &a {{{members}}}\nb: [{merges}]\n")) == ["yaml-too-large"]


def test_a_number_too_long_to_print_is_refused() -> None:
    assert names(read_yaml("a: " + "1" * 5000)) == ["yaml-number"]
    assert names(read_yaml("a: 0x" + "f" * 5000)) == ["yaml-number"]


@given(st.text())
@example("? ")
@example("- ? : -")
@example("%YAML 1.1\n---\na")
@example("{" * 300)
@example("\ud800")
@example("a: &a\nb: *a")
def test_no_text_raises(text: str) -> None:
    document = read_yaml(text)
    assert document.root is not None or document.value is None
    for problem in document.problems:
        assert 0 <= problem.start <= problem.end <= len(text)


@given(st.text(alphabet="ab:-[]{}&*!?|>'\"#, \n\t<~0.", max_size=40))
def test_no_text_of_yaml_signs_raises(text: str) -> None:
    read_yaml(text)


CORPUS = (
    "a: 1\nb: [x, {y: 2.5}]\nc: null\n",
    "a: &a {k: v}\nb: {<<: *a, z: true}\n",
    "t: |\n  two\n  lines\nf: >-\n  folded\n  text\n",
    "q: \"é\\n😀\"\ns: 'it''s'\n",
    "- one\n- - nested\n",
)


@pytest.mark.parametrize("text", CORPUS)
def test_the_pure_python_parser_reads_equal_values(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_c = read_yaml(text)
    monkeypatch.setattr(yaml, "__with_libyaml__", False)
    without_c = read_yaml(text)
    assert without_c.value == with_c.value
    assert without_c.problems == with_c.problems == ()
    assert type(yaml_composer.event_parser(text)).__module__ == yaml_composer.__name__


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("a: 1\na: 2\n", "yaml-duplicate-key"),
        ("d: Herbs: all\n", "yaml-unquoted-colon"),
        ("a:\n\tb: 1\n", "yaml-tab"),
        ('a: "\\ud800"\n', "yaml-syntax"),
        ("a: [1\n", "yaml-syntax"),
    ],
)
def test_the_pure_python_parser_names_the_same_mistakes(
    text: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(yaml, "__with_libyaml__", False)
    assert names(read_yaml(text))[:1] == [name]
