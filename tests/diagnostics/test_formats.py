"""Problems as text and as JSON."""

import json

import pytest

from covel_host.diagnostics.codes import report
from covel_host.diagnostics.diagnostic import Related, Span
from covel_host.diagnostics.excerpt import MAX_WIDTH, excerpt_lines
from covel_host.diagnostics.formats import (
    format_concise,
    format_full,
    format_json,
    summary_line,
)
from covel_host.diagnostics.source import SourceText

FOUND = report(
    "yaml-duplicate-key",
    "The key 'version' is written twice in one map.",
    plugin="moss-ledger",
    file="PLUGIN.md",
    path="version",
    span=Span(3, 1, 3, 8),
    hint="Keep one of the two.",
    related=(Related("first written here", "PLUGIN.md", Span(2, 1, 2, 8)),),
)
WHOLE = report("root-manifest-missing", "The folder has no PLUGIN.md.", plugin="moss-ledger")
NOTE = report("dangling-link", "A link leads nowhere.", plugin="gone")
SOURCE = SourceText("---\nversion: 1\nversion: 2\n---\n")


def test_json_has_exactly_the_members_of_the_decision() -> None:
    document = json.loads(format_json([FOUND, WHOLE, NOTE], packages=2))
    assert document["version"] == 1
    assert document["summary"] == {"packages": 2, "errors": 2, "warnings": 1, "fixable": 0}
    first, second, _ = document["diagnostics"]
    assert first == {
        "code": "COV023",
        "name": "yaml-duplicate-key",
        "severity": "error",
        "plugin": "moss-ledger",
        "file": "PLUGIN.md",
        "line": 3,
        "column": 1,
        "endLine": 3,
        "endColumn": 8,
        "path": "version",
        "message": "The key 'version' is written twice in one map.",
        "hint": "Keep one of the two.",
        "related": [
            {
                "message": "first written here",
                "file": "PLUGIN.md",
                "line": 2,
                "column": 1,
                "endLine": 2,
                "endColumn": 8,
            }
        ],
    }
    assert second["file"] == second["path"] == ""
    assert second["line"] is None
    assert "hint" not in second
    assert "related" not in second


def test_concise_is_one_line_for_each_problem() -> None:
    lines = format_concise([FOUND, WHOLE]).splitlines()
    assert lines == [
        (
            "moss-ledger/PLUGIN.md:3:1: error COV023 yaml-duplicate-key: "
            "The key 'version' is written twice in one map."
        ),
        "moss-ledger: error COV301 root-manifest-missing: The folder has no PLUGIN.md.",
    ]


def test_full_shows_the_line_with_a_caret() -> None:
    text = format_full([FOUND], sources=lambda plugin, file: SOURCE)
    assert " 3 | version: 2\n   | ^^^^^^^\n" in text
    assert " 2 | version: 1\n   | ^^^^^^^\n" in text


def test_full_does_without_the_source() -> None:
    text = format_full([FOUND, WHOLE], sources=lambda plugin, file: None)
    assert "moss-ledger/PLUGIN.md:3:1" in text
    assert " | " not in text


def test_nothing_to_show_is_empty_text() -> None:
    assert format_full([], sources=lambda plugin, file: None) == ""
    assert format_concise([]) == ""


@pytest.mark.parametrize(
    ("found", "packages", "line"),
    [
        ([], 1, "No problems in 1 package."),
        ([FOUND], 1, "1 error in 1 package."),
        ([FOUND, WHOLE, NOTE], 1200, "2 errors, 1 warning in 1,200 packages."),
        ([NOTE], 2, "1 warning in 2 packages."),
    ],
)
def test_the_summary_counts_in_words(found: list, packages: int, line: str) -> None:
    assert summary_line(found, packages=packages) == line


def test_the_caret_stands_below_wide_characters() -> None:
    excerpt = excerpt_lines(SourceText("标题: x"), Span(1, 5, 1, 6))
    assert excerpt[1:] == [" 1 | 标题: x", "   |       ^"]


def test_tabs_are_shown_as_spaces_and_carets_follow() -> None:
    excerpt = excerpt_lines(SourceText("\tname: x"), Span(1, 2, 1, 6))
    assert excerpt[1:] == [" 1 |     name: x", "   |     ^^^^"]


def test_a_span_over_lines_is_marked_to_the_end_of_its_first() -> None:
    excerpt = excerpt_lines(SourceText("a: [b,\n  c]"), Span(1, 4, 2, 5))
    assert excerpt[2] == "   |    ^^^"


def test_long_lines_are_cut_around_the_place() -> None:
    text = "x" * 500 + "HERE" + "y" * 500
    _, line, carets = excerpt_lines(SourceText(text), Span(1, 501, 1, 505))
    assert len(line) <= MAX_WIDTH + 10
    start = carets.index("^")
    assert line[start : start + 4] == "HERE"


def test_a_long_marked_stretch_is_cut_too() -> None:
    _, line, carets = excerpt_lines(SourceText("x" * 900), Span(1, 1, 1, 901))
    assert max(len(line), len(carets)) <= MAX_WIDTH + 10
