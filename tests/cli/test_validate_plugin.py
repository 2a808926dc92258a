"""`covel validate-plugin`: places and advice, counts, exit codes, formats, files."""

import json
import os
import pty
import subprocess
from pathlib import Path

import pytest

from covel_host.cli.validation_output import FORMAT_NAMES
from covel_host.diagnostics.formats import FORMATS
from tests.cli.support import (
    ROOT,
    SCRIPT,
    STORY,
    Covel,
    copy_echo,
    covel_process,
    with_entry,
    write_package,
)

CASES = ROOT / "tests" / "cases" / "manifests"
LOUD = STORY.replace("{ visibility: story }", "{ visibility: loud }")
SLIP = STORY.replace("description: Tells one line.", "description: a story\nlicence: MIT # kept")
UNSERVED = STORY.replace("runtime:", "contributes: { wires: [tide] }\nruntime:", 1)
WIRES = """\
from plugin_sdk import hookimpl


@hookimpl
def register_wires(covel):
    return list(covel.wires)
"""


def test_a_good_package_has_no_problems(covel: Covel, tmp_path: Path) -> None:
    checked = covel("validate-plugin", copy_echo(tmp_path))
    assert (checked.code, checked.out, checked.err) == (0, "No problems in 1 package.\n", "")


def test_an_error_has_place_lines_field_and_advice(covel: Covel, tmp_path: Path) -> None:
    checked = covel("validate-plugin", write_package(tmp_path, "loud", LOUD))
    assert checked.code == 1
    assert "--> loud/PLUGIN.md:6:21" in checked.out
    assert "field: runtime.io.visibility" in checked.out
    assert "'story'" in checked.out
    assert checked.out.splitlines()[-1] == "1 error in 1 package."


def test_concise_is_one_line_each(covel: Covel, tmp_path: Path) -> None:
    package = write_package(tmp_path, "loud", LOUD)
    checked = covel("validate-plugin", package, "--format", "concise")
    first, last = checked.out.splitlines()
    assert first.startswith("loud/PLUGIN.md:6:21: error COV105 value-not-allowed: ")
    assert last == "1 error in 1 package."


@pytest.mark.parametrize("style", [("--json",), ("--format", "json")], ids=" ".join)
def test_json_is_the_documented_shape(covel: Covel, tmp_path: Path, style: tuple[str, ...]) -> None:
    package = write_package(tmp_path, "loud", LOUD)
    checked = covel("validate-plugin", package, *style)
    assert checked.code == 1
    assert checked.json["version"] == 1
    assert checked.json["summary"] == {"packages": 1, "errors": 1, "warnings": 0, "fixable": 0}
    (found,) = checked.json["diagnostics"]
    assert found["plugin"] == "loud"
    assert found["file"] == "PLUGIN.md"
    assert (found["line"], found["column"]) == (6, 21)


def test_every_format_of_the_diagnostics_can_be_chosen() -> None:
    assert FORMAT_NAMES == tuple(FORMATS)


def test_several_reports_are_written_at_once(covel: Covel, tmp_path: Path) -> None:
    package = write_package(tmp_path, "loud", LOUD)
    checked = covel(
        *("validate-plugin", package, "--format", "concise"),
        *("--output", "sarif=report.sarif", "--output", "json=report.json"),
        *("--output", "full=report.txt", "--output", "github=report.gh"),
    )
    assert checked.code == 1
    assert checked.out.startswith("loud/PLUGIN.md:6:21: error")
    assert json.loads(Path("report.sarif").read_text())["version"] == "2.1.0"
    assert json.loads(Path("report.json").read_text())["summary"]["errors"] == 1
    assert "--> loud/PLUGIN.md:6:21" in Path("report.txt").read_text()
    assert Path("report.gh").read_text().startswith("::error ")


@pytest.mark.parametrize(
    ("output", "said"),
    [
        (["json"], "FORMAT=FILE"),
        (["yaml=x"], "concise"),
        (["json="], "FORMAT=FILE"),
        (["json=x", "sarif=x"], "named twice"),
        (["json=nowhere/x"], "cannot be written"),
    ],
    ids=lambda value: str(value),
)
def test_an_output_that_cannot_be_is_wrong_usage(
    covel: Covel, tmp_path: Path, output: list[str], said: str
) -> None:
    options = [part for one in output for part in ("--output", one)]
    refused = covel("validate-plugin", copy_echo(tmp_path), *options)
    assert refused.code == 2
    assert said in refused.err


def test_json_and_another_format_are_not_both_printed(covel: Covel, tmp_path: Path) -> None:
    package = copy_echo(tmp_path)
    assert covel("validate-plugin", package, "--json", "--format", "full").code == 2
    assert covel("validate-plugin", package, "--json", "--format", "json").code == 0


def test_strict_counts_warnings_and_never_notes(covel: Covel, tmp_path: Path) -> None:
    repeated = STORY.replace("runtime:", "tags: [a, a]\nruntime:", 1)
    warned = write_package(tmp_path, "warned", repeated)
    noted = write_package(tmp_path, "noted", UNSERVED, WIRES)
    for package, plain, strict in ((warned, 0, 1), (noted, 0, 0)):
        assert covel("validate-plugin", package).code == plain
        assert covel("validate-plugin", package, "--strict").code == strict
    assert "1 note in 1 package." in covel("validate-plugin", noted).out


def test_what_the_host_does_not_serve_is_a_note_that_says_what_follows(
    covel: Covel, tmp_path: Path
) -> None:
    found = covel("validate-plugin", write_package(tmp_path, "noted", UNSERVED, WIRES), "--json")
    (note,) = found.json["diagnostics"]
    assert (note["name"], note["severity"]) == ("not-served-yet", "info")
    assert "does not load the package" in note["hint"]


def test_a_folder_of_packages_is_taken_apart(covel: Covel, tmp_path: Path) -> None:
    copy_echo(tmp_path / "all")
    write_package(tmp_path / "all", "loud", LOUD)
    checked = covel("validate-plugin", tmp_path / "all")
    assert checked.out.endswith(
        "\n"
        "PACKAGE  ERRORS  WARNINGS  NOTES  FIXABLE\n"
        "loud     1       0         0      0\n"
        "1 package without problems.\n"
        "\n"
        "1 error in 2 packages.\n"
    )


def test_all_cases_are_checked_in_one_call(covel: Covel) -> None:
    checked = covel("validate-plugin", CASES, "--json")
    assert checked.code == 1
    assert checked.json["summary"]["packages"] == 161


def test_many_packages_are_checked_alike_by_several_processes(tmp_path: Path) -> None:
    for number in range(200):
        write_package(tmp_path / "all", f"story-{number}", LOUD if number % 3 else STORY)
    many = covel_process("validate-plugin", str(tmp_path / "all"), "--format", "concise")
    lines = many.stdout.splitlines()
    few = covel_process("validate-plugin", str(tmp_path / "all" / "story-1"), "--format", "concise")
    assert (many.returncode, many.stderr) == (1, "")
    assert lines[-1] == "133 errors in 200 packages."
    assert lines[0] == few.stdout.splitlines()[0]
    assert lines[:-1] == sorted(lines[:-1])


def test_a_package_named_twice_is_checked_once(covel: Covel, tmp_path: Path) -> None:
    package = copy_echo(tmp_path / "all")
    checked = covel("validate-plugin", package, package / "PLUGIN.md", tmp_path / "all")
    assert checked.out == "No problems in 1 package.\n"


def test_two_packages_of_one_id_never_show_each_others_lines(covel: Covel, tmp_path: Path) -> None:
    one = write_package(tmp_path / "one", "loud", LOUD)
    two = write_package(tmp_path / "two", "loud", LOUD.replace("Tells", "# no"))
    checked = covel("validate-plugin", one, two)
    assert checked.code == 1
    assert " | " not in checked.out
    assert checked.out.splitlines()[-1].startswith("3 errors in 2 packages")


def test_the_working_directory_is_a_package_too(
    covel: Covel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(copy_echo(tmp_path, "here"))
    checked = covel("validate-plugin", ".", "--format", "concise")
    assert checked.out == "No problems in 1 package.\n"


def test_no_code_is_run(covel: Covel, tmp_path: Path) -> None:
    package = with_entry(tmp_path, "careless", "open('ran', 'w')\n")
    covel("validate-plugin", package, "--fix")
    assert not Path("ran").exists()


def test_a_folder_without_packages_is_refused(covel: Covel, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    refused = covel("validate-plugin", tmp_path / "empty")
    assert refused.code == 1
    assert "There is no package in" in refused.err
    assert "PLUGIN.md" in refused.err
    as_json = covel("validate-plugin", tmp_path / "empty", "--format", "json")
    assert as_json.json["error"]["code"] == "package-not-found"


def test_a_path_that_does_not_exist_is_wrong_usage(covel: Covel, tmp_path: Path) -> None:
    assert covel("validate-plugin", tmp_path / "nowhere").code == 2
    assert covel("validate-plugin").code == 2


def test_a_schema_that_a_load_would_refuse_is_found(covel: Covel, tmp_path: Path) -> None:
    manifest = STORY.replace("visibility: story", "payloadSchema: ./payload.json")
    package = write_package(tmp_path, "strict", manifest)
    (package / "payload.json").write_text('{"type": "objekt"}', encoding="utf-8")
    checked = covel("validate-plugin", package)
    assert checked.code == 1
    assert "payload.json" in checked.out


def test_a_missing_library_is_named_with_the_command_that_installs_it(
    covel: Covel, tmp_path: Path
) -> None:
    manifest = STORY.replace(
        "runtime:", 'python: { dependencies: ["no-such-lib-of-ours>=1"] }\nruntime:', 1
    )
    checked = covel("validate-plugin", write_package(tmp_path, "needy", manifest))
    assert checked.code == 1
    assert "python -m pip install 'no-such-lib-of-ours>=1'" in checked.out


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"---\ndescription: caf\xe9\n---\n", "UTF-8"),
        (b"---\ndescription: a: b\n---\n", "PLUGIN.md:2:"),
        (b"description: none\n", "---"),
        (b"", "---"),
        (b"---\n" + b"x: 1\n" * 2_200_000 + b"---\n", "10"),
    ],
    ids=["not-utf-8", "unquoted-colon", "no-fence", "empty", "huge"],
)
def test_a_manifest_that_cannot_be_read_has_a_clear_error(
    covel: Covel, tmp_path: Path, content: bytes, said: str
) -> None:
    package = tmp_path / "all" / "odd"
    package.mkdir(parents=True)
    (package / "PLUGIN.md").write_bytes(content)
    copy_echo(tmp_path / "all")
    checked = covel("validate-plugin", tmp_path / "all")
    assert checked.code == 1
    assert said in checked.out
    assert "--> odd/PLUGIN.md" in checked.out
    assert "Traceback" not in checked.out
    assert "in 2 packages" in checked.out.splitlines()[-1]


def test_a_manifest_that_is_a_folder_has_a_clear_error(covel: Covel, tmp_path: Path) -> None:
    (tmp_path / "odd" / "PLUGIN.md").mkdir(parents=True)
    checked = covel("validate-plugin", tmp_path / "odd")
    assert checked.code == 1
    assert "1 package" in checked.out


def test_colour_is_for_terminals_and_can_be_forced_or_refused(
    covel: Covel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = write_package(tmp_path, "loud", LOUD)
    assert "\x1b[" not in covel("validate-plugin", package).out
    monkeypatch.setenv("FORCE_COLOR", "1")
    forced = covel("validate-plugin", package, "--output", "full=plain.txt")
    assert "\x1b[1;31merror[COV105]\x1b[0m" in forced.out
    assert "\x1b[" not in Path("plain.txt").read_text()
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in covel("validate-plugin", package).out


def on_terminal(*arguments: str, environ: dict[str, str] | None = None) -> str:
    """What one call of the program shows on a terminal, both streams together."""
    master, slave = pty.openpty()
    plain = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    with subprocess.Popen(
        [SCRIPT, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=slave,
        stderr=slave,
        env={**plain, "TERM": "xterm", **(environ or {})},
    ):
        os.close(slave)
        shown = bytearray()
        try:
            while read := os.read(master, 65_536):
                shown += read
        except OSError:  # the other end is closed
            pass
    os.close(master)
    return shown.decode("utf-8").replace("\r\n", "\n")


def test_a_terminal_gets_colour_and_a_reader_of_a_pipe_does_not(tmp_path: Path) -> None:
    package = str(write_package(tmp_path, "loud", LOUD))
    assert "\x1b[1;31merror[COV105]" in on_terminal("validate-plugin", package)
    assert "\x1b[" not in on_terminal("validate-plugin", package, environ={"NO_COLOR": "1"})


def test_progress_is_shown_on_a_terminal_when_there_are_many_packages(tmp_path: Path) -> None:
    for number in range(60):
        write_package(tmp_path / "all", f"story-{number}", STORY)
    assert "Checking packages" in on_terminal("validate-plugin", str(tmp_path / "all"))
    piped = covel_process("validate-plugin", str(tmp_path / "all"))
    assert (piped.stdout, piped.stderr) == ("No problems in 60 packages.\n", "")
