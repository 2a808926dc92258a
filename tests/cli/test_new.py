"""`covel new plugin`: templates copied, names checked, nothing overwritten, next steps."""

import shlex
from pathlib import Path

import pytest

from covel_host.cli.new import TEMPLATES
from tests.cli.support import ROOT, Covel


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_every_template_can_be_chosen() -> None:
    folders = {path.name for path in (ROOT / "templates").iterdir() if path.is_dir()}
    assert folders == {*TEMPLATES, "echo-demo", "examples", "worlds"}


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_new_package_is_the_template_and_passes_the_strict_check(
    covel: Covel, template: str
) -> None:
    made = covel("new", "plugin", "moss-ledger", "--template", template, "--dir", "here")
    assert (made.code, made.err) == (0, "")
    package = Path("here", "moss-ledger")
    assert contents(package) == contents(ROOT / "templates" / template)
    checked = covel("validate-plugin", package, "--strict")
    assert checked.code == 0, checked.out
    assert [path.name for path in Path("here").iterdir()] == ["moss-ledger"]


@pytest.fixture
def bundled(covel: Covel, monkeypatch: pytest.MonkeyPatch) -> None:
    """The packages that come with the host are found."""
    monkeypatch.setenv("COVEL_PLUGINS_DIR", str(ROOT / "builtin_plugins"))


@pytest.mark.usefixtures("bundled")
def test_the_last_step_shows_what_the_package_does(covel: Covel) -> None:
    shown = {"extension": "Let consequences follow", "prompt-only": "Write plainly."}
    shown["hooks"] = "pre_tool_use"
    for template, text in shown.items():
        made = covel("new", "plugin", f"a-{template}", "--template", template, "--json").json
        for command in made["next"][2:]:
            done = covel(*shlex.split(command)[1:])
            assert done.code == 0, (command, done)
        assert text in done.out


@pytest.mark.usefixtures("bundled")
@pytest.mark.parametrize("template", TEMPLATES)
def test_the_commands_named_as_next_steps_work(covel: Covel, template: str) -> None:
    made = covel("new", "plugin", "moss-ledger", "--template", template, "--dir", "a folder")
    commands = [line.partition(". covel ")[2] for line in made.out.splitlines()]
    assert len(list(filter(None, commands))) > 1, made.out
    # The tests of all templates are run in tests/templates, in one pytest; here those of one.
    tested = template == TEMPLATES[0]
    for command in (one for one in commands if one and (tested or not one.startswith("test"))):
        done = covel(*shlex.split(command), *(["--json"] if command.startswith("run") else []))
        assert done.code == 0, (command, done)


def test_without_a_folder_it_goes_where_packages_are_found(covel: Covel, home: Path) -> None:
    made = covel("new", "plugin", "moss-ledger")
    assert "from the template 'tool'" in made.out
    assert (home / "plugins" / "moss-ledger" / "PLUGIN.md").is_file()
    assert "covel run moss-ledger --payload" in made.out
    assert "moss-ledger" in covel("plugins", "list").out


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("Moss Ledger", "'moss-ledger' would be one"),
        ("moss_ledger", "'moss-ledger' would be one"),
        ("../moss", "'moss' would be one"),
        ("1st", "An ID begins with a lowercase letter"),
        ("..", "An ID begins"),
        ("", "An ID begins"),
        ("ä", "An ID begins"),
        ("moss\n", "'moss' would be one"),
        ("m" * 101, "at most 100"),
    ],
)
def test_a_name_that_is_no_id_is_refused_with_the_rule(covel: Covel, name: str, near: str) -> None:
    refused = covel("new", "plugin", name, "--dir", "here")
    assert refused.code == 1
    assert near in refused.err
    assert not Path("here").exists()


@pytest.mark.parametrize("kind", ["folder", "file", "link"])
def test_what_is_there_already_is_left_alone(covel: Covel, kind: str) -> None:
    place = Path("moss-ledger")
    if kind == "folder":
        place.mkdir()
    elif kind == "file":
        place.write_text("mine")
    else:
        place.symlink_to("nowhere")
    refused = covel("new", "plugin", "moss-ledger", "--dir", ".")
    assert refused.code == 1
    assert "is there already" in refused.err
    assert [path.name for path in Path().iterdir()] == ["moss-ledger"]


def test_a_folder_that_cannot_be_written_is_a_clear_error(covel: Covel) -> None:
    Path("file").write_text("")
    refused = covel("new", "plugin", "moss-ledger", "--dir", "file/inner")
    assert refused.code == 1
    assert "cannot be written" in refused.err


def test_two_templates_are_refused(covel: Covel) -> None:
    two = ("--template", "tool", "--template", "hooks")
    refused = covel("new", "plugin", "moss-ledger", *two, "--dir", "here")
    assert refused.code == 2
    assert "one template" in refused.err
    same = ("--template", "tool", "--template", "tool")
    assert covel("new", "plugin", "moss-ledger", *same, "--dir", "here").code == 0


def test_json_names_files_and_commands(covel: Covel) -> None:
    made = covel("new", "plugin", "moss-ledger", "--dir", "here", "--json").json
    tests = ["tests/runtime-cases.json", "tests/test_tool.py"]
    assert made["files"] == ["PLUGIN.md", "server/index.py", *tests]
    assert (made["template"], made["notes"]) == ("tool", [])
    assert [command.split()[1] for command in made["next"]] == [
        "validate-plugin",
        "test",
        "run",
    ]
