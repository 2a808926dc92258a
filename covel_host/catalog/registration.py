"""What an entry's registration hooks return, compared with the manifest both ways."""

from collections.abc import Callable, Iterable, Mapping
from types import FunctionType, SimpleNamespace
from typing import Any

from pluggy import PluginManager

from covel_host.catalog.entry_places import EntryPlaces
from covel_host.catalog.registrar import EntryRegistrar
from covel_host.diagnostics.diagnostic import Diagnostic
from covel_host.manifest.layout import ROOT_MANIFEST
from covel_host.manifest.package import PackageReading
from plugin_sdk import hookspecs
from plugin_sdk.names import FRAMEWORK_TOOL_NAMES, PLUGGY_PROJECT, REGISTRATION_HOOKS
from plugin_sdk.tools import Tool


def hook_caller(plugin_id: str, functions: Mapping[str, Callable[..., Any]]) -> PluginManager:
    """A pluggy manager of one generation that knows exactly `functions`."""
    manager = PluginManager(PLUGGY_PROJECT)
    manager.add_hookspecs(hookspecs)
    manager.register(SimpleNamespace(**functions), name=plugin_id)
    return manager


def gather_tools(
    manager: PluginManager,
    functions: Mapping[str, Callable[..., Any]],
    registrar: EntryRegistrar,
    reading: PackageReading,
    places: EntryPlaces,
) -> tuple[dict[str, Tool[..., Any]], list[Diagnostic]]:
    """The tools that the entry returns, by name, and every problem with them.

    Hooks for what this host does not serve yet are refused, never called (spec/decisions.md 3).
    """
    diagnostics = [
        places.report(
            "not-supported-yet",
            f"The hook {name!r} is not served by this version of the host yet.",
            function=_function(functions[name]),
        )
        for name in REGISTRATION_HOOKS
        if name in functions and name != "register_tools"
    ]
    returned = manager.hook.register_tools(covel=registrar)
    hook = functions.get("register_tools")
    listed: list[object] = []
    for result in returned:
        if isinstance(result, (list, tuple, set, frozenset)):
            listed.extend(result)
        else:
            diagnostics.append(_not_a_list(result, hook, places))
    tools, problems = _checked(listed, hook, places)
    diagnostics += problems
    diagnostics += compare(tools, declared_tools(reading), reading, places)
    return tools, diagnostics


def declared_tools(reading: PackageReading) -> tuple[str, ...]:
    """The names of `contributes.tools`."""
    return () if reading.manifest is None else tuple(reading.manifest.contributes.tools)


def _checked(
    listed: Iterable[object], hook: Callable[..., Any] | None, places: EntryPlaces
) -> tuple[dict[str, Tool[..., Any]], list[Diagnostic]]:
    tools: dict[str, Tool[..., Any]] = {}
    problems: list[Diagnostic] = []
    for item in listed:
        if not isinstance(item, Tool):
            problems.append(_not_a_tool(item, hook, places))
        elif item.name in FRAMEWORK_TOOL_NAMES:
            problems.append(
                places.report(
                    "registration-reserved",
                    f"The tool name {item.name!r} belongs to the framework.",
                    function=_function(item.function),
                    hint="Give the tool another name.",
                )
            )
        elif item.name in tools:
            problems.append(
                places.report(
                    "registration-duplicate",
                    f"The tool {item.name!r} is registered twice.",
                    function=_function(item.function),
                )
            )
        else:
            tools[item.name] = item
    return tools, problems


def compare(
    registered: Mapping[str, Tool[..., Any]],
    declared: Iterable[str],
    reading: PackageReading,
    places: EntryPlaces | None,
) -> list[Diagnostic]:
    """Every name that only one side knows."""
    top = reading.files.get(ROOT_MANIFEST)
    names = tuple(declared)
    problems: list[Diagnostic] = []
    for index, name in enumerate(names):
        if name not in registered and name not in FRAMEWORK_TOOL_NAMES and top is not None:
            problems.append(
                top.report(
                    "registration-missing",
                    f"`contributes.tools` lists {name!r}, and the entry does not register it.",
                    path=("contributes", "tools", index),
                    hint="Return the tool from register_tools in the entry module.",
                )
            )
    for name, registered_tool in registered.items():
        if name not in names and places is not None:
            problems.append(
                places.report(
                    "registration-undeclared",
                    f"The tool {name!r} is registered, and `contributes.tools` does not list it.",
                    function=_function(registered_tool.function),
                    hint=f"Add {name!r} to `contributes.tools` in PLUGIN.md.",
                )
            )
    return problems


def _not_a_list(result: object, hook: Callable[..., Any] | None, places: EntryPlaces) -> Diagnostic:
    return places.report(
        "registration-invalid",
        f"'register_tools' returned {result!r:.80}; it must return a list of tools.",
        function=_function(hook),
    )


def _not_a_tool(item: object, hook: Callable[..., Any] | None, places: EntryPlaces) -> Diagnostic:
    return places.report(
        "registration-invalid",
        f"'register_tools' returned {item!r:.80} in its list, which is no tool.",
        function=_function(hook),
        hint="Put @tool above the function.",
    )


def _function(function: object) -> FunctionType | None:
    return function if isinstance(function, FunctionType) else None
