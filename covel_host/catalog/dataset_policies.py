"""What loaded data sets let anyone write into their namespaces.

A data set is a promise about its records, so every `plugin.data…` proposal of its package is held
to it, whatever made it: a generated tool, a tool of the package, a function runtime
(docs/datasets.md). The setter of an RPC action asks the same object of `("set",)`.
"""

from collections.abc import Iterable, Sequence

from covel_host.catalog.generation import Generation
from plugin_sdk.errors import ToolError
from plugin_sdk.rules.dataset_writes import (
    DatasetRules,
    dataset_op_problem,
    dataset_schema_problem,
)
from plugin_sdk.values import JsonValue


class DatasetPolicy:
    """The rules of one data set for a write; keys are no part of them (seed: 键的规则与查找)."""

    __slots__ = ("_rules",)

    def __init__(self, rules: DatasetRules) -> None:
        self._rules = rules

    def problem(self, operations: Sequence[str], record: JsonValue) -> str | None:
        """Why a write is refused, or None.

        `operations` are the names of its operations: a whole value is `set`, a removal `delete`.
        `record` is what the write makes of the record, None when it removes it.
        """
        for operation in operations:
            problem = dataset_op_problem(self._rules, operation)
            if problem is not None:
                return problem
        if record is None:
            return None
        try:
            return dataset_schema_problem(self._rules, record)
        except ToolError as error:
            return error.message


def dataset_policies(
    generations: Iterable[Generation],
) -> dict[tuple[str, str], DatasetPolicy]:
    """The policies of all data sets of `generations`, by plugin ID and namespace."""
    return {
        (generation.plugin_id, name): DatasetPolicy(dataset.rules)
        for generation in generations
        for name, dataset in generation.datasets.items()
    }
