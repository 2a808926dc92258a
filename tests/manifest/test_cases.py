"""The conformance packages of `tests/cases/manifests/`, as far as manifests alone tell."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from covel_host.diagnostics.formats import format_full, format_json
from covel_host.manifest.frontmatter import read_frontmatter_file
from covel_host.manifest.package import read_package
from tests.vector_adapters.manifests import copy_of, meets

CASES = Path(__file__).parents[1] / "cases" / "manifests"

# Invalid packages that reading finds, one folder a line. The others are found by looking at files
# that a manifest names (`rules/test_cases.py`).
BY_READING = frozenset(
    Path(__file__).with_name("cases_by_reading.txt").read_text(encoding="utf-8").split()
)


def packages() -> Iterator[Any]:
    for folder in sorted(CASES.iterdir()):
        expected = json.loads((folder / "expect.json").read_text(encoding="utf-8"))
        yield pytest.param(folder, expected, id=folder.name)


@pytest.mark.parametrize(("folder", "expected"), list(packages()))
def test_a_case_is_read_as_its_vector_says(
    folder: Path, expected: dict[str, Any], tmp_path: Path
) -> None:
    package = copy_of(folder, expected, tmp_path)
    if package is None:
        pytest.skip("links cannot be made here")
    reading = read_package(package)
    errors = [found for found in reading.diagnostics if found.severity == "error"]
    if expected["valid"]:
        assert errors == [], expected["why"]
        assert reading.manifest is not None
        return
    if folder.name not in BY_READING:
        # A rule on other files: the manifests alone are in order.
        assert errors == [], expected["why"]
        return
    for wanted in expected["errors"]:
        assert any(meets(found, wanted) for found in errors), (expected["why"], errors)
    assert reading.blocks_loading


def test_the_list_names_folders_that_exist() -> None:
    assert {folder.name for folder in CASES.iterdir()} >= BY_READING


@pytest.mark.parametrize("folder", sorted(CASES.iterdir()), ids=lambda folder: folder.name)
def test_the_pure_python_parser_reads_the_same_fields(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for file in sorted(folder.rglob("*.md")):
        with_c = read_frontmatter_file(file, plugin="p", file=file.name)
        with monkeypatch.context() as patch:
            patch.setattr(yaml, "__with_libyaml__", False)
            without_c = read_frontmatter_file(file, plugin="p", file=file.name)
        assert without_c.fields == with_c.fields
        assert [found.name for found in without_c.diagnostics] == [
            found.name for found in with_c.diagnostics
        ]


MANIFESTS = [
    file.read_bytes().decode("utf-8")
    for file in sorted(CASES.rglob("*.md"))
    if file.name in ("PLUGIN.md", "RUNTIME.md")
]


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=st.sampled_from(MANIFESTS),
    at=st.floats(0, 1),
    length=st.integers(0, 12),
    put=st.sampled_from(
        ["", "\n", " ", "\t", ": ", "- ", "{", "]", '"', "null", "*a", "&a ", "99"]
    ),
    name=st.sampled_from(["PLUGIN.md", "runtimes/a/RUNTIME.md"]),
)
def test_no_change_of_a_manifest_makes_reading_raise(
    text: str,
    at: float,
    length: int,
    put: str,
    name: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    start = int(at * len(text))
    changed = text[:start] + put + text[start + length :]
    file = tmp_path_factory.mktemp("x") / "moss-ledger" / name
    file.parent.mkdir(parents=True)
    file.write_bytes(changed.encode("utf-8"))
    root = file.parents[len(Path(name).parts) - 1]
    reading = read_package(root)
    text_shown = format_full(reading.diagnostics, sources=lambda plugin, file: reading.source(file))
    assert bool(text_shown) == bool(reading.diagnostics)
    format_json(reading.diagnostics, packages=1)
