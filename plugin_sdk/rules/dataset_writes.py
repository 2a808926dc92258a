"""What a data set's writing tools check before they stage anything (seed: 调用时的检查, 错误).

Reading the current record and compiling the schema is the caller's part; so is staging.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from plugin_sdk.errors import ToolError
from plugin_sdk.rules._json import is_object
from plugin_sdk.rules.data_ops import (
    DATA_OP_NAMES,
    MAX_DATA_OPS,
    MIN_DATA_OPS,
    DataOpError,
    DataOpsResult,
    apply_data_ops,
)
from plugin_sdk.rules.keys import DatasetToolKind, dataset_key, dataset_tool_name
from plugin_sdk.rules.plugin_data import plugin_data_size_problem
from plugin_sdk.values import JsonValue

MAX_SCHEMA_PROBLEMS = 3
"""How many schema errors a refusal lists."""


@dataclass(frozen=True, slots=True)
class DatasetRules:
    """One data set as its tools see it.

    `ops` are the operations it allows, `key_field` the record's top-level key, if it has one.
    `schema_problems` gives what is wrong with a record, one text per problem. `offered` are the
    tools the runtime chose: hints name only those.
    """

    name: str
    schema_problems: Callable[[JsonValue], Sequence[str]]
    key_field: str | None = None
    ops: Collection[str] = DATA_OP_NAMES
    offered: Collection[DatasetToolKind] = ("get", "list", "upsert", "update")


def updated_record(
    dataset: DatasetRules, key: str, record: JsonValue, ops: Sequence[Mapping[str, JsonValue]]
) -> DataOpsResult:
    """The record after an update call; `record` is the current one, None when there is none.

    Raises:
        ToolError: `invalid-input` (number of operations, an operation that is not allowed or badly
            written, a changed key, size, schema), `conflict` (an operation that does not fit),
            `not-found`.
    """
    _check_ops(dataset, ops)
    if record is None:
        raise ToolError(
            "not-found",
            f"The {dataset.name} dataset has no record {key!r}.",
            hint=_hint(dataset, "upsert", "Create it with {tool}."),
        )
    try:
        result = apply_data_ops(record, ops)
    except DataOpError as error:
        hint = _hint(dataset, "get", "Read the record with {tool} and adjust.")
        raise ToolError(
            error.tool_code,
            f"{dataset.name}/{key}: {error.message}",
            hint=hint if error.tool_code == "conflict" else None,
        ) from error
    if not result.deleted:
        _check_key_kept(dataset, record, result.record)
        check_dataset_record(dataset, key, result.record)
    return result


def check_dataset_record(dataset: DatasetRules, key: str, record: JsonValue) -> None:
    """Check size and schema of the record that a write would store.

    Raises:
        ToolError: `invalid-input`, with the first `MAX_SCHEMA_PROBLEMS` schema errors.
    """
    problem = plugin_data_size_problem(dataset.name, key, record)
    if problem is not None:
        raise ToolError("invalid-input", problem)
    problems = dataset.schema_problems(record)
    if problems:
        listed = "\n".join(problems[:MAX_SCHEMA_PROBLEMS])
        raise ToolError(
            "invalid-input", f"The record does not match the {dataset.name} dataset:\n{listed}"
        )


def _check_ops(dataset: DatasetRules, ops: Sequence[Mapping[str, JsonValue]]) -> None:
    if not MIN_DATA_OPS <= len(ops) <= MAX_DATA_OPS:
        raise ToolError(
            "invalid-input",
            f"An update takes {MIN_DATA_OPS} to {MAX_DATA_OPS} operations, not {len(ops)}.",
        )
    allowed = [name for name in DATA_OP_NAMES if name in dataset.ops and name != "set"]
    for index, op in enumerate(ops):
        if is_object(op) and op.get("op") not in allowed:
            raise ToolError(
                "invalid-input",
                f"ops[{index}]: {op.get('op')!r} is no operation of {dataset.name} updates. "
                f"Use one of {', '.join(allowed)}.",
            )


def _check_key_kept(dataset: DatasetRules, before: JsonValue, after: JsonValue) -> None:
    if dataset.key_field is not None and _key_of(dataset.key_field, before) != _key_of(
        dataset.key_field, after
    ):
        raise ToolError(
            "invalid-input",
            f"update cannot change {dataset.key_field}; upsert a new record and delete this one",
        )


def _key_of(key_field: str, record: JsonValue) -> str | None:
    value = record.get(key_field) if isinstance(record, dict) else None
    return dataset_key(value) if isinstance(value, str) else None


def _hint(dataset: DatasetRules, kind: DatasetToolKind, text: str) -> str | None:
    if kind not in dataset.offered:
        return None
    return text.format(tool=dataset_tool_name(dataset.name, kind))
