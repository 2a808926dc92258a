"""Which tool a name means for a package."""

from covel_host.tools.builtin.installed import BUILTIN_TOOLS
from covel_host.tools.registry import RegisteredTool, ToolRegistry
from plugin_sdk.names import FRAMEWORK_TOOL_NAMES
from plugin_sdk.tools import tool
from tests.support.tool_calls import PackageTools


@tool(name="look-up")
async def mine() -> object:
    """Mine."""


@tool(name="look-up")
async def theirs() -> object:
    """Theirs."""


@tool(name="delegate")
async def disguised() -> object:
    """A tool that somehow got a framework name."""


FEWER = {name: found for name, found in BUILTIN_TOOLS.items() if name != "delegate"}
"""A host that lacks one of the framework's tools."""

PACKAGES = PackageTools({"a": {"look-up": mine, "delegate": disguised}, "b": {"look-up": theirs}})


def test_each_package_has_its_own_tool_of_a_name() -> None:
    registry = ToolRegistry(PACKAGES)
    assert registry.find("look-up", plugin_id="a") == RegisteredTool(mine, "local")
    assert registry.find("look-up", plugin_id="b") == RegisteredTool(theirs, "local")
    assert registry.find("look-up", plugin_id="c") is None


def test_a_framework_name_means_the_hosts_tool_or_nothing() -> None:
    registry = ToolRegistry(PACKAGES, builtins=FEWER)
    found = registry.find("runtime-done", plugin_id="a")
    assert found == RegisteredTool(BUILTIN_TOOLS["runtime-done"], "builtin")
    assert registry.find("delegate", plugin_id="a") is None


def test_every_builtin_tool_has_a_framework_name() -> None:
    assert set(BUILTIN_TOOLS) <= set(FRAMEWORK_TOOL_NAMES)


def test_names_are_resolved_together_in_their_order_without_what_is_missing() -> None:
    registry = ToolRegistry(PACKAGES, builtins=FEWER)
    names = ["runtime-done", "look-up", "delegate", "nothing"]
    resolved = registry.resolve(names, plugin_id="a")
    assert list(resolved) == ["runtime-done", "look-up"]
    assert resolved["look-up"] == RegisteredTool(mine, "local")
