"""`docs/rules.md` says what is there: modules, vectors, test names, and the measured table."""

import ast
import importlib
import re
from pathlib import Path

import pytest

from tests.vectors import CASES, TOPICS, read_vectors

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("| \n").split(" | ")]
    for line in PAGE.partition("| --- | --- | --- | --- |\n")[2].partition("\n\n")[0].splitlines()
]
MODULES = sorted({name for row in ROWS for name in re.findall(r"`([\w.]+)`", row[1])})


def test_every_row_is_read() -> None:
    assert {len(row) for row in ROWS} == {4}


@pytest.mark.parametrize("name", MODULES)
def test_a_module_exists_and_is_small(name: str) -> None:
    module = importlib.import_module(name)
    assert module.__doc__
    assert module.__file__ is not None
    assert len(Path(module.__file__).read_text(encoding="utf-8").splitlines()) <= 400


def test_files_of_vectors_are_listed_with_their_counts() -> None:
    listed = dict(match for row in ROWS for match in re.findall(r"`(\w+)\.json`: (\d+)", row[2]))
    counts = {topic: str(len(read_vectors(CASES / f"{topic}.json"))) for topic in TOPICS}
    assert listed == counts


def test_properties_name_tests_that_exist() -> None:
    missing = []
    for row in ROWS:
        for file, names in re.findall(r"`(tests/[\w/]+\.py)`: ([^;]+)", row[3]):
            tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
            there = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
            missing += [
                f"{file}::{name}" for name in re.findall(r"\w+", names) if name not in there
            ]
    assert missing == []
    assert all("test_" in row[3] for row in ROWS)


def test_every_public_module_of_the_rules_is_listed_or_belongs_to_a_listed_one() -> None:
    """`ranking_postings` belongs to `ranking`, `schedule_types` to `schedule`."""
    listed = {name.rpartition(".")[2] for name in MODULES}
    folder = ROOT / "plugin_sdk" / "rules"
    unlisted = [
        file.stem
        for file in sorted(folder.glob("[!_]*.py"))
        if not any(file.stem.startswith(name.partition("_")[0]) for name in listed)
    ]
    assert unlisted == []


def test_the_table_of_broken_arguments_is_that_of_the_results() -> None:
    results = (ROOT / "benchmarks" / "RESULTS.md").read_text(encoding="utf-8").splitlines()
    quoted = PAGE.partition("<!-- quoted: -->\n")[2].strip().splitlines()
    assert len(quoted) > 3
    assert [line for line in quoted if line not in results] == []
