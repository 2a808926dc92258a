"""What the entry registers, as far as it can be seen without running it
(spec/decisions.md 3; design/sdk.md, Entry module)."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from covel_host.manifest.rules.code_modules import CodeModule, CodeModules, Registered
from covel_host.manifest.rules.facts import RootFacts
from covel_host.manifest.rules.module_view import Definition, SdkCall
from plugin_sdk.names import LIFE_CYCLE_HOOKS, PACKAGE_HOOKS, REGISTRATION_HOOKS

ALL_HOOKS: Final = (*REGISTRATION_HOOKS, *PACKAGE_HOOKS, *LIFE_CYCLE_HOOKS)


@dataclass(frozen=True, slots=True)
class Contribution:
    """One group of `contributes` that code implements: the hook that returns it and its decorator.

    `key` is the member of an item that names it, `None` where the item is the name.
    """

    member: str
    hook: str
    decorator: str
    key: str | None = None


CONTRIBUTIONS: Final = (
    Contribution("tools", "register_tools", "tool"),
    Contribution("actions", "register_actions", "action"),
    Contribution("services", "register_services", "service"),
    Contribution("forms", "register_form_validators", "form_validator"),
    Contribution("extensions", "register_extensions", "extension", "id"),
    Contribution("wires", "register_wires", ""),
)


@dataclass(frozen=True, slots=True)
class MarkedHook:
    """A function of the entry marked with `@hookimpl`; `event` is the hook it implements, `None`
    where that is no literal."""

    definition: Definition
    call: SdkCall
    event: str | None


@dataclass(slots=True)
class EntryFacts:
    """The entry of a package, `module` being `None` when it has none or it cannot be parsed."""

    root: RootFacts
    module: CodeModule | None
    modules: CodeModules

    @property
    def closed(self) -> bool:
        """Whether every name of the entry can be seen; a package without an entry has none."""
        if self.module is None:
            return self.root.package.entry is None and self.root.sound("entry")
        return self.module.view is not None and not self.module.view.open

    def has_name(self, name: str) -> bool:
        """Whether the entry binds `name` at its top level."""
        view = None if self.module is None else self.module.view
        return view is not None and name in view.bound

    def marked(self) -> Iterator[MarkedHook]:
        """The hook implementations that the entry defines itself."""
        view = None if self.module is None else self.module.view
        for definition in () if view is None else view.definitions:
            for call in () if view is None else view.sdk_calls(definition):
                if call.name == "hookimpl" and not isinstance(definition, ast.ClassDef):
                    yield MarkedHook(definition, call, _event(definition, call))

    def returned(self, hook: str, decorator: str) -> tuple[list[Registered], bool]:
        """What `hook` returns, as far as it can be seen, and whether that is all of it."""
        view = None if self.module is None else self.module.view
        definition = None if view is None else view.definition(hook)
        names = _returned_names(definition)
        if self.module is None or names is None:
            return [], False
        found: list[Registered] = []
        complete = True
        for name in names:
            registered = self._registered(name, decorator)
            if registered is None:
                complete = False
            else:
                found.append(registered)
        return found, complete

    def _registered(self, name: str | None, decorator: str) -> Registered | None:
        if name is None or self.module is None:
            return None
        place = self.modules.defined(self.module, name)
        if place is None or place[0].view is None:
            return None
        module, definition = place
        calls = [call for call in place[0].view.sdk_calls(definition) if call.name == decorator]
        return Registered(module, definition, calls[0]) if len(calls) == 1 else None


def registered_name(item: Registered) -> str | None:
    """The name under which the host will know `item`, `None` when it is not plain."""
    call = item.call
    if call.name == "tool":
        given = call.options.get("name")
        if given is None and not _may_hold(call, "name"):
            return item.definition.name.replace("_", "-")
        return given if isinstance(given, str) else None
    if call.name == "extension":
        point = call.arguments[0] if call.arguments else call.options.get("point")
        extension_id = call.options.get("id")
        plain = isinstance(point, str) and isinstance(extension_id, str)
        return f"{point}/{extension_id}" if plain else None
    first = call.arguments[0] if call.arguments else None
    return first if isinstance(first, str) else None


def declared_names(contribution: Contribution, root: RootFacts) -> list[str]:
    """The names that `contributes` lists for a group, in the form of `registered_name`."""
    items = getattr(root.contributes, contribution.member)
    if contribution.key is None:
        return list(items)
    return [f"{item.point}/{item.id}" for item in items]


def _may_hold(call: SdkCall, option: str) -> bool:
    """Whether an option that is no literal, or `**options`, may set `option`."""
    return option in call.unknown or None in call.unknown


def _event(definition: Definition, call: SdkCall) -> str | None:
    if _may_hold(call, "event"):
        return None
    event = call.options.get("event", definition.name)
    return event if isinstance(event, str) else definition.name


def _returned_names(definition: Definition | None) -> list[str | None] | None:
    """The names in the one list that a hook's only statement of value returns."""
    if not isinstance(definition, ast.FunctionDef):
        return None
    returns = [node for node in ast.walk(definition) if isinstance(node, ast.Return)]
    body = definition.body
    if len(returns) != 1 or not body or body[-1] is not returns[0]:
        return None
    value = returns[0].value
    if not isinstance(value, ast.List | ast.Tuple):
        return None
    return [item.id if isinstance(item, ast.Name) else None for item in value.elts]
