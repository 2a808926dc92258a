"""Which tool a name means for a package: a view over a catalog."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from plugin_sdk.context import ToolContext
from plugin_sdk.names import FRAMEWORK_TOOL_NAMES
from plugin_sdk.tools import Tool, ToolAnnotations

ToolSource = Literal["builtin", "local", "dataset"]
"""Where a tool is from: the framework, a package's entry, or a declared data set."""


class ToolDefinition(Protocol):
    """What a model is told of a tool, and how its arguments are read."""

    @property
    def name(self) -> str:
        """The name a model calls."""
        ...

    @property
    def description(self) -> str:
        """What a model reads of it."""
        ...

    @property
    def input_schema(self) -> dict[str, Any]:
        """The JSON Schema of its arguments, as shown to a model."""
        ...

    def parse(self, text: str) -> dict[str, object]:
        """The keyword arguments that one JSON text holds, strictly checked.

        Raises:
            ToolValidationError: not JSON, or values that do not fit.
        """
        ...


class CallableTool(ToolDefinition, Protocol):
    """What the executor needs of a tool; the SDK's `Tool` is one, generated tools are others."""

    @property
    def annotations(self) -> ToolAnnotations:
        """Its side effects."""
        ...

    @property
    def timeout_ms(self) -> int | None:
        """The limit of one call, None where only the run's limit holds."""
        ...

    @property
    def is_async(self) -> bool:
        """Whether `invoke` gives an awaitable."""
        ...

    def invoke(self, context: ToolContext, arguments: dict[str, object]) -> object:
        """What the tool gives for `arguments` as made by `parse`."""
        ...


@dataclass(frozen=True, slots=True)
class RegisteredTool:
    """A tool that was found, with its source label."""

    tool: CallableTool
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
        self, packages: PackageTools, *, builtins: Mapping[str, CallableTool] | None = None
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

    def resolve(self, names: Iterable[str], *, plugin_id: str) -> dict[str, RegisteredTool]:
        """Those of `names` that mean a tool for a runtime of `plugin_id`, by name in their order.

        A run resolves its names once, so a reload in the middle of it changes nothing.
        """
        found = ((name, self.find(name, plugin_id=plugin_id)) for name in names)
        return {name: tool for name, tool in found if tool is not None}
