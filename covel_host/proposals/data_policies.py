"""What a data set says of the writes to its namespace, asked at staging and again at commit.

The policies are made where data sets are read; here is only their shape. The commit asks them of
the value that is current then, and never looks at keys (seed: 调用时的检查, 键的规则与查找).
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, Protocol, TypeAlias

from plugin_sdk.proposals import PluginData, PluginDataDelete, PluginDataUpdate
from plugin_sdk.values import JsonValue

DATASET_POLICY: Final = "dataset-policy"
"""The code of a refusal by a data set's policy."""


class DataPolicy(Protocol):
    """The rules of one data set for writes to its namespace, whoever of the package writes."""

    def problem(self, operations: Sequence[str], record: JsonValue) -> str | None:
        """Why a write is refused, a clause such as "the operation 'delete' is not allowed".

        Args:
            operations: The names of its operations in order; writing a whole value is `set`,
                removing the record `delete`.
            record: The record after the write, None when it removes it; never to be changed.
        """
        ...


DataPolicies: TypeAlias = Mapping[tuple[str, str], DataPolicy]
"""The policies by plugin ID and namespace; other namespaces have none."""

NO_POLICIES: DataPolicies = MappingProxyType({})
"""For writers that stand above data sets, such as imports and an operator's own writes."""


def operations_of(write: PluginData | PluginDataDelete | PluginDataUpdate) -> tuple[str, ...]:
    """The names of a write's operations, as policies are asked about them."""
    match write:
        case PluginDataUpdate(ops=ops):
            return tuple(str(op.get("op")) for op in ops)
        case PluginDataDelete() | PluginData(value=None):
            return ("delete",)
        case _:
            return ("set",)
