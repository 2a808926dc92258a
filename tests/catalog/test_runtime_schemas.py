from pathlib import Path

import pytest

from covel_host.catalog.generation import RuntimeSchemas
from covel_host.catalog.runtime_schemas import compile_schemas
from covel_host.catalog.sources import read_sources
from covel_host.diagnostics.diagnostic import Diagnostic
from covel_host.manifest.package import read_package
from tests.catalog.builders import write_package

SCHEMA = '{"type": "object", "required": ["key"]}'


def compiled(root: Path, io: str, **documents: str) -> tuple[RuntimeSchemas, list[Diagnostic]]:
    files = {
        "runtimes/gather/RUNTIME.md": (
            f"---\nschedule:\n  trigger: {{type: manual}}\nio:\n  {io}\n---\nGather.\n"
        ),
        **{f"{name}.json": text for name, text in documents.items()},
    }
    package = write_package(root / "moss-ledger", files)
    schemas, problems = compile_schemas(read_package(package), read_sources(package))
    return schemas["moss-ledger/gather"], problems


def test_a_runtime_without_schemas_has_none(tmp_path: Path) -> None:
    assert compiled(tmp_path, "visibility: plugin") == (RuntimeSchemas(), [])


def test_a_path_may_climb_to_the_packages_root(tmp_path: Path) -> None:
    schemas, problems = compiled(
        tmp_path, "payloadSchema: ../../schemas/x.json", **{"schemas/x": SCHEMA}
    )
    assert problems == []
    assert schemas.payload is not None
    assert schemas.payload.accepts({"key": 1})
    assert not schemas.payload.accepts({})
    assert schemas.output is None


def test_the_output_schema_is_found_beside_the_runtime(tmp_path: Path) -> None:
    schemas, problems = compiled(
        tmp_path, "output: {schema: ./out.json}", **{"runtimes/gather/out": "true"}
    )
    assert problems == []
    assert schemas.output is not None
    assert schemas.output.accepts(None)


def test_a_boolean_or_an_object_is_a_schema_and_nothing_else(tmp_path: Path) -> None:
    _, [problem] = compiled(tmp_path, "payloadSchema: ../../x.json", x="[]")
    assert problem.message == ("`io.payloadSchema` is '../../x.json': a JSON Schema is an object.")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "The JSON text"),
        ('{"type": 3}', "3 "),
        ('{"$ref": "https://example.org/x.json"}', "A reference cannot be followed"),
        ('{"$ref": "other.json"}', "A reference cannot be followed"),
        ('{"pattern": "(?=x)"}', "The pattern '(?=x)' cannot be used"),
    ],
)
def test_a_schema_that_cannot_be_used_is_named_at_its_field(
    tmp_path: Path, text: str, reason: str
) -> None:
    schemas, [problem] = compiled(tmp_path, "payloadSchema: ../../x.json", x=text)
    assert schemas.payload is None
    assert (problem.name, problem.path) == ("schema-unusable", "io.payloadSchema")
    assert (problem.file, problem.line) == ("runtimes/gather/RUNTIME.md", 5)
    assert problem.message.startswith("`io.payloadSchema` is '../../x.json': ")
    assert not problem.message.endswith("..")
    assert problem.message.endswith(".")


def test_a_missing_file_and_a_path_out_of_the_package_are_told_apart(tmp_path: Path) -> None:
    _, [missing] = compiled(tmp_path / "a", "payloadSchema: ./gone.json")
    assert missing.message.endswith("the package has no such JSON file.")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "x.json").write_text("{}")
    _, found = compiled(tmp_path / "b", "payloadSchema: ../../../x.json")
    assert [problem.name for problem in found] in ([], ["path-outside-package"])


def test_the_schema_of_a_contract_is_not_served_yet(tmp_path: Path) -> None:
    _, [problem] = compiled(tmp_path, "payloadSchema: contract:moss.notes@1")
    assert problem.name == "not-supported-yet"


def test_every_faulty_schema_is_reported(tmp_path: Path) -> None:
    _, problems = compiled(tmp_path, "payloadSchema: ./gone.json\n  output: {schema: ./lost.json}")
    assert [problem.path for problem in problems] == ["io.payloadSchema", "io.output.schema"]


def test_an_inline_runtime_starts_at_the_root(tmp_path: Path) -> None:
    package = write_package(
        tmp_path / "moss-ledger",
        {"x.json": SCHEMA},
        manifest="runtime:\n  schedule: {trigger: {type: manual}}\n  io: {payloadSchema: x.json}\n",
    )
    schemas, problems = compile_schemas(read_package(package), read_sources(package))
    assert problems == []
    assert schemas["moss-ledger"].payload is not None
