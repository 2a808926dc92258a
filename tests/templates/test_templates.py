"""Every template is a valid package, and what this version serves of it loads and runs."""

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from covel_host.cli.new import TEMPLATES
from covel_host.cli.new_package import RUNS
from covel_host.cli.validation import check_package
from tests.cli.support import ROOT, Covel, call, write_script

FOLDER = ROOT / "templates"
# World packs are no packages; `tests/cli/test_validate_world.py` checks those.
ALL = sorted(
    path for path in FOLDER.iterdir() if path.is_dir() and path.name not in ("examples", "worlds")
)
EXAMPLES = sorted(path for path in (FOLDER / "examples").iterdir() if path.is_dir())
MOST_LINES = 150
"""Lines of an example at most, without its tests: it has to be read in one go."""


def is_served(template: str) -> bool:
    """Whether this version loads and runs the template."""
    return not any(found.hint for found in check_package(FOLDER / template).diagnostics)


@pytest.mark.parametrize("template", [*ALL, *EXAMPLES], ids=lambda path: path.name)
def test_a_template_has_nothing_but_notes_on_what_is_not_served(template: Path) -> None:
    found = check_package(template).diagnostics
    assert [one for one in found if one.name != "not-served-yet"] == []


@pytest.mark.parametrize("template", ALL, ids=lambda path: path.name)
def test_a_template_works_under_any_name(template: Path) -> None:
    for path in template.rglob("*"):
        if path.suffix in (".md", ".json"):
            text = path.read_text(encoding="utf-8")
            assert f"{template.name}/" not in text
            assert f"{template.name}@" not in text


def test_the_page_of_templates_names_each() -> None:
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    rows = [line.split("`")[1] for line in page.splitlines() if line.startswith("| `")]
    assert sorted(rows) == sorted(path.name for path in [*ALL, *EXAMPLES])


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_an_example_is_short(example: Path) -> None:
    files = [path for path in example.rglob("*") if path.is_file()]
    own = [path for path in files if path.suffix in (".md", ".py", ".json")]
    lines = [
        line
        for path in own
        if "tests" not in path.relative_to(example).parts
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    assert len(lines) < MOST_LINES


@pytest.mark.parametrize("template", [name for name in TEMPLATES if is_served(name)])
def test_a_served_template_loads(covel: Covel, home: Path, template: str) -> None:
    covel("new", "plugin", "moss-ledger", "--template", template)
    listed = covel("plugins", "list", "--load", "--trust", "moss-ledger", "--json")
    (package,) = listed.json["packages"]
    assert (package["status"], package["problems"]["errors"]) == ("loaded", 0)


@pytest.mark.parametrize(
    "template", [name for name in RUNS if is_served(name) and "{target}" in RUNS[name]]
)
def test_a_served_template_runs_offline(covel: Covel, template: str) -> None:
    covel("new", "plugin", "moss-ledger", "--template", template)
    given = shlex.split(RUNS[template].format(target="moss-ledger"))
    model = ["--model", "offline"] if given[0] == "run" else []
    done = covel(*given, "--trust", "moss-ledger", *model, "--json")
    assert done.code == 0, done
    assert done.json["committed" if given[0] == "run" else "writes"] == 1


def test_the_commands_of_the_action_template_are_typed(covel: Covel) -> None:
    covel("new", "plugin", "moss-ledger", "--template", "action")
    begun = covel("sessions", "new", "--with", "moss-ledger", "--json").json["sessionId"]

    def typed(line: str) -> str:
        done = covel("rpc", begun, line, "--trust", "moss-ledger")
        assert done.code == 0, done
        return done.out.strip()

    assert typed("/notes") == "No notes yet."
    assert typed("/note The door was open") == "Noted."
    assert typed("/notes") == "1. The door was open"
    assert typed("/help").splitlines()[0] == "/note <text...>  Note something down."


def test_two_runtimes_of_one_template_share_their_data(covel: Covel, tmp_path: Path) -> None:
    covel("new", "plugin", "moss-ledger", "--template", "multi-runtime")
    noted = write_script(
        tmp_path / "gather.json",
        call("note-plant", {"name": "Sphagnum", "note": "by the pier"}),
        call("runtime-done"),
    )
    first = covel(
        *("run", "moss-ledger/gather", "--model", noted, "--trust", "moss-ledger", "--json")
    )
    assert first.code == 0, first
    told = write_script(tmp_path / "report.json", call("list-plants"), {"text": "Peat moss."})
    second = covel(
        *("run", "moss-ledger/report", "--model", told, "--trust", "moss-ledger", "--json"),
        *("--session", first.json["sessionId"]),
    )
    assert second.code == 0, second
    (listed,) = second.json["toolCalls"]
    plants = json.loads(listed["envelope"])
    assert "Sphagnum" in json.dumps(plants)


def test_the_tests_of_templates_pass_under_any_name_and_those_of_examples(tmp_path: Path) -> None:
    """In one pytest for all: `covel test` runs the same for one (tests/cli)."""
    for template in ALL:
        shutil.copytree(template, tmp_path / f"moss-{template.name}")
    for example in EXAMPLES:
        shutil.copytree(example, tmp_path / example.name)
    options = ["-p", "no:cacheprovider", "--import-mode=importlib", "-W", "error"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "--junitxml=report.xml", "."],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    cases = ElementTree.parse(tmp_path / "report.xml").iter("testcase")
    tested = {(case.get("classname") or "").split(".")[0] for case in cases}
    assert tested >= {f"moss-{template.name}" for template in ALL}
    assert tested >= {example.name for example in EXAMPLES}
