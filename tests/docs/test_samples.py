"""Every block of code of the pages is what it says it is; `test_examples` runs those it can."""

import ast
import importlib
import re
import tomllib
from pathlib import Path

import frontmatter
import orjson
import pytest
import yaml

from covel_host.cli.app import run
from covel_host.host import Host
from plugin_sdk import context
from tests.docs.pages import SAMPLES, Sample

LANGUAGES = {"console", "json", "markdown", "python", "sh", "text", "toml", "yaml"}
PACKAGE_FIELDS = ("contributes:", "provides:")
RUNTIME_FIELDS = ("agent:", "function:", "io:", "permissions:", "schedule:")
CONTEXTS = [
    value
    for name, value in vars(context).items()
    if name.endswith("Context") and isinstance(value, type)
]


def of(language: str) -> list[Sample]:
    return [sample for sample in SAMPLES if sample.language == language]


def test_every_block_says_what_it_is_written_in() -> None:
    assert [str(one) for one in SAMPLES if one.language not in LANGUAGES] == []


@pytest.mark.parametrize("sample", of("json"), ids=str)
def test_json_is_json(sample: Sample) -> None:
    try:
        orjson.loads(sample.text)
    except orjson.JSONDecodeError:
        # Several values, one a line.
        assert [orjson.loads(line) for line in sample.text.splitlines()]


@pytest.mark.parametrize("sample", of("toml"), ids=str)
def test_toml_is_toml(sample: Sample) -> None:
    assert tomllib.loads(sample.text)


@pytest.mark.parametrize("sample", of("markdown"), ids=str)
def test_manifests_have_frontmatter(sample: Sample) -> None:
    assert frontmatter.loads(sample.text).metadata


def plain_yaml() -> list[Sample]:
    """Those of the page of diagnostics are tested with the codes: half of them are wrong."""
    return [sample for sample in of("yaml") if sample.page.name != "diagnostics.md"]


@pytest.mark.parametrize("sample", plain_yaml(), ids=str)
def test_yaml_is_yaml(sample: Sample) -> None:
    assert yaml.safe_load(sample.text)


def manifest_parts() -> list[Sample]:
    return [one for one in plain_yaml() if one.text.startswith(PACKAGE_FIELDS + RUNTIME_FIELDS)]


@pytest.mark.parametrize("sample", manifest_parts(), ids=str)
def test_parts_of_manifests_use_known_fields(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], sample: Sample
) -> None:
    package = tmp_path / "sample-part"
    (package / "runtimes" / "part").mkdir(parents=True)
    parts = {"PLUGIN.md": "", "runtimes/part/RUNTIME.md": ""}
    parts["PLUGIN.md" if sample.text.startswith(PACKAGE_FIELDS) else [*parts][1]] = sample.text
    for name, part in parts.items():
        text = f"---\ndescription: A part of a page.\n{part}---\nA prompt.\n"
        (package / name).write_text(text, encoding="utf-8")
    run(["validate-plugin", str(package), "--json"])
    found = orjson.loads(capsys.readouterr().out)["diagnostics"]
    shape = [one for one in found if "COV100" <= one["code"] < "COV200"]
    assert [one["message"] for one in shape] == []


@pytest.mark.parametrize("sample", of("python"), ids=str)
def test_python_compiles_and_finds_what_it_imports(sample: Sample) -> None:
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | ast.PyCF_ONLY_AST
    tree = compile(sample.text, str(sample), "exec", flags, dont_inherit=True)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            module = importlib.import_module(node.module)
            assert [one.name for one in node.names if not hasattr(module, one.name)] == []
        elif isinstance(node, ast.Import):
            assert all(importlib.import_module(one.name) for one in node.names)


@pytest.mark.parametrize("sample", of("python"), ids=str)
def test_python_asks_contexts_and_host_for_what_they_have(sample: Sample) -> None:
    wanted = set(re.findall(r"\bctx\.(\w+)", sample.text))
    assert [name for name in wanted if not any(hasattr(one, name) for one in CONTEXTS)] == []
    asked = set(re.findall(r"\bhost\.(\w+)", sample.text)) - {"py"}
    assert [name for name in asked if not hasattr(Host, name)] == []
