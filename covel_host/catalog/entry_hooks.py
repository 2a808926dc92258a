"""The hook functions of an entry module: every name compared at once (design/sdk.md).

pluggy says nothing about an alias, a keyword-only argument, a generator body or an unmarked
function with a hook's name; so the names are looked at here, and pluggy only gets functions that
are right.
"""

import difflib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import FunctionType, ModuleType
from typing import Any, Final

from covel_host.catalog.entry_places import EntryPlaces
from covel_host.diagnostics.diagnostic import Diagnostic
from plugin_sdk.hook_events import HOOK_EVENTS
from plugin_sdk.hooks import HookOptions, hook_options
from plugin_sdk.names import LIFE_CYCLE_HOOKS, PACKAGE_HOOKS, REGISTRATION_HOOKS

_PLAIN_HOOKS: Final = (*REGISTRATION_HOOKS, *PACKAGE_HOOKS)
_ALL_HOOKS: Final = (*_PLAIN_HOOKS, *LIFE_CYCLE_HOOKS)
_BY_NAME: Final = (
    inspect.Parameter.POSITIONAL_OR_KEYWORD,
    inspect.Parameter.KEYWORD_ONLY,
)
_BY_POSITION: Final = (
    inspect.Parameter.POSITIONAL_ONLY,
    inspect.Parameter.POSITIONAL_OR_KEYWORD,
)


@dataclass(frozen=True, slots=True)
class FoundHook:
    """A function that implements the life-cycle hook `event`, with its parameters' names."""

    event: str
    function: FunctionType
    options: HookOptions
    arguments: tuple[str, ...]


@dataclass(slots=True)
class EntryHooks:
    """What was found: one function per registration or package hook, and every problem.

    `life_cycle` are the functions of life-cycle hooks in order of definition. `faulty` holds the
    hooks that were meant and cannot be called: what they would have returned is not missing as
    well.
    """

    functions: dict[str, Callable[..., Any]] = field(default_factory=dict)
    life_cycle: list[FoundHook] = field(default_factory=list)
    faulty: set[str] = field(default_factory=set)
    diagnostics: list[Diagnostic] = field(default_factory=list)


def find_hooks(module: ModuleType, places: EntryPlaces) -> EntryHooks:
    """The hook implementations of an entry module, each function counted once."""
    found = EntryHooks()
    for function, names in _functions(vars(module)):
        options = hook_options(function)
        if options is None:
            _unmarked(function, names, places, found)
            continue
        name = options.event or function.__name__
        if name in LIFE_CYCLE_HOOKS:
            problem = _life_cycle_problem(name, function, options, places, found)
        else:
            problem = _problem(name, function, names, places, found)
        if problem is not None:
            found.diagnostics.append(problem)
        elif name in LIFE_CYCLE_HOOKS:
            arguments = tuple(inspect.signature(function).parameters)
            found.life_cycle.append(FoundHook(name, function, options, arguments))
        else:
            found.functions[name] = function
    return found


def _functions(names: Mapping[str, object]) -> list[tuple[FunctionType, list[str]]]:
    """The functions of a module in order of definition, each with all its names there."""
    functions: dict[int, tuple[FunctionType, list[str]]] = {}
    for name, value in names.items():
        # isinstance would ask a lazy stand-in for its class, and run the code behind it.
        if type(value) is FunctionType:
            functions.setdefault(id(value), (value, []))[1].append(name)
    return list(functions.values())


def _unmarked(
    function: FunctionType, names: list[str], places: EntryPlaces, found: EntryHooks
) -> None:
    named = [name for name in (function.__name__, *names) if name in _ALL_HOOKS]
    if not named or not places.owns(function):
        return
    found.faulty.add(named[0])
    found.diagnostics.append(
        places.report(
            "unknown-hook",
            f"{named[0]!r} is named like a hook and not marked with @hookimpl, so it is "
            "never called.",
            function=function,
            hint="Put @hookimpl above it, or give it another name.",
        )
    )


def _problem(
    name: str, function: FunctionType, names: list[str], places: EntryPlaces, found: EntryHooks
) -> Diagnostic | None:
    if name not in _PLAIN_HOOKS:
        return _unknown(name, function, names, places, found)
    if name in found.functions:
        return places.report(
            "registration-duplicate",
            f"Two functions implement the hook {name!r}; a package has one of each.",
            function=function,
            hint="Return everything from one function.",
        )
    wrong = _wrong_shape(name, function)
    if wrong is None:
        return None
    found.faulty.add(name)
    return places.report("registration-invalid", f"The hook {name!r} {wrong}.", function=function)


def _life_cycle_problem(
    name: str,
    function: FunctionType,
    options: HookOptions,
    places: EntryPlaces,
    found: EntryHooks,
) -> Diagnostic | None:
    if any(
        (each.event, each.function.__name__) == (name, function.__name__)
        for each in found.life_cycle
    ):
        return places.report(
            "registration-duplicate",
            f"Two functions of the name {function.__name__!r} implement the hook {name!r}.",
            function=function,
            hint=f"Give one another name, and name the hook: @hookimpl(event={name!r}).",
        )
    wrong = _wrong_life_cycle_shape(name, function, options)
    if wrong is None:
        return None
    found.faulty.add(name)
    return places.report(
        "registration-invalid", f"The hook {name!r} {wrong[0]}.", function=function, hint=wrong[1]
    )


def _unknown(
    name: str, function: FunctionType, names: list[str], places: EntryPlaces, found: EntryHooks
) -> Diagnostic:
    near = difflib.get_close_matches(name, _ALL_HOOKS, n=1)
    alias = next((other for other in names if other in _ALL_HOOKS), None)
    if alias is not None:
        hint = f"A second name does not count: give the function itself the name {alias!r}."
    else:
        hint = f"Did you mean {near[0]!r}?" if near else f"Hooks: {', '.join(_ALL_HOOKS)}."
    found.faulty.update([alias] if alias is not None else near)
    return places.report(
        "unknown-hook",
        f"{name!r} is marked as a hook, and the host has no hook of that name.",
        function=function,
        hint=hint,
    )


def _wrong_shape(name: str, function: FunctionType) -> str | None:
    if function.__name__ != name:
        return f"is none of the hooks that `event` names; call the function {name!r} itself"
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        return "is a generator; it must return a list"
    if inspect.iscoroutinefunction(function):
        return "is asynchronous; it must be a plain function"
    parameters = list(inspect.signature(function).parameters.values())
    if [parameter.name for parameter in parameters] not in ([], ["covel"]):
        listed = ", ".join(repr(parameter.name) for parameter in parameters)
        return f"takes {listed}; it takes 'covel' or nothing"
    for parameter in parameters:
        if parameter.kind not in _BY_POSITION:
            return "takes 'covel' by keyword only; write it as a plain argument"
        if parameter.default is not parameter.empty:
            return "gives 'covel' a default value, which would always be used; leave it out"
    return None


def _wrong_life_cycle_shape(
    name: str, function: FunctionType, options: HookOptions
) -> tuple[str, str | None] | None:
    """What is wrong with the function of a life-cycle hook, and a hint."""
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        return "is a generator; it must return proceed(…), abort(…) or nothing", None
    if options.match is not None and inspect.iscoroutinefunction(options.match):
        return "has an asynchronous `match`; it must be a plain function of the payload", None
    known = ("ctx", HOOK_EVENTS[name].argument)
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.POSITIONAL_ONLY:
            return f"takes {parameter.name!r} by position only; it is called by names", None
        if parameter.kind not in _BY_NAME or parameter.name not in known:
            near = difflib.get_close_matches(parameter.name, known, n=1)
            said = f"takes {str(parameter.name)!r}; it takes {known[0]!r} and {known[1]!r}"
            return said, f"Did you mean {near[0]!r}?" if near else "Either may be left out."
    return None
