"""`covel validate-plugin --fix` and `--diff`."""

import subprocess
from pathlib import Path

import pytest

from tests.cli.support import STORY, Covel, write_package
from tests.cli.test_validate_plugin import LOUD, SLIP


def test_fix_mends_what_has_one_reading_and_reports_the_rest(covel: Covel, tmp_path: Path) -> None:
    text = SLIP.replace("{ visibility: story }", "{ visibility: loud } # mine")
    package = write_package(tmp_path, "slip", text)
    fixed = covel("validate-plugin", package, "--fix")
    assert fixed.code == 1
    assert fixed.err == (
        "Fixed 1 problem:\n  slip/PLUGIN.md:3:1: unknown-field: Rename 'licence' to 'license'\n"
    )
    assert "visibility" in fixed.out
    assert fixed.out.splitlines()[-1] == "1 error in 1 package."
    assert (package / "PLUGIN.md").read_text() == text.replace("licence", "license")


def test_fix_of_a_package_without_a_rest_succeeds(covel: Covel, tmp_path: Path) -> None:
    package = write_package(tmp_path, "slip", SLIP)
    fixed = covel("validate-plugin", package, "--fix", "--json")
    assert fixed.code == 0
    assert fixed.json["summary"]["errors"] == 0
    assert covel("validate-plugin", package, "--fix").err == ""


def test_fix_touches_nothing_where_nothing_is_to_be_fixed(covel: Covel, tmp_path: Path) -> None:
    package = write_package(tmp_path, "loud", LOUD)
    before = (package / "PLUGIN.md").stat()
    covel("validate-plugin", package, "--fix")
    after = (package / "PLUGIN.md").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_fix_that_cannot_be_written_is_said_and_the_problem_stays(
    covel: Covel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = write_package(tmp_path, "slip", SLIP)

    def refuse(*arguments: object, **options: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.mkstemp", refuse)
    refused = covel("validate-plugin", package, "--fix")
    assert refused.code == 1
    assert refused.err == "Not fixed: slip/PLUGIN.md: Permission denied.\n"
    assert "1 fixable" in refused.out


def test_diff_shows_what_would_change_and_changes_nothing(covel: Covel, tmp_path: Path) -> None:
    package = write_package(Path.cwd(), "slip", SLIP)
    shown = covel("validate-plugin", package, "--diff")
    assert shown.code == 1
    assert shown.out == (
        "--- a/slip/PLUGIN.md\n"
        "+++ b/slip/PLUGIN.md\n"
        "@@ -1,6 +1,6 @@\n"
        " ---\n"
        " description: a story\n"
        "-licence: MIT # kept\n"
        "+license: MIT # kept\n"
        " runtime:\n"
        "   schedule:\n"
        "     trigger: { type: manual }\n"
    )
    assert shown.err == "1 error in 1 package; 1 fixable (--fix).\n"
    assert (package / "PLUGIN.md").read_text() == SLIP


@pytest.mark.parametrize("ends", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_the_difference_is_a_patch(covel: Covel, tmp_path: Path, ends: str) -> None:
    package = write_package(Path.cwd(), "slip", "")
    (package / "PLUGIN.md").write_bytes(SLIP.replace("\n", ends).encode())
    shown = covel("validate-plugin", package, "--diff", "--output", "json=left.json")
    subprocess.run(["git", "init", "-q"], check=True)
    subprocess.run(["git", "apply", "-"], input=shown.out.encode(), check=True)
    assert (package / "PLUGIN.md").read_bytes() == SLIP.replace("licence", "license").replace(
        "\n", ends
    ).encode()
    assert Path("left.json").is_file()


def test_diff_without_changes_fails_only_for_problems(covel: Covel, tmp_path: Path) -> None:
    good = write_package(tmp_path, "good", STORY)
    loud = write_package(tmp_path, "loud", LOUD)
    assert (covel("validate-plugin", good, "--diff").code) == 0
    assert (covel("validate-plugin", loud, "--diff").code) == 1
    assert covel("validate-plugin", loud, "--diff").out == ""


@pytest.mark.parametrize("other", [("--fix",), ("--json",), ("--format", "full")], ids=" ".join)
def test_diff_is_the_only_thing_printed(
    covel: Covel, tmp_path: Path, other: tuple[str, ...]
) -> None:
    refused = covel("validate-plugin", write_package(tmp_path, "slip", SLIP), "--diff", *other)
    assert refused.code == 2
    assert other[0] in refused.err
