"""The tools of a host, one by one, with what the seed's overview says of each (seed: 概览)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from covel_host.catalog.catalog import Catalog
from covel_host.catalog.generation import Generation
from covel_host.cli.output import one_line, table
from covel_host.tools.approval import ApprovalPolicy
from covel_host.tools.builtin.installed import BUILTIN_TOOLS
from covel_host.tools.dataset_tools import dataset_tools
from covel_host.tools.registry import CallableTool, RegisteredTool, ToolDefinition, ToolSource
from covel_host.tools.tool_search import SearchTools
from plugin_sdk.tools import ToolAnnotations

Approval: TypeAlias = Literal["auto-allow", "deny"]

_COLUMNS: Final = ("TOOL", "SOURCE", "PACKAGE", "APPROVAL", "ANNOTATIONS", "DESCRIPTION")
_NO_PACKAGE: Final = "-"
_INJECTED: Final = (
    "Find and load the tools that a runtime defers; agents with `agent.tools.defer` get it."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedTool:
    """One tool with where it is from.

    `source` is `injected` for what the agent loop adds by itself. `annotations` and `timeout_ms`
    are None where there are none.
    """

    tool: ToolDefinition
    source: ToolSource | Literal["injected"]
    plugin_id: str | None
    approval: Approval
    description: str
    annotations: ToolAnnotations | None = None
    timeout_ms: int | None = None


def listed_tools(catalog: Catalog, policy: ApprovalPolicy) -> list[ListedTool]:
    """The tools of the loaded packages in the order of the catalog, then the framework's.

    Whoever asks looks for what a package has; the framework's are the same everywhere.
    """
    listed = [
        _listed(found.tool, found.source, plugin_id=generation.plugin_id, policy=policy)
        for generation in catalog.generations()
        for found in _package_tools(generation)
    ]
    listed += [
        _listed(tool, "builtin", plugin_id=None, policy=policy) for tool in BUILTIN_TOOLS.values()
    ]
    listed.append(_search(policy))
    return listed


def tool_json(listed: ListedTool) -> dict[str, object]:
    """One tool as `covel tools --json` shows it."""
    annotations = listed.annotations
    return {
        "name": listed.tool.name,
        "source": listed.source,
        "pluginId": listed.plugin_id,
        "approval": listed.approval,
        "description": listed.description,
        "annotations": None
        if annotations is None
        else {
            "readOnly": annotations.read_only,
            "stagesWrites": annotations.stages_writes,
            "idempotent": annotations.idempotent,
            "concurrencySafe": annotations.concurrency_safe,
        },
        "timeoutMs": listed.timeout_ms,
        "inputSchema": listed.tool.input_schema,
    }


def tool_table(listed: Sequence[ListedTool]) -> str:
    """The tools as a table for people."""
    return table([_COLUMNS, *(_row(tool) for tool in listed)])


def _row(listed: ListedTool) -> tuple[str, ...]:
    return (
        listed.tool.name,
        listed.source,
        listed.plugin_id or _NO_PACKAGE,
        listed.approval,
        ", ".join(_traits(listed)) or "-",
        one_line(listed.description, limit=120),
    )


def _traits(listed: ListedTool) -> Iterable[str]:
    annotations = listed.annotations
    if annotations is not None:
        named = {
            "read-only": annotations.read_only,
            "writes": annotations.stages_writes,
            "idempotent": annotations.idempotent,
            "concurrency-safe": annotations.concurrency_safe,
        }
        yield from (name for name, holds in named.items() if holds)
    if listed.timeout_ms is not None:
        yield f"{listed.timeout_ms} ms"


def _package_tools(generation: Generation) -> Iterator[RegisteredTool]:
    """What runtimes of the package may choose: registered tools, then those of its data sets."""
    for tool in generation.tools.values():
        yield RegisteredTool(tool, "local")
    for dataset in generation.datasets.values():
        yield from dataset_tools(dataset).values()


def _listed(
    tool: CallableTool, source: ToolSource, *, plugin_id: str | None, policy: ApprovalPolicy
) -> ListedTool:
    return ListedTool(
        tool=tool,
        source=source,
        plugin_id=plugin_id,
        approval=_approval(tool.name, source, policy),
        description=tool.description,
        annotations=tool.annotations,
        timeout_ms=tool.timeout_ms,
    )


def _search(policy: ApprovalPolicy) -> ListedTool:
    # Its definition tells of the tools of one run; here it stands for all of them.
    search = SearchTools((), plugin_id="")
    return ListedTool(
        tool=search,
        source="injected",
        plugin_id=None,
        approval=_approval(search.name, "builtin", policy),
        description=_INJECTED,
    )


def _approval(name: str, source: ToolSource, policy: ApprovalPolicy) -> Approval:
    return "auto-allow" if policy.status(name, source) == "auto-allowed" else "deny"
