"""The tools made from a declared data set (seed: 数据集工具)."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, Final, cast

from covel_host.catalog.datasets import LoadedDataset
from covel_host.tools.dataset_arguments import parse_dataset_arguments, refuse_texts
from covel_host.tools.dataset_calls import call_dataset_tool
from covel_host.tools.dataset_schemas import tool_description, tool_schema
from covel_host.tools.registry import RegisteredTool
from plugin_sdk.context import ToolContext
from plugin_sdk.rules.keys import DatasetToolKind, dataset_tool_kinds, dataset_tool_name
from plugin_sdk.tools import ToolAnnotations
from plugin_sdk.values import JsonObject

_READS: Final = ToolAnnotations(
    read_only=True, stages_writes=False, idempotent=True, concurrency_safe=True
)
ANNOTATIONS: Final[Mapping[DatasetToolKind, ToolAnnotations]] = {
    "get": _READS,
    "list": _READS,
    "upsert": ToolAnnotations(idempotent=True),
    "update": ToolAnnotations(),
}


class DatasetTool:
    """One tool of one data set, as a runtime chose it; it has no time limit of its own.

    It reads and proposes in the namespace of the package whose run it serves, and in no other.
    """

    is_async = True
    timeout_ms: int | None = None

    def __init__(
        self, dataset: LoadedDataset, kind: DatasetToolKind, *, offered: Collection[DatasetToolKind]
    ) -> None:
        self.kind = kind
        self.name = dataset_tool_name(dataset.name, kind)
        self.description = tool_description(kind, dataset.name, about=dataset.description)
        self.annotations = ANNOTATIONS[kind]
        self._dataset = dataset
        self._rules = replace(dataset.rules, offered=tuple(offered))
        self.input_schema: dict[str, Any] = tool_schema(kind, self._rules, dataset.schema)

    def __repr__(self) -> str:
        return f"<DatasetTool {self.name!r}>"

    def parse(self, text: str) -> dict[str, object]:
        """The arguments that one JSON text holds.

        Raises:
            ToolValidationError: not JSON, or a shape that does not fit.
        """
        has_key_field = self._rules.key_field is not None
        arguments = parse_dataset_arguments(self.kind, text, has_key_field=has_key_field)
        written = cast("JsonObject", arguments)
        if self._may_hold_texts(written):
            refuse_texts(written, self.input_schema)
        return arguments

    def _may_hold_texts(self, arguments: JsonObject) -> bool:
        """Whether a text may stand in place of an array or object; most records fit at once."""
        if self.kind == "upsert":
            return not self._dataset.compiled.accepts(arguments["record"])
        return self.kind == "update"

    async def invoke(self, context: ToolContext, arguments: dict[str, object]) -> object:
        """What the call gives.

        Raises:
            ToolError: see `call_dataset_tool`.
        """
        return await call_dataset_tool(self.kind, self._rules, context, arguments)


def dataset_tools(
    dataset: LoadedDataset, *, chosen: Collection[DatasetToolKind] | None = None
) -> dict[str, RegisteredTool]:
    """The tools of `dataset` by name, in the order get, list, upsert, update.

    `chosen` are those a runtime picked, all by default; what the data set does not offer is left
    out. Hints of errors name only tools that are here.
    """
    offered = tuple(
        kind
        for kind in dataset_tool_kinds(tools=None if chosen is None else tuple(chosen))
        if kind in dataset.tools
    )
    tools = (DatasetTool(dataset, kind, offered=offered) for kind in offered)
    return {tool.name: RegisteredTool(tool, "dataset") for tool in tools}
