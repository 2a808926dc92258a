"""All formats by name: full with colour, SARIF, GitHub; and the counts on the last line."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covel_host.diagnostics.ansi import wants_colour
from covel_host.diagnostics.codes import report
from covel_host.diagnostics.diagnostic import FileRename, Fix, Related, Span
from covel_host.diagnostics.format_text import format_full
from covel_host.diagnostics.formats import FORMATS, Report, summary_line
from covel_host.diagnostics.source import SourceText

SOURCE = SourceText("---\nverison: 1.0\nversion: x\n---\n")
FIX = Fix("Rename 'verison' to 'version'", (SOURCE.edit("PLUGIN.md", 4, 11, "version"),))
FOUND = report(
    "unknown-field",
    "The frontmatter has no field 'verison'.",
    plugin="moss-ledger",
    file="PLUGIN.md",
    path="verison",
    span=Span(2, 1, 2, 8),
    hint="The nearest field is 'version'.",
    related=(
        Related("first written here", "PLUGIN.md", Span(3, 1, 3, 8)),
        Related("somewhere else", ""),
    ),
    fix=FIX,
)
WHOLE = report("root-manifest-missing", "The folder has no PLUGIN.md.", plugin="moss ledger")
RENAMED = report(
    "manifest-file-case",
    "x",
    plugin="moss-ledger",
    file="Plugin.md",
    fix=Fix("Rename Plugin.md to PLUGIN.md", rename=FileRename("Plugin.md", "PLUGIN.md")),
)
NOTE = report("not-served-yet", "Nothing reads it.", plugin="moss-ledger", file="PLUGIN.md")
BASE = Path("/srv/story")
REPORT = Report(
    [FOUND, WHOLE, RENAMED, NOTE],
    packages=3,
    sources=lambda plugin, file: SOURCE,
    roots={"moss-ledger": BASE / "plugins/moss-ledger", "moss ledger": Path("/else/moss ledger")},
    base=BASE,
)


def sarif(found: Report = REPORT) -> Any:
    return json.loads(FORMATS["sarif"](found))


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_every_format_ends_its_last_line(name: str) -> None:
    assert FORMATS[name](REPORT).endswith("\n")
    assert FORMATS[name](Report([], packages=1)).endswith("\n")


@pytest.mark.parametrize("name", ["full", "concise", "github"])
def test_formats_for_people_end_with_the_counts(name: str) -> None:
    last = FORMATS[name](REPORT).splitlines()[-1]
    assert last == "3 errors, 1 note in 3 packages; 2 fixable (--fix)."
    assert FORMATS[name](Report([], packages=2)) == "No problems in 2 packages.\n"


def test_the_counts_tell_what_can_be_fixed() -> None:
    assert summary_line([FOUND], packages=1) == "1 error in 1 package; 1 fixable (--fix)."
    assert summary_line([WHOLE], packages=1) == "1 error in 1 package."


def test_json_carries_the_fix_in_lines_and_columns() -> None:
    document = json.loads(FORMATS["json"](REPORT))
    assert document["summary"] == {"packages": 3, "errors": 3, "warnings": 0, "fixable": 2}
    edited, whole, renamed, _ = document["diagnostics"]
    assert edited["fix"] == {
        "title": "Rename 'verison' to 'version'",
        "edits": [
            {
                "file": "PLUGIN.md",
                "line": 2,
                "column": 1,
                "endLine": 2,
                "endColumn": 8,
                "replacement": "version",
            }
        ],
    }
    assert "fix" not in whole
    assert renamed["fix"] == {
        "title": "Rename Plugin.md to PLUGIN.md",
        "edits": [],
        "rename": {"from": "Plugin.md", "to": "PLUGIN.md"},
    }


def test_full_says_how_a_fix_repairs() -> None:
    assert "  fix: Rename 'verison' to 'version'.\n" in FORMATS["full"](REPORT)


def test_concise_marks_what_can_be_fixed() -> None:
    assert FORMATS["concise"](REPORT).splitlines()[0].endswith("no field 'verison'. [fixable]")


def test_colour_is_added_and_nothing_else() -> None:
    def full(*, colour: bool) -> str:
        return format_full([FOUND, WHOLE], sources=lambda plugin, file: SOURCE, colour=colour)

    coloured = full(colour=True)
    assert "\x1b[1;31merror[COV101]\x1b[0m" in coloured
    assert "\x1b[1;31m^^^^^^^" in coloured.replace("\x1b[1;31m ", "\x1b[1;31m").replace(" ", "")
    plain = coloured
    for code in ("1;31", "1;33", "1;34", "36", "2", "32", "1", "0"):
        plain = plain.replace(f"\x1b[{code}m", "")
    assert plain == full(colour=False)


def test_what_a_package_wrote_cannot_steer_a_terminal() -> None:
    hostile = report("unknown-field", "a \x1b[2J b", plugin="p\x1b]", file="x\x07", hint="\x9b")
    for name in ("full", "concise"):
        text = FORMATS[name](Report([hostile], packages=1))
        assert not any(char in text for char in "\x1b\x07\x9b")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "environment", "wanted"),
    [
        (Terminal(), {}, True),
        (Terminal(), {"NO_COLOR": "1"}, False),
        (Terminal(), {"NO_COLOR": ""}, True),
        (Terminal(), {"TERM": "dumb"}, False),
        (io.StringIO(), {}, False),
        (io.StringIO(), {"FORCE_COLOR": "1"}, True),
        (io.StringIO(), {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_colour_is_for_terminals_that_want_it(
    stream: io.StringIO, environment: dict[str, str], wanted: bool
) -> None:
    assert wants_colour(stream, environment) is wanted


def test_a_closed_stream_is_no_terminal() -> None:
    stream = io.StringIO()
    stream.close()
    assert not wants_colour(stream, {})


def test_sarif_has_the_frame_of_the_standard() -> None:
    log = sarif()
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    assert run["columnKind"] == "unicodeCodePoints"
    driver = run["tool"]["driver"]
    assert driver["name"] == "covel"
    ids = [rule["id"] for rule in driver["rules"]]
    assert ids == sorted(set(ids))
    for rule in driver["rules"]:
        assert rule["defaultConfiguration"]["level"] in ("error", "warning", "note")
        for text in ("shortDescription", "fullDescription", "help"):
            assert rule[text]["text"]


def test_a_sarif_result_names_its_rule_and_place() -> None:
    run = sarif()["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["message"]["text"]
        (location,) = result["locations"]
        region = location["physicalLocation"].get("region")
        assert region is None or all(number >= 1 for number in region.values())
    first = run["results"][0]
    assert first["level"] == "error"
    assert first["locations"][0] == {
        "physicalLocation": {
            "artifactLocation": {"uri": "plugins/moss-ledger/PLUGIN.md", "uriBaseId": "SRCROOT"},
            "region": {"startLine": 2, "startColumn": 1, "endLine": 2, "endColumn": 8},
        },
        "logicalLocations": [{"fullyQualifiedName": "verison", "kind": "member"}],
    }
    (related,) = first["relatedLocations"]
    assert (related["id"], related["message"]["text"]) == (1, "first written here")
    assert run["results"][3]["level"] == "note"


def test_sarif_paths_are_addresses() -> None:
    whole = sarif()["runs"][0]["results"][1]
    place = whole["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "file:///else/moss%20ledger"}}
    bare = sarif(Report([WHOLE], packages=1))["runs"][0]["results"][0]
    assert bare["locations"][0]["physicalLocation"]["artifactLocation"] == {
        "uri": "moss%20ledger/",
        "uriBaseId": "SRCROOT",
    }


def test_sarif_carries_edits_and_leaves_out_renames() -> None:
    first, _, renamed, _ = sarif()["runs"][0]["results"]
    assert first["fixes"] == [
        {
            "description": {"text": "Rename 'verison' to 'version'."},
            "artifactChanges": [
                {
                    "artifactLocation": {
                        "uri": "plugins/moss-ledger/PLUGIN.md",
                        "uriBaseId": "SRCROOT",
                    },
                    "replacements": [
                        {
                            "deletedRegion": {
                                "startLine": 2,
                                "startColumn": 1,
                                "endLine": 2,
                                "endColumn": 8,
                            },
                            "insertedContent": {"text": "version"},
                        }
                    ],
                }
            ],
        }
    ]
    assert "fixes" not in renamed


def test_github_gets_one_command_for_each_problem() -> None:
    lines = FORMATS["github"](REPORT).splitlines()
    assert lines[0] == (
        "::error file=plugins/moss-ledger/PLUGIN.md,line=2,endLine=2,col=1,endColumn=8,"
        "title=COV101 unknown-field::The frontmatter has no field 'verison'.%0A"
        "The nearest field is 'version'."
    )
    assert lines[1].startswith(
        "::error title=COV301 root-manifest-missing::moss ledger: The folder"
    )
    assert lines[3].startswith("::notice file=plugins/moss-ledger/PLUGIN.md,title=COV411")


@given(message=st.text(), file=st.text(min_size=1))
def test_github_commands_stay_on_one_line_and_can_be_read_back(message: str, file: str) -> None:
    found = report("unknown-field", message, plugin="p", file=file)
    text = FORMATS["github"](Report([found], packages=1))
    command = text.split("\n")[0]
    assert "\r" not in text
    properties, _, data = command.removeprefix("::error ").partition("::")
    assert properties.count(",") == 1
    for raw, escaped in (("\n", "%0A"), ("\r", "%0D"), ("%", "%25")):
        data = data.replace(escaped, raw)
    assert data == message
