"""Data operations on one record: the same function for a preview, an overlay and the commit.

Source: spec/decisions.md 2 (data operations); the tool codes are those of the seed (数据集工具 ·
错误). The operations apply in order to a copy: what is given is never changed, and what comes back
shares nothing with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias, get_args

from plugin_sdk.errors import ToolErrorCode
from plugin_sdk.rules._data_op_paths import DataOpProblem
from plugin_sdk.rules._data_op_steps import applied, checked_name
from plugin_sdk.rules._json import json_copy
from plugin_sdk.values import JsonValue

DataOpName: TypeAlias = Literal[
    "set", "put", "merge", "increment", "append", "insert", "remove", "delete"
]
DATA_OP_NAMES: tuple[DataOpName, ...] = get_args(DataOpName)
"""Every operation, in the order of the decision's table."""

DataOpErrorCode: TypeAlias = Literal[
    "invalid-op",
    "invalid-path",
    "path-not-found",
    "type-mismatch",
    "out-of-bounds",
    "index-out-of-range",
    "duplicate-item",
]

DATA_OP_TOOL_CODES: Mapping[DataOpErrorCode, ToolErrorCode] = MappingProxyType(
    {
        "invalid-op": "invalid-input",
        "invalid-path": "invalid-input",
        "path-not-found": "conflict",
        "type-mismatch": "conflict",
        "out-of-bounds": "conflict",
        "index-out-of-range": "conflict",
        "duplicate-item": "conflict",
    }
)
"""Badly written operations are `invalid-input`, those that do not fit the record `conflict`."""

MIN_DATA_OPS = 1
MAX_DATA_OPS = 64
"""How many operations one call of a data set's update tool takes."""


@dataclass(frozen=True, slots=True)
class DataOpsResult:
    """The record after the operations; `record` is None when it was deleted or never existed."""

    record: JsonValue
    deleted: bool


class DataOpError(ValueError):
    """One operation cannot be applied; nothing was changed.

    `code` says why, `index` which operation (from 0), `tool_code` what a tool call answers, and
    `message` is the whole sentence.
    """

    def __init__(self, code: DataOpErrorCode, message: str, *, index: int) -> None:
        self.code = code
        self.index = index
        self.tool_code = DATA_OP_TOOL_CODES[code]
        self.message = f"ops[{index}]: {message}"
        super().__init__(self.message)


def apply_data_ops(record: JsonValue, ops: Sequence[Mapping[str, JsonValue]]) -> DataOpsResult:
    """The record that `ops` make of `record`.

    Args:
        record: the current value; None when there is none. A stored value is never null.
        ops: at most `MAX_DATA_OPS` where a model wrote them; the count is the caller's check.

    Raises:
        DataOpError: the first operation that is badly written or does not fit.
    """
    current = json_copy(record)
    deleted = False
    for index, op in enumerate(ops):
        try:
            name = checked_name(op)
            if name == "delete" and len(ops) > 1:
                raise DataOpProblem("invalid-op", "'delete' has to be the only operation.")
            current = applied(current, name, op)
        except DataOpProblem as problem:
            raise DataOpError(problem.code, problem.message, index=index) from None
        deleted = name == "delete"
    return DataOpsResult(current, deleted)
