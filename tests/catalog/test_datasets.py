"""Data sets of a package, made ready when it is loaded."""

import json
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from covel_host.catalog.dataset_policies import DatasetPolicy
from plugin_sdk.datasets import DataSet, dataset, dataset_of
from tests.support.datasets import PERSON, declared_dataset, loaded_datasets

FILES = {"npc.json": json.dumps(PERSON)}


@dataset("npcs")
class Npc(BaseModel):
    """A record model."""

    name: Annotated[str, Field(pattern=r"^\p{Lu}")]
    hp: int = 0


def model() -> DataSet:
    found = dataset_of(Npc)
    assert found is not None
    return found


def test_a_data_set_is_made_from_its_schema_file(tmp_path: Path) -> None:
    declared = {"npcs": {"schema": "npc.json", "key": "name", "ops": ["set", "put"]}}
    datasets, problems = loaded_datasets(tmp_path, declared, files=FILES)
    assert problems == []
    npcs = datasets["npcs"]
    assert (npcs.name, npcs.schema, npcs.tools) == (
        "npcs",
        PERSON,
        ("get", "list", "upsert", "update"),
    )
    assert (npcs.rules.key_field, tuple(npcs.rules.ops)) == ("name", ("set", "put"))
    assert npcs.model is None
    assert npcs.rules.schema_problems({"name": "Wren"}) == []
    assert npcs.rules.schema_problems({"name": "Wren", "hp": -1, "x": 1}) == [
        "hp: -1 is less than 0.",
        "The member 'x' is not declared.",
    ]


def test_a_record_model_is_checked_by_its_json_schema_with_every_pattern(tmp_path: Path) -> None:
    datasets, problems = loaded_datasets(
        tmp_path, {"npcs": {"key": "name"}}, models={"npcs": model()}
    )
    assert problems == []
    npcs = datasets["npcs"]
    assert npcs.model is Npc
    assert npcs.rules.schema_problems({"name": "Wren"}) == []
    assert npcs.rules.schema_problems({"name": "wren"}) != []
    assert npcs.schema["required"] == ["name"]


def test_what_registration_tells_of_is_left_out(tmp_path: Path) -> None:
    assert loaded_datasets(tmp_path, {"npcs": {"key": "name"}}) == ({}, [])


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("{", "The data set 'npcs': "),
        ("[]", "a JSON Schema is an object"),
        ('{"type": "thing"}', "The data set 'npcs': "),
        ('{"properties": {"a": {"pattern": "(?=x)"}}}', "look-around"),
        ("true", "its schema is true"),
        (None, "no such JSON file"),
    ],
)
def test_a_schema_that_cannot_be_used_is_told_at_its_field(
    tmp_path: Path, content: str | None, says: str
) -> None:
    files = {} if content is None else {"npc.json": content}
    datasets, problems = loaded_datasets(tmp_path, {"npcs": {"schema": "npc.json"}}, files=files)
    assert datasets == {}
    (problem,) = problems
    assert (problem.name, problem.path, problem.blocks_loading) == (
        "schema-unusable",
        "contributes.datasets.npcs.schema",
        True,
    )
    assert says in problem.message


def test_a_record_model_without_a_usable_schema_is_told_at_its_data_set(tmp_path: Path) -> None:
    broken = DataSet("npcs", Npc, {"type": "object", "properties": {"a": {"pattern": "(?=x)"}}})
    datasets, problems = loaded_datasets(tmp_path, {"npcs": {}}, models={"npcs": broken})
    assert datasets == {}
    (problem,) = problems
    assert (problem.name, problem.path) == ("schema-unusable", "contributes.datasets.npcs")
    assert "the record model 'Npc'" in problem.message


# --- policies --------------------------------------------------------------------------------


def policy(**declaration: Any) -> DatasetPolicy:
    return DatasetPolicy(declared_dataset({"schema": PERSON, **declaration}, name="npcs").rules)


WREN: Any = {"name": "Wren"}


@pytest.mark.parametrize(
    ("operations", "record", "says"),
    [
        (("set",), WREN, None),
        (("put", "put"), WREN, None),
        (("delete",), None, "does not allow the operation 'delete'. It allows: set, put."),
        (("put", "merge"), WREN, "does not allow the operation 'merge'"),
        (("set",), {"hp": -1}, "The record does not match the npcs dataset:\n"),
    ],
)
def test_a_policy_holds_every_write_to_operations_and_schema(
    operations: tuple[str, ...], record: Any, says: str | None
) -> None:
    problem = policy(ops=["set", "put"]).problem(operations, record)
    assert problem is None if says is None else says in str(problem)


def test_a_policy_that_forbids_set_keeps_whole_values_out() -> None:
    assert "'set'" in str(policy(ops=["increment"]).problem(("set",), WREN))


def test_a_policy_never_looks_at_keys() -> None:
    assert policy(key="name").problem(("put",), {"name": "Another"}) is None
