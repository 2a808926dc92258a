"""What an entry's registration hooks return, compared both ways (spec/decisions.md 3)."""

import difflib
from collections.abc import Callable, Collection, Iterable, Mapping
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any, TypeAlias

from pluggy import PluginManager

from covel_host.catalog.entry_hooks import EntryHooks
from covel_host.catalog.entry_places import EntryPlaces
from covel_host.catalog.foreign_text import value_text
from covel_host.catalog.registrar import EntryRegistrar
from covel_host.catalog.registration_kinds import KINDS, RegistrationKind
from covel_host.diagnostics.diagnostic import Diagnostic
from covel_host.manifest.contributions import Contributions
from covel_host.manifest.layout import ROOT_MANIFEST
from covel_host.manifest.reading import PackageReading
from covel_host.manifest.served import CODE_CONTRIBUTIONS
from plugin_sdk import hookspecs
from plugin_sdk.names import PLUGGY_PROJECT, REGISTRATION_HOOKS

Registered: TypeAlias = dict[str, dict[str, Any]]
"""SDK objects by name, by member of `contributes`."""


def hook_caller(plugin_id: str, functions: Mapping[str, Callable[..., Any]]) -> PluginManager:
    """A pluggy manager of one generation that knows exactly `functions` and their hooks."""
    # pluggy looks at everything that an object has, so both hold the functions alone.
    specifications = ModuleType(hookspecs.__name__)
    vars(specifications).update({name: getattr(hookspecs, name) for name in functions})
    manager = PluginManager(PLUGGY_PROJECT)
    if functions:
        manager.add_hookspecs(specifications)
        manager.register(_Functions(**functions), name=plugin_id)
    return manager


class _Functions(SimpleNamespace):
    """Functions by name."""

    def __dir__(self) -> list[str]:
        return list(vars(self))


def unserved_hooks(hooks: EntryHooks, places: EntryPlaces) -> list[Diagnostic]:
    """Registration hooks this host does not serve: refused, never called (spec/decisions.md 3)."""
    served = {kind.hook for kind in KINDS if kind.member not in CODE_CONTRIBUTIONS}
    return [
        places.report(
            "not-supported-yet",
            f"The hook {name!r} is not served by this version of the host yet.",
            function=hooks.functions[name],
        )
        for name in REGISTRATION_HOOKS
        if name in hooks.functions and name not in served
    ]


def gather(
    manager: PluginManager,
    hooks: EntryHooks,
    registrar: EntryRegistrar,
    reading: PackageReading,
    places: EntryPlaces,
) -> tuple[Registered, list[Diagnostic]]:
    """What every registration hook of the entry returns, and every problem with it."""
    registered: Registered = {}
    problems: list[Diagnostic] = []
    for kind in KINDS:
        if kind.member in CODE_CONTRIBUTIONS:
            continue
        work = _Gathering(kind, _contributions(reading), places)
        work.ask(manager, hooks, registrar)
        registered[kind.member] = work.objects
        problems += work.problems
        if work.is_known and kind.hook not in hooks.faulty:
            problems += _missing(kind, work.declared_names, reading)
    return registered, problems


def missing_registrations(reading: PackageReading) -> list[Diagnostic]:
    """Everything declared that a package without an entry cannot register."""
    served = (kind for kind in KINDS if kind.member not in CODE_CONTRIBUTIONS)
    return [problem for kind in served for problem in _missing(kind, (), reading)]


def _contributions(reading: PackageReading) -> Contributions:
    return Contributions() if reading.manifest is None else reading.manifest.contributes


def _missing(
    kind: RegistrationKind, registered: Collection[str], reading: PackageReading
) -> list[Diagnostic]:
    top = reading.files.get(ROOT_MANIFEST)
    if top is None:
        return []
    return [
        top.report(
            "registration-missing",
            f"`contributes.{kind.member}` lists {name!r}{kind.declared_note}, and the entry does "
            "not register it.",
            path=("contributes", kind.member, *place),
            hint=f"Return the {kind.noun} from {kind.hook} in the entry module.",
        )
        for name, place in kind.declared(_contributions(reading)).items()
        # A reserved name is a problem of its own, told at its registration.
        if name not in registered and not kind.is_reserved(name)
    ]


class _Gathering:
    """The objects of one kind, and what is wrong with what was returned.

    `is_known` says whether all that the entry wants to register was seen; `declared_names` are the
    names under which the manifest lists what was registered.
    """

    def __init__(
        self, kind: RegistrationKind, contributes: Contributions, places: EntryPlaces
    ) -> None:
        self._kind = kind
        self._contributes = contributes
        self._places = places
        self._declared = kind.declared(contributes)
        self.is_known = False
        self.objects: dict[str, Any] = {}
        self.declared_names: set[str] = set()
        self.problems: list[Diagnostic] = []

    def ask(self, manager: PluginManager, hooks: EntryHooks, registrar: EntryRegistrar) -> None:
        function = hooks.functions.get(self._kind.hook)
        if function is None:
            self.is_known = True
            return
        try:
            returned = getattr(manager.hook, self._kind.hook)(covel=registrar)
        except BaseException as error:
            # The package's own code: whatever it raises is its problem, not the host's.
            message = f"The hook {self._kind.hook!r} failed: {self._places.told(error)}."
            self._report("registration-invalid", message, error=error)
            return
        result = next(iter(returned), None)
        if not isinstance(result, (list, tuple, set, frozenset)):
            message = (
                f"{self._kind.hook!r} returned {value_text(result)}; it must return a list of "
                f"{self._kind.noun}s."
            )
            self._report("registration-invalid", message, function=function)
            return
        self.is_known = True
        self._take(result, function)

    def _take(self, listed: Iterable[object], hook: object) -> None:
        for item in listed:
            made = self._kind.made(item)
            if made is None:
                self._not_made(item, hook)
                continue
            problem = self._refusal(made)
            if problem is None:
                self.objects[self._kind.name(made)] = made
            else:
                name, message, hint = problem
                self._report(name, message, function=self._kind.source(made), hint=hint)
            self.declared_names.add(self._kind.declared_name(made))

    def _refusal(self, made: Any) -> tuple[str, str, str | None] | None:
        """Name, message and hint of what keeps an object from being registered."""
        kind, name = self._kind, self._kind.name(made)
        listed = kind.declared_name(made)
        if kind.is_reserved(name):
            message = f"The {kind.noun} name {name!r} belongs to the framework."
            return "registration-reserved", message, f"Give the {kind.noun} another name."
        if name in self.objects:
            return "registration-duplicate", f"The {kind.noun} {name!r} is registered twice.", None
        conflict = kind.conflict(self._contributes, made)
        if conflict is not None:
            return "registration-invalid", f"The {kind.noun} {name!r} {conflict}.", None
        if listed not in self._declared:
            message = (
                f"The {kind.noun} {listed!r} is registered, and `contributes.{kind.member}` does "
                f"not list it{kind.declared_note}."
            )
            return "registration-undeclared", message, self._declare_hint(listed)
        return None

    def _declare_hint(self, listed: str) -> str:
        near = difflib.get_close_matches(listed, self._declared, n=1)
        if near:
            return f"Did you mean {near[0]!r}, which is declared?"
        return f"Add {listed!r} to `contributes.{self._kind.member}` in PLUGIN.md."

    def _not_made(self, item: object, hook: object) -> None:
        kind = self._kind
        own = type(item) is FunctionType or isinstance(item, type)
        what = "class" if isinstance(item, type) else "function"
        self._report(
            "registration-invalid",
            f"{kind.hook!r} returned {value_text(item)} in its list, which is no {kind.noun}.",
            function=item if own else hook,
            hint=f"Put {kind.decorator} above the {what}."
            if own
            else f"The list holds what {kind.decorator} made.",
        )

    def _report(self, name: str, message: str, **place: Any) -> None:
        self.problems.append(self._places.report(name, message, **place))
