"""What a data set's writing tools check before they stage anything (seed: 调用时的检查, 错误), and
what a data set lets anyone write.

Reading the current record and compiling the schema is the caller's part; so is staging.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

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
        raise missing_record(dataset, key, call="update")
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


def missing_record(dataset: DatasetRules, key: str, *, call: Literal["get", "update"]) -> ToolError:
    """The `not-found` of a call for a record that is not there; its hint names the way on."""
    listing = _hint(dataset, "list", "List records with {tool}.")
    creating = _hint(dataset, "upsert", "Create it with {tool}.")
    return ToolError(
        "not-found",
        f"The {dataset.name} dataset has no record {key!r}.",
        hint=listing if call == "get" else creating,
    )


def upserted_record(dataset: DatasetRules, key: str, record: JsonValue) -> JsonValue:
    """A copy of the record that an upsert call stores under `key`: the same as one `set`.

    Raises:
        ToolError: `invalid-input`; the data set has no `set`, the record is null, too large or
            does not fit the schema.
    """
    problem = dataset_op_problem(dataset, "set")
    if problem is not None:
        raise ToolError("invalid-input", problem)
    try:
        written = apply_data_ops(None, [{"op": "set", "value": record}]).record
    except DataOpError as error:
        raise ToolError("invalid-input", f"{dataset.name}/{key}: {error.message}") from error
    check_dataset_record(dataset, key, written)
    return written


def raw_record_key(dataset: DatasetRules, record: JsonValue) -> str:
    """The key that `record` itself states, not normalised, of a data set with a key field.

    Raises:
        ToolError: `invalid-input`; the record has no text there.
    """
    value = record.get(dataset.key_field or "") if isinstance(record, dict) else None
    if not isinstance(value, str):
        raise ToolError(
            "invalid-input",
            f"The record has no text in {dataset.key_field!r}, the key field of the "
            f"{dataset.name} dataset.",
        )
    return value


def dataset_op_problem(dataset: DatasetRules, op: str) -> str | None:
    """Why the data set does not let anyone apply `op`; None when it does."""
    if op in dataset.ops:
        return None
    allowed = ", ".join(name for name in DATA_OP_NAMES if name in dataset.ops) or "none"
    return f"The {dataset.name} dataset does not allow the operation {op!r}. It allows: {allowed}."


def check_dataset_record(dataset: DatasetRules, key: str, record: JsonValue) -> None:
    """Check size and schema of the record that a write would store.

    Raises:
        ToolError: `invalid-input`; `internal` when the schema cannot be used.
    """
    problem = plugin_data_size_problem(dataset.name, key, record)
    if problem is not None:
        raise ToolError("invalid-input", problem)
    problem = dataset_schema_problem(dataset, record)
    if problem is not None:
        raise ToolError("invalid-input", problem)


def dataset_schema_problem(dataset: DatasetRules, record: JsonValue) -> str | None:
    """Why `record` does not fit the schema, with its first `MAX_SCHEMA_PROBLEMS` errors, or None.

    Raises:
        ToolError: `internal`; the schema cannot be used.
    """
    try:
        problems = dataset.schema_problems(record)
    except Exception as error:  # whatever engine the caller checks with
        raise ToolError(
            "internal", f"The {dataset.name} dataset's schema cannot be used."
        ) from error
    if not problems:
        return None
    listed = "\n".join(problems[:MAX_SCHEMA_PROBLEMS])
    return f"The record does not match the {dataset.name} dataset:\n{listed}"


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
                + (f"Use one of {', '.join(allowed)}." if allowed else "It takes none."),
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
