"""`covel validate-plugin`: places and advice, counts, exit codes, JSON."""

from pathlib import Path

import pytest

from tests.cli.support import ROOT, STORY, Covel, copy_echo, with_entry, write_package

CASES = ROOT / "tests" / "cases" / "manifests"
LOUD = STORY.replace("{ visibility: story }", "{ visibility: loud }")


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


def test_a_folder_of_packages_is_taken_apart(covel: Covel, tmp_path: Path) -> None:
    copy_echo(tmp_path / "all")
    write_package(tmp_path / "all", "loud", LOUD)
    checked = covel("validate-plugin", tmp_path / "all")
    assert checked.out.splitlines()[-1] == "1 error in 2 packages."


def test_all_cases_are_checked_in_one_call(covel: Covel) -> None:
    checked = covel("validate-plugin", CASES, "--json")
    assert checked.code == 1
    assert checked.json["summary"]["packages"] == 161


def test_a_package_named_twice_is_checked_once(covel: Covel, tmp_path: Path) -> None:
    package = copy_echo(tmp_path / "all")
    checked = covel("validate-plugin", package, package / "PLUGIN.md", tmp_path / "all")
    assert checked.out == "No problems in 1 package.\n"


def test_the_working_directory_is_a_package_too(
    covel: Covel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(copy_echo(tmp_path, "here"))
    checked = covel("validate-plugin", ".", "--format", "concise")
    assert checked.out == "No problems in 1 package.\n"


def test_no_code_is_run(covel: Covel, tmp_path: Path) -> None:
    package = with_entry(tmp_path, "careless", "open('ran', 'w')\n")
    assert covel("validate-plugin", package).code == 0
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
