"""What an entry's registration hooks return, compared both ways (spec/decisions.md 3)."""

from collections.abc import Callable, Iterable, Mapping
from types import FunctionType, SimpleNamespace
from typing import Any, TypeAlias

from pluggy import PluginManager

from covel_host.catalog.entry_hooks import EntryHooks
from covel_host.catalog.entry_places import EntryPlaces
from covel_host.catalog.foreign_text import value_text
from covel_host.catalog.registrar import EntryRegistrar
from covel_host.diagnostics.diagnostic import Diagnostic
from covel_host.manifest.layout import ROOT_MANIFEST
from covel_host.manifest.reading import PackageReading
from plugin_sdk import hookspecs
from plugin_sdk.names import FRAMEWORK_TOOL_NAMES, PLUGGY_PROJECT, REGISTRATION_HOOKS
from plugin_sdk.tools import Tool

Tools: TypeAlias = dict[str, Tool[..., Any]]


def hook_caller(plugin_id: str, functions: Mapping[str, Callable[..., Any]]) -> PluginManager:
    """A pluggy manager of one generation that knows exactly `functions`."""
    manager = PluginManager(PLUGGY_PROJECT)
    manager.add_hookspecs(hookspecs)
    manager.register(SimpleNamespace(**functions), name=plugin_id)
    return manager


def unserved_hooks(hooks: EntryHooks, places: EntryPlaces) -> list[Diagnostic]:
    """Registration hooks this host does not serve: refused, never called (spec/decisions.md 3)."""
    return [
        places.report(
            "not-supported-yet",
            f"The hook {name!r} is not served by this version of the host yet.",
            function=hooks.functions[name],
        )
        for name in REGISTRATION_HOOKS
        if name in hooks.functions and name != "register_tools"
    ]


def gather_tools(
    manager: PluginManager,
    hooks: EntryHooks,
    registrar: EntryRegistrar,
    reading: PackageReading,
    places: EntryPlaces,
) -> tuple[Tools, list[Diagnostic]]:
    """The tools that the entry returns, by name, and every problem with them."""
    hook = hooks.functions.get("register_tools")
    try:
        returned = manager.hook.register_tools(covel=registrar)
    except BaseException as error:
        # The package's own code: whatever it raises is its problem, not the host's.
        return {}, [_raised(error, places)]
    result = [] if hook is None else next(iter(returned), None)
    if not isinstance(result, (list, tuple, set, frozenset)):
        return {}, [_not_a_list(result, hook, places)]
    tools, problems = _checked(result, hook, places)
    if "register_tools" not in hooks.faulty:
        problems += missing_tools(tools, reading)
    return tools, problems + _undeclared(tools, reading, places)


def missing_tools(registered: Iterable[str], reading: PackageReading) -> list[Diagnostic]:
    """Every name of `contributes.tools` that was not registered."""
    top = reading.files.get(ROOT_MANIFEST)
    if top is None:
        return []
    return [
        top.report(
            "registration-missing",
            f"`contributes.tools` lists {name!r}, and the entry does not register it.",
            path=("contributes", "tools", index),
            hint="Return the tool from register_tools in the entry module.",
        )
        for index, name in enumerate(_declared(reading))
        # A reserved name is a problem of its own, told at its registration.
        if name not in registered and name not in FRAMEWORK_TOOL_NAMES
    ]


def _undeclared(tools: Tools, reading: PackageReading, places: EntryPlaces) -> list[Diagnostic]:
    declared = _declared(reading)
    return [
        places.report(
            "registration-undeclared",
            f"The tool {name!r} is registered, and `contributes.tools` does not list it.",
            function=registered.function,
            hint=f"Add {name!r} to `contributes.tools` in PLUGIN.md.",
        )
        for name, registered in tools.items()
        if name not in declared
    ]


def _declared(reading: PackageReading) -> tuple[str, ...]:
    return () if reading.manifest is None else tuple(reading.manifest.contributes.tools)


def _checked(
    listed: Iterable[object], hook: object, places: EntryPlaces
) -> tuple[Tools, list[Diagnostic]]:
    tools: Tools = {}
    problems: list[Diagnostic] = []
    for item in listed:
        if not isinstance(item, Tool):
            problems.append(_not_a_tool(item, hook, places))
        elif item.name in FRAMEWORK_TOOL_NAMES:
            problems.append(
                places.report(
                    "registration-reserved",
                    f"The tool name {item.name!r} belongs to the framework.",
                    function=item.function,
                    hint="Give the tool another name.",
                )
            )
        elif item.name in tools:
            problems.append(
                places.report(
                    "registration-duplicate",
                    f"The tool {item.name!r} is registered twice.",
                    function=item.function,
                )
            )
        else:
            tools[item.name] = item
    return tools, problems


def _raised(error: BaseException, places: EntryPlaces) -> Diagnostic:
    return places.report(
        "registration-invalid",
        f"The hook 'register_tools' failed: {places.told(error)}.",
        error=error,
    )


def _not_a_list(result: object, hook: object, places: EntryPlaces) -> Diagnostic:
    return places.report(
        "registration-invalid",
        f"'register_tools' returned {value_text(result)}; it must return a list of tools.",
        function=hook,
    )


def _not_a_tool(item: object, hook: object, places: EntryPlaces) -> Diagnostic:
    is_function = isinstance(item, FunctionType)
    return places.report(
        "registration-invalid",
        f"'register_tools' returned {value_text(item)} in its list, which is no tool.",
        function=item if is_function else hook,
        hint="Put @tool above the function." if is_function else "The list holds what @tool made.",
    )
