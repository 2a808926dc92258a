"""`keys.json`: data set keys, word IDs, names of characters and tools."""

import re
from typing import Any

from plugin_sdk.errors import ToolError
from plugin_sdk.rules.character_names import same_character_name
from plugin_sdk.rules.keys import (
    dataset_key,
    dataset_tool_kinds,
    dataset_tool_name,
    import_tool_name,
    require_dataset_key,
    word_id,
)
from tests.vector_adapters.comparing import refusal_of


def check_dataset_key(vector: dict[str, Any]) -> None:
    if "error" in vector:
        error = refusal_of(lambda: require_dataset_key(vector["text"]), ToolError)
        assert error.code == vector["error"]
        return
    assert dataset_key(vector["text"]) == vector["key"]
    assert require_dataset_key(vector["text"]) == vector["key"]


def check_word_id(vector: dict[str, Any]) -> None:
    prefix, label, taken = vector["prefix"], vector["label"], set(vector.get("taken", ()))
    if vector.get("taken_first"):
        taken.add(word_id(prefix, label, ()))
    made = word_id(prefix, label, taken)
    assert made == vector.get("word_id", made)
    assert re.fullmatch(vector.get("pattern", ".*"), made), made
    assert not vector.get("repeatable") or word_id(prefix, label, taken) == made


def check_character_name(vector: dict[str, Any]) -> None:
    assert same_character_name(vector["a"], vector["b"]) is vector["same"]


def check_tool_name(vector: dict[str, Any]) -> None:
    contract, alias = vector["contract"], vector.get("as")
    if "error" in vector:
        refusal_of(lambda: import_tool_name(contract, alias=alias), ValueError)
        return
    assert import_tool_name(contract, alias=alias) == vector["tool_name"]


def check_dataset_tools(vector: dict[str, Any]) -> None:
    declaration = vector["declaration"]
    kinds = dataset_tool_kinds(ops=declaration.get("ops"), tools=declaration.get("tools"))
    names = {dataset_tool_name(vector["dataset"], kind) for kind in kinds}
    assert names == set(vector["tools"])


CHECKS = {
    "dataset_key": check_dataset_key,
    "word_id": check_word_id,
    "character_name": check_character_name,
    "tool_name": check_tool_name,
    "dataset_tools": check_dataset_tools,
}
