"""`keys.json`: data set keys, word IDs, names of characters and tools."""

import re
from typing import Any

from covel_host.tools.calls import ToolCallResult
from covel_host.tools.dataset_tools import dataset_tools
from plugin_sdk.errors import ToolError
from plugin_sdk.rules.character_names import same_character_name
from plugin_sdk.rules.keys import (
    dataset_key,
    import_tool_name,
    require_dataset_key,
    word_id,
)
from tests.support.datasets import DatasetBench, declared_dataset
from tests.vector_adapters.comparing import refusal_of


def check_dataset_key(vector: dict[str, Any]) -> None:
    if "error" in vector:
        error = refusal_of(lambda: require_dataset_key(vector["text"]), ToolError)
        assert error.code == vector["error"]
        assert answered(vector["text"]) == vector["error"]
        return
    assert dataset_key(vector["text"]) == vector["key"]
    assert require_dataset_key(vector["text"]) == vector["key"]
    assert answered(vector["text"]) == vector["key"]


def answered(key: str) -> Any:
    """The key that an upsert tool stores a new record under, or the code of its refusal."""
    bench = DatasetBench(declared_dataset({}))
    result = bench.run("rows-upsert", {"key": key, "record": {}})
    return result.content["key"] if isinstance(result.content, dict) else error_code(result)


def error_code(result: ToolCallResult) -> str:
    assert result.error is not None
    return result.error.code


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
    dataset = declared_dataset(declaration, name=vector["dataset"])
    assert set(dataset_tools(dataset)) == set(vector["tools"])


CHECKS = {
    "dataset_key": check_dataset_key,
    "word_id": check_word_id,
    "character_name": check_character_name,
    "tool_name": check_tool_name,
    "dataset_tools": check_dataset_tools,
}
