"""Which tool a name means for a package: a view over a catalog."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from plugin_sdk.names import FRAMEWORK_TOOL_NAMES
from plugin_sdk.tools import Tool

ToolSource = Literal["builtin", "local"]
"""Where an implementation was registered: by the framework, or by a package's entry."""


@dataclass(frozen=True, slots=True)
class RegisteredTool:
    """A tool that was found, with its source label."""

    tool: Tool[Any, Any]
    source: ToolSource


class PackageTools(Protocol):
    """What a catalog tells of its packages' tools."""

    def tools(self, plugin_id: str) -> Mapping[str, Tool[Any, Any]]:
        """The tools a loaded package registered, by name; empty for any other ID."""
        ...


class ToolRegistry:
    """Tools by (package, name); a name never falls through to another package's tool.

    Framework names are reserved, so a package's tool never hides one (seed: 目录与访问边界).
    """

    def __init__(
        self, packages: PackageTools, *, builtins: Mapping[str, Tool[Any, Any]] | None = None
    ) -> None:
        self._packages = packages
        self._builtins = dict(builtins or {})

    def find(self, name: str, *, plugin_id: str) -> RegisteredTool | None:
        """The tool that `name` means for a runtime of `plugin_id`, or None."""
        if name in FRAMEWORK_TOOL_NAMES:
            builtin = self._builtins.get(name)
            return None if builtin is None else RegisteredTool(builtin, "builtin")
        own = self._packages.tools(plugin_id).get(name)
        return None if own is None else RegisteredTool(own, "local")
