"""`covel schema`: the JSON Schemas for editors."""

import jsonschema_rs
import pytest
import yaml

from covel_host.manifest.editor_schema import plugin_schema, runtime_schema
from tests.cli.support import ROOT, Covel


@pytest.mark.parametrize(
    ("manifest", "schema"), [("plugin", plugin_schema), ("runtime", runtime_schema)]
)
def test_a_schema_is_printed(covel: Covel, manifest: str, schema: object) -> None:
    printed = covel("schema", manifest)
    assert (printed.code, printed.err) == (0, "")
    assert callable(schema)
    assert printed.json == schema()
    assert printed.json["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_an_unknown_manifest_is_wrong_usage(covel: Covel) -> None:
    assert covel("schema", "world").code == 2


@pytest.mark.parametrize("manifest", ["plugin", "runtime"])
def test_a_validator_from_outside_accepts_every_template(covel: Covel, manifest: str) -> None:
    validator = jsonschema_rs.Draft202012Validator(covel("schema", manifest).json)
    files = sorted((ROOT / "templates").rglob(f"{manifest.upper()}.md"))
    assert files
    for file in files:
        fields = yaml.safe_load(file.read_text(encoding="utf-8").split("---\n")[1])
        assert [error.message for error in validator.iter_errors(fields)] == [], file
    assert not validator.is_valid({"description": "One.", "licence": "MIT"})
