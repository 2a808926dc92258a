"""The editor schemas accept every valid manifest and refuse what a schema can see."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from covel_host.manifest.editor_schema import DIALECT, FIELD_TEXTS, plugin_schema, runtime_schema
from covel_host.manifest.frontmatter import Frontmatter, read_frontmatter_file

REPOSITORY = Path(__file__).parents[2]
CASES = REPOSITORY / "tests" / "cases" / "manifests"
SCHEMAS = {"PLUGIN.md": plugin_schema(), "RUNTIME.md": runtime_schema()}
VALIDATORS = {name: jsonschema_rs.Draft202012Validator(schema) for name, schema in SCHEMAS.items()}
# Invalid packages that no schema of one manifest can tell: what is wrong lies in the file around
# the fields, in the YAML, in the folder, in another file, or between two groups of fields.
BEYOND_A_SCHEMA = frozenset(
    Path(__file__).with_name("cases_beyond_schema.txt").read_text(encoding="utf-8").split()
)


def expected(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "expect.json").read_text(encoding="utf-8"))
    return found


def manifests(folder: Path) -> Iterator[Frontmatter]:
    for file in sorted(folder.rglob("*.md")):
        if file.name in VALIDATORS:
            yield read_frontmatter_file(file, plugin=folder.name, file=file.name)


def refused(folder: Path) -> list[str]:
    """What the schemas say against the manifests of a package."""
    return [
        error.message
        for read in manifests(folder)
        if read.fields is not None
        for error in VALIDATORS[read.file].iter_errors(read.fields)
    ]


VALID = [folder for folder in sorted(CASES.iterdir()) if expected(folder)["valid"]]
INVALID = {folder.name for folder in CASES.iterdir()} - {folder.name for folder in VALID}
PACKAGES = [
    manifest.parent
    for place in ("templates", "builtin_plugins", "tests/golden/fixes/*/after")
    for manifest in sorted(REPOSITORY.glob(f"{place}/**/PLUGIN.md"))
]


@pytest.mark.parametrize("folder", [*VALID, *PACKAGES], ids=lambda folder: folder.name)
def test_a_valid_package_is_accepted(folder: Path) -> None:
    assert list(manifests(folder))
    assert refused(folder) == []


@pytest.mark.parametrize("name", sorted(INVALID - BEYOND_A_SCHEMA))
def test_what_a_schema_can_see_is_refused(name: str) -> None:
    assert refused(CASES / name), expected(CASES / name)["why"]


@pytest.mark.parametrize("name", sorted(BEYOND_A_SCHEMA))
def test_the_list_names_nothing_that_a_schema_sees(name: str) -> None:
    assert refused(CASES / name) == []


@pytest.mark.parametrize("name", sorted(SCHEMAS))
def test_a_schema_is_one_of_its_dialect(name: str) -> None:
    assert SCHEMAS[name]["$schema"] == DIALECT
    jsonschema_rs.meta.validate(SCHEMAS[name])
    json.dumps(SCHEMAS[name], allow_nan=False)


def objects(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "top", schema
    yield from schema["$defs"].items()


@pytest.mark.parametrize("name", sorted(SCHEMAS))
def test_every_object_is_closed_and_every_field_described(name: str) -> None:
    for model, found in objects(SCHEMAS[name]):
        assert found["additionalProperties"] is False, model
        assert found["description"].endswith("."), model
        for field, shape in found["properties"].items():
            assert shape["description"].endswith("."), (model, field)
            assert "_" not in field, (model, field)
            assert "title" not in shape, (model, field)


def test_the_texts_name_the_fields_that_there_are() -> None:
    schema = plugin_schema()
    written = {model: set(found["properties"]) for model, found in schema["$defs"].items()}
    written["RootManifest"] = set(schema["properties"])
    assert {model: set(texts) for model, texts in FIELD_TEXTS.items()} == written


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("entry", "../index.py"),
        ("entry", "/index.py"),
        ("entry", "C:/index.py"),
        ("entry", "server\\index.py"),
        ("entry", "server/.py"),
        ("entry", "server/index.js"),
        ("homepage", "https://user@example.org"),
        ("homepage", "https:///page"),
        ("displayName", None),
        ("version", 1.1),
    ],
)
def test_a_form_of_text_is_checked(field: str, value: object) -> None:
    fields = {"description": "x", field: value}
    assert list(VALIDATORS["PLUGIN.md"].iter_errors(fields))


def test_a_runtime_may_climb_to_its_package_and_name_a_contract() -> None:
    outputs = ["../../schemas/x.json", "contract:moss.tally@1"]
    for schema in outputs:
        fields = {"schedule": {"stage": "audit"}, "io": {"output": {"schema": schema}}}
        assert list(VALIDATORS["RUNTIME.md"].iter_errors(fields)) == []
