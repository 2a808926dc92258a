"""What `import plugin_sdk` offers and what it costs."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import plugin_sdk

ROOT = Path(plugin_sdk.__file__).parent


def test_every_name_is_there_and_sorted() -> None:
    assert plugin_sdk.__all__ == sorted(set(plugin_sdk.__all__))
    for name in plugin_sdk.__all__:
        assert getattr(plugin_sdk, name) is not None
        assert name in dir(plugin_sdk)


def test_type_checkers_see_the_same_names_in_the_same_homes() -> None:
    tree = ast.parse((ROOT / "__init__.py").read_text(encoding="utf-8"))
    seen = {
        alias.name: node.module
        for block in tree.body
        if isinstance(block, ast.If)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert seen == {name: f"plugin_sdk.{module}" for name, module in plugin_sdk._HOME_OF.items()}


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'tol'"):
        _ = plugin_sdk.tol  # type: ignore[attr-defined]


def _loaded_by(statement: str) -> set[str]:
    code = f"{statement}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT.parent
    )
    return {name.split(".")[0] for name in json.loads(done.stdout)}


HEAVY = {
    "alembic",
    "covel_host",
    "httpx",
    "jsonschema",
    "jsonschema_rs",
    "openai",
    "orjson",
    "pydantic_ai",
    "rich",
    "sqlalchemy",
    "yaml",
}


def test_the_whole_sdk_loads_nothing_heavy() -> None:
    loaded = _loaded_by("from plugin_sdk import *\nimport plugin_sdk.hookspecs")
    assert {"pydantic", "pluggy"} <= loaded
    assert not loaded & HEAVY


@pytest.mark.parametrize("module", ["plugin_sdk", "plugin_sdk.values", "plugin_sdk.names"])
def test_light_modules_load_no_pydantic(module: str) -> None:
    assert not _loaded_by(f"import {module}") & {*HEAVY, "pydantic", "pluggy"}


def test_errors_load_no_pydantic() -> None:
    assert "pydantic" not in _loaded_by("from plugin_sdk import ToolError, is_tool_error")
