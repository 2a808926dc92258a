"""`plugin_sdk.rules` offers every pure rule that design/sdk.md names."""

import ast
from pathlib import Path

import pytest

from plugin_sdk import rules

PROMISED = [
    "apply_data_ops",
    "assert_character_fields",
    "dataset_key",
    "estimate_tokens",
    "fill_narrative_template",
    "label_text",
    "merge_schema_defaults",
    "model_facing_json",
    "overlay_characters",
    "overlay_plugin_data_value",
    "plan_dimension_updates",
    "query_dimension_snapshot",
    "rank_texts",
    "resolve_character",
    "search_excerpt",
    "search_terms",
    "short_id",
    "short_id_batch",
    "translate",
    "word_id",
]


def test_exactly_the_promised_functions_are_offered() -> None:
    assert rules.__all__ == PROMISED
    assert all(callable(getattr(rules, name)) for name in rules.__all__)


def test_type_checkers_see_the_same_functions_in_the_same_homes() -> None:
    tree = ast.parse(Path(rules.__file__).read_text(encoding="utf-8"))
    seen = {
        alias.name: (node.module or "").removeprefix("plugin_sdk.rules.")
        for block in tree.body
        if isinstance(block, ast.If)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert seen == rules._HOME_OF


def test_no_rule_awaits_or_reaches_outside() -> None:
    folder = Path(rules.__file__).parent
    forbidden = {"asyncio", "os", "pathlib", "random", "socket", "time", "covel_host", "pydantic"}
    for path in sorted(folder.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            assert not isinstance(node, (ast.AsyncFunctionDef, ast.Await)), path.name
            if isinstance(node, ast.Import):
                assert not {alias.name.split(".")[0] for alias in node.names} & forbidden, path.name


def test_an_unknown_rule_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'rank'"):
        _ = rules.rank
