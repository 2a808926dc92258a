"""`covel test`: the tests of a package, as its author runs them."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.support import covel_process
from tests.support.kit_package import write_stall

TEST = """
def test_it_counts(covel):
    assert covel.run("count").output["count"] == 0


def test_it_sells(covel):
    assert covel.plugin_id == "shop", "no shop"
"""
CASES = '[{"name": "counts", "runtimeId": "count"}]'


@pytest.fixture
def stall(tmp_path: Path) -> Path:
    package = write_stall(tmp_path)
    (package / "tests").mkdir()
    (package / "tests" / "test_it.py").write_text(TEST, encoding="utf-8")
    (package / "tests" / "runtime-cases.json").write_text(CASES, encoding="utf-8")
    return package


def files(package: Path) -> set[str]:
    return {str(path.relative_to(package)) for path in package.rglob("*")}


def test_tests_and_cases_are_run_and_leave_nothing_in_the_package(
    stall: Path, tmp_path: Path
) -> None:
    before = files(stall)
    home = tmp_path / "home"
    done = covel_process("test", str(stall), environ={"COVEL_HOME": str(home)})
    assert done.returncode == 1
    assert "1 failed, 2 passed" in done.stdout
    assert "no shop" in done.stdout
    assert files(stall) == before
    assert not home.exists()


def test_json_is_one_document_and_the_report_goes_to_standard_error(stall: Path) -> None:
    done = covel_process("test", str(stall), "--json")
    assert done.returncode == 1
    report = json.loads(done.stdout)
    assert report["pluginId"] == "stall"
    assert report["status"] == "failed"
    assert report["summary"] == {"passed": 2, "failed": 1, "error": 0, "skipped": 0}
    tests = {test["name"]: test for test in report["tests"]}
    assert tests["tests/runtime-cases.json::counts"]["outcome"] == "passed"
    assert tests["tests/test_it.py::test_it_sells"]["outcome"] == "failed"
    assert "no shop" in tests["tests/test_it.py::test_it_sells"]["message"]
    assert "1 failed, 2 passed" in done.stderr


def test_what_stands_after_the_dashes_goes_to_pytest(stall: Path) -> None:
    done = covel_process("test", str(stall), "--json", "--", "-k", "counts")
    assert done.returncode == 0
    assert json.loads(done.stdout)["summary"]["passed"] == 2
    done = covel_process("test", str(stall), "--", "-k", "nothing")
    assert done.returncode == 1
    assert "None of the tests of 'stall' was chosen." in done.stderr


def test_junit_is_written_where_it_is_asked_for(stall: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    covel_process("test", str(stall), "--junit", str(report))
    names = {case.get("name") for case in ElementTree.parse(report).iter("testcase")}
    assert names == {"counts", "test_it_counts", "test_it_sells"}


def test_a_package_without_tests_and_a_folder_without_package_are_told(tmp_path: Path) -> None:
    package = write_stall(tmp_path)
    done = covel_process("test", str(package))
    assert done.returncode == 1
    assert "The package 'stall' has no tests." in done.stderr
    done = covel_process("test", str(tmp_path))
    assert done.returncode == 1
    assert "is not the folder of a package" in done.stderr
    done = covel_process("test", str(package), "--json")
    assert json.loads(done.stdout)["error"]["code"] == "no-tests"


def test_cases_alone_are_tests(tmp_path: Path) -> None:
    package = write_stall(tmp_path)
    (package / "covel.test.json").write_text(CASES, encoding="utf-8")
    done = covel_process("test", str(package))
    assert done.returncode == 0
    assert "1 passed" in done.stdout
