"""Which tools a server offers, and what an MCP client calls them."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from covel_host.catalog.catalog import Catalog
from covel_host.tools.registry import CallableTool

SEPARATOR: Final = "__"
"""Between package and tool in a name that tells two equal ones apart. Clients allow letters,
digits, `_` and `-`; no package ID has two `_` in a row."""


@dataclass(frozen=True, slots=True)
class ServedTool:
    """A tool of a package under the `name` that clients call."""

    name: str
    plugin_id: str
    tool: CallableTool


def served_tools(catalog: Catalog, plugin_ids: Iterable[str]) -> tuple[ServedTool, ...]:
    """The tools that these packages contribute, in the order of the packages and their manifests.

    A tool keeps its own name. Those whose name several of the packages use, and those whose name
    looks like a joined one, are called `<package>__<tool>`: all of them, so that no name depends on
    the order of the packages.
    """
    found = [
        (plugin_id, tool)
        for plugin_id in dict.fromkeys(plugin_ids)
        for tool in catalog.tools(plugin_id).values()
    ]
    uses = Counter(tool.name for _, tool in found)
    return tuple(
        ServedTool(_name(plugin_id, tool.name, is_only=uses[tool.name] == 1), plugin_id, tool)
        for plugin_id, tool in found
    )


def _name(plugin_id: str, tool_name: str, *, is_only: bool) -> str:
    if is_only and SEPARATOR not in tool_name:
        return tool_name
    return f"{plugin_id}{SEPARATOR}{tool_name}"
