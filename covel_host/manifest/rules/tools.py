"""Names of tools in runtimes and contributions (spec/manifest.md 6.2.22, 6.3.6, 6.3.7)."""

from collections.abc import Iterator
from typing import Final

from covel_host.diagnostics.near_names import nearest
from covel_host.manifest.rules.facts import RootFacts, RuntimeFacts
from covel_host.manifest.rules.rule import Path, Problem, field, rule
from covel_host.manifest.rules.tool_names import is_framework_tool
from plugin_sdk.names import FRAMEWORK_TOOL_NAMES

_ADDED_BY_HOST: Final = "search-tools"
_LISTABLE: Final = tuple(name for name in FRAMEWORK_TOOL_NAMES if name != _ADDED_BY_HOST)


@rule("6.2.22", "search-tools-by-hand", "`search-tools` is not listed.")
def search_tools_by_hand(runtime: RuntimeFacts) -> Iterator[Problem]:
    for path, names in _builtin_lists(runtime):
        for index, name in enumerate(names):
            if name == _ADDED_BY_HOST:
                yield Problem(
                    path,
                    f"{field(path)} lists {name!r}, which the host adds by itself where tools are "
                    "deferred.",
                    "Remove it and write the tools to defer under 'agent.tools.defer'.",
                    place=(*path, index),
                )


@rule("6.3.6", "builtin-tool-unknown", "`tools.builtin` names framework tools.")
def builtin_unknown(runtime: RuntimeFacts) -> Iterator[Problem]:
    own = () if runtime.root is None else runtime.root.contributes.tools
    for path, names in _builtin_lists(runtime):
        for index, name in enumerate(names):
            if not is_framework_tool(name):
                item = (*path, index)
                yield Problem(
                    item,
                    f"{field(item)} is {name!r}, which is no tool of the framework.",
                    _builtin_hint(name, own),
                )


@rule("6.3.7", "tool-undeclared", "`tools.plugin` names tools of `contributes.tools`.")
def plugin_undeclared(runtime: RuntimeFacts) -> Iterator[Problem]:
    root = runtime.root
    if root is None or not root.sound("contributes", "tools"):
        return
    declared = root.contributes.tools
    for path, names in _plugin_lists(runtime):
        for index, name in enumerate(names):
            if name not in declared:
                item = (*path, index)
                yield Problem(
                    item,
                    f"{field(item)} is {name!r}, which `contributes.tools` of PLUGIN.md does not "
                    "list.",
                    _plugin_hint(name, declared),
                )


@rule("6.6", "reserved-name", "A contributed tool has no name of the framework.")
def reserved_tool(root: RootFacts) -> Iterator[Problem]:
    for index, name in enumerate(root.contributes.tools):
        if is_framework_tool(name):
            path: Path = ("contributes", "tools", index)
            yield Problem(
                path,
                f"{field(path)} is {name!r}, the name of a framework tool.",
                "Choose another name for the tool, such as one that begins with what the package "
                "is about.",
            )


def _builtin_lists(runtime: RuntimeFacts) -> Iterator[tuple[Path, tuple[str, ...]]]:
    yield runtime.at("agent", "tools", "builtin"), runtime.agent.tools.builtin
    if runtime.manifest.function is not None:
        yield runtime.at("function", "tools", "builtin"), runtime.manifest.function.tools.builtin


def _plugin_lists(runtime: RuntimeFacts) -> Iterator[tuple[Path, tuple[str, ...]]]:
    yield runtime.at("agent", "tools", "plugin"), runtime.agent.tools.plugin or ()
    if runtime.manifest.function is not None:
        yield runtime.at("function", "tools", "plugin"), runtime.manifest.function.tools.plugin


def _builtin_hint(name: str, own: tuple[str, ...]) -> str:
    if name in own:
        return "It is a tool of this package: list it under 'plugin'."
    near = nearest(name, _LISTABLE)
    if near is not None:
        return f"The nearest tool is {near!r}."
    return f"The framework has {', '.join(_LISTABLE)}."


def _plugin_hint(name: str, declared: tuple[str, ...]) -> str:
    if is_framework_tool(name):
        return "It is a framework tool: list it under 'builtin'."
    near = nearest(name, declared)
    if near is not None:
        return f"The nearest declared tool is {near!r}."
    return f"Add {name!r} to `contributes.tools` and register it in the entry."


RUNTIME_RULES: Final = (search_tools_by_hand, builtin_unknown, plugin_undeclared)
ROOT_RULES: Final = (reserved_tool,)
