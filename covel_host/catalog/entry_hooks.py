"""The hook functions of an entry module: every name compared at once (design/sdk.md).

pluggy says nothing about an alias, a keyword-only argument, a generator body or an unmarked
function with a hook's name; so the names are looked at here, and pluggy only gets functions that
are right.
"""

import difflib
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import FunctionType, ModuleType
from typing import Any, Final

from covel_host.catalog.entry_places import EntryPlaces
from covel_host.diagnostics.diagnostic import Diagnostic
from plugin_sdk.hooks import hook_options
from plugin_sdk.names import LIFE_CYCLE_HOOKS, PACKAGE_HOOKS, REGISTRATION_HOOKS

_PLAIN_HOOKS: Final = (*REGISTRATION_HOOKS, *PACKAGE_HOOKS)
_ALL_HOOKS: Final = (*_PLAIN_HOOKS, *LIFE_CYCLE_HOOKS)


@dataclass(slots=True)
class EntryHooks:
    """What was found: one function per registration or package hook, and every problem."""

    functions: dict[str, Callable[..., Any]] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)


def find_hooks(module: ModuleType, places: EntryPlaces) -> EntryHooks:
    """The hook implementations of an entry module, each function counted once."""
    found = EntryHooks()
    for function in _functions(vars(module)):
        options = hook_options(function)
        if options is None:
            found.diagnostics += _unmarked(function, places)
            continue
        name = options.event or function.__name__
        problem = _problem(name, function, found.functions, places)
        if problem is None:
            found.functions[name] = function
        else:
            found.diagnostics.append(problem)
    return found


def _functions(names: Mapping[str, object]) -> Iterator[FunctionType]:
    """The functions of a module in order of definition; an alias is the same function."""
    unique = {id(value): value for value in names.values() if isinstance(value, FunctionType)}
    return iter(unique.values())


def _unmarked(function: FunctionType, places: EntryPlaces) -> Iterator[Diagnostic]:
    if function.__name__ in _ALL_HOOKS and places.owns(function):
        yield places.report(
            "unknown-hook",
            f"{function.__name__!r} is named like a hook and not marked with @hookimpl, so it is "
            "never called.",
            function=function,
            hint="Put @hookimpl above it, or give it another name.",
        )


def _problem(
    name: str,
    function: FunctionType,
    known: Mapping[str, Callable[..., Any]],
    places: EntryPlaces,
) -> Diagnostic | None:
    if name in LIFE_CYCLE_HOOKS:
        return places.report(
            "not-supported-yet",
            f"The life-cycle hook {name!r} is not served by this version of the host yet.",
            function=function,
        )
    if name not in _PLAIN_HOOKS:
        near = difflib.get_close_matches(name, _ALL_HOOKS, n=1)
        return places.report(
            "unknown-hook",
            f"{name!r} is marked as a hook, and the host has no hook of that name.",
            function=function,
            hint=f"Did you mean {near[0]!r}?" if near else f"Hooks: {', '.join(_ALL_HOOKS)}.",
        )
    if name in known:
        return places.report(
            "registration-duplicate",
            f"Two functions implement the hook {name!r}; a package has one of each.",
            function=function,
            hint="Return everything from one function.",
        )
    return _shape_problem(name, function, places)


def _shape_problem(name: str, function: FunctionType, places: EntryPlaces) -> Diagnostic | None:
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        wrong = "is a generator; it must return a list"
    elif inspect.iscoroutinefunction(function):
        wrong = "is asynchronous; it must be a plain function"
    else:
        arguments = list(inspect.signature(function).parameters)
        if arguments in ([], ["covel"]):
            return None
        wrong = f"takes {', '.join(map(repr, arguments))}; it takes 'covel' or nothing"
    return places.report("registration-invalid", f"The hook {name!r} {wrong}.", function=function)
