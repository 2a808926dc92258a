"""After a syntax error with one reading the text is read on, and places stay where they were."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from covel_host.diagnostics.yaml_document import YamlDocument, read_yaml
from covel_host.diagnostics.yaml_nodes import ListNode, MapNode, Node
from covel_host.diagnostics.yaml_recovery import MAX_REPAIRS, applied
from tests.support.work import hang_guard


def names(document: YamlDocument) -> list[str]:
    return [problem.name for problem in document.problems]


def repaired(text: str) -> str:
    """`text` with all repairs of its problems made."""
    edits = [
        edit
        for problem in read_yaml(text).problems
        if problem.repair is not None
        for edit in problem.repair.edits
    ]
    return applied(text, tuple(sorted(edits)))


def texts(node: Node) -> Iterator[Node]:
    if isinstance(node, MapNode):
        for member in node.members.values():
            yield from texts(member)
    elif isinstance(node, ListNode):
        for item in node.items:
            yield from texts(item)
    else:
        yield node


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: b: c\nd: 1\n", {"a": "b: c", "d": 1}),
        ("a: b: c # d: e\n", {"a": "b: c"}),
        ("a: ends with:\nb: 1\n", {"a": "ends with:", "b": 1}),
        ("a: b: c\n# below\n\nd: e: f", {"a": "b: c", "d": "e: f"}),
        ("l:\n  - k: b: c\n    m: 1\n", {"l": [{"k": "b: c", "m": 1}]}),
        ("a:\n\tb: 1\n\n\t# c\n\td: e: f\n", {"a": {"b": 1, "d": "e: f"}}),
        ("a:\n\tb: 1\nc:\n\td: 2\n", {"a": {"b": 1}, "c": {"d": 2}}),
        ("a:\n    b: 1\n\tc: 2\n", {"a": {"b": 1, "c": 2}}),
        ("a:\n\t- b\n\t- c\r\nd: e: f\r\n", {"a": ["b", "c"], "d": "e: f"}),
    ],
)
def test_a_mistake_with_one_reading_is_read_as_meant(text: str, value: object) -> None:
    document = read_yaml(text)
    assert document.value == value
    assert all(problem.repair is not None for problem in document.problems)
    again = read_yaml(repaired(text))
    assert (again.value, again.problems) == (value, ())


@pytest.mark.parametrize(
    "text",
    [
        "a: b: c\n  goes on\n",
        "a: b:\n  - c\n",
        "- Note: this: that\n- other\n",
        "a: {b: c: d}\n",
        "a: 'b': c\n",
        "a: &x b: c\n",
        "a: - b: c\n",
        "a: |\n\tb\n\t\tc\n",
        "a:\n  b:\n    c: 1\n\td: 2\n",
        "a: b: c\nd: [\n",
    ],
)
def test_a_mistake_with_several_readings_ends_the_reading(text: str) -> None:
    document = read_yaml(text)
    assert document.root is None
    assert document.problems[-1].repair is None


def test_what_lies_below_a_mistake_has_its_own_place() -> None:
    text = 'first: a "quoted": b\nsecond: x\nsecond: y\nthird: [1, 2]\n'
    document = read_yaml(text)
    assert names(document) == ["yaml-unquoted-colon", "yaml-duplicate-key"]
    duplicate = document.problems[1]
    assert text[duplicate.start : duplicate.end] == "second"
    assert duplicate.first is not None
    assert duplicate.first[0] == text.index("second")
    place = document.place(("third", 1))
    assert place is not None
    assert text[slice(*place)] == "2"
    key = document.key_place(("third",))
    assert key is not None
    assert text[slice(*key)] == "third"


def test_many_mistakes_are_shown_up_to_a_limit() -> None:
    text = "".join(f"k{number}: a: b\n" for number in range(MAX_REPAIRS + 5))
    document = read_yaml(text)
    assert document.root is None
    assert names(document) == ["yaml-unquoted-colon"] * (MAX_REPAIRS + 1)
    assert [problem.repair is not None for problem in document.problems] == (
        [True] * MAX_REPAIRS + [False]
    )


LINES = (
    "a: b: c",
    "  a: b: c # d",
    "\ta: 1",
    "\t\tb: x: y",
    "l:",
    "  - x",
    "\t- k: v: w",
    "\t  m: 1",
    "# c: d",
    "",
    "t: |",
    "    text: more: yet",
    "q: 'x: y'",
    "f: {a: b: c}",
    "z: [",
    "  ]",
    "k: &n v",
    "o: *n",
)


@settings(deadline=None)
@given(lines=st.lists(st.sampled_from(LINES), max_size=10), end=st.sampled_from(["\n", "\r\n"]))
def test_reading_on_is_reading_the_repaired_text(lines: list[str], end: str) -> None:
    text = end.join(lines)
    document = read_yaml(text)
    again = read_yaml(repaired(text))
    if document.root is not None:
        assert again.value == document.value
        for node in texts(document.root):
            assert 0 <= node.start <= node.end <= len(text)
            if isinstance(node.value, str) and "\n" not in node.value:
                assert node.value in " ".join(text[node.start : node.end].split())
    for problem in document.problems:
        assert 0 <= problem.start <= problem.end <= len(text)


LONG_LINES = {
    "blanks in a key": "a" + " " * 200_000 + "b: c: d",
    "blanks in a value": "a: b: c" + " " * 200_000 + "x",
    "tabs in a value": "a: b: " + "\t " * 100_000 + "#",
    "tabs before a key": "\t" * 200_000 + "a: b",
    "many colons": "a: b: " + "c: " * 60_000,
    "blanks before a key": " " * 200_000 + "a: b: c",
}


@pytest.mark.parametrize("name", sorted(LONG_LINES))
def test_long_lines_are_read_in_time(name: str) -> None:
    with hang_guard():
        read_yaml(f"{LONG_LINES[name]}\nz: 1\n")
