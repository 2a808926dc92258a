"""What a package's code registered when it was loaded, with the place of each."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from covel_host.catalog.generation import Generation
from covel_host.catalog.namespace import PackageNamespace
from covel_host.catalog.registered_hook import RegisteredHook
from covel_host.cli.package_contributions import Place
from plugin_sdk.hook_events import HOOK_EVENTS
from plugin_sdk.names import LIFE_CYCLE_HOOKS

_ORDERS: Final = ("pre", "normal", "post")


@dataclass(frozen=True, slots=True)
class Registered:
    """One thing that the code of a loaded package registered, in a group of `contributes`."""

    group: str
    name: str
    place: Place | None


@dataclass(frozen=True, slots=True, kw_only=True)
class HookFacts:
    """A life-cycle hook of a loaded package."""

    event: str
    function: str
    order: str
    timeout_ms: int | None
    place: Place | None


def registrations(generation: Generation) -> list[Registered]:
    """Everything that the code registered, by group and in its order; empty without code.

    Beside the groups of `contributes` there are `handlers` and `guards`, by runtime ID.
    """
    if generation.entry is None:
        return []
    place = _Places(generation.entry.namespace)
    groups: dict[str, Mapping[str, Any]] = {
        "tools": generation.tools,
        "actions": generation.actions,
        "services": {each.contract: each for each in generation.services.values()},
        "forms": generation.forms,
        "extensions": generation.extensions,
    }
    found = [
        Registered(group, name, place.of(item.function))
        for group, items in groups.items()
        for name, item in items.items()
    ]
    found += [
        Registered("hooks", LIFE_CYCLE_HOOKS[hook.event], place.of(hook.function))
        for hook in generation.hooks
    ]
    for kind, functions in (("handlers", generation.handlers), ("guards", generation.guards)):
        found += [Registered(kind, runtime, place.of(each)) for runtime, each in functions.items()]
    for name, loaded in generation.datasets.items():
        if loaded.model is not None:
            at = generation.entry.namespace.place_of_class(loaded.model)
            found.append(Registered("datasets", name, at))
    return found


def hooks_in_order(generation: Generation) -> list[HookFacts]:
    """The hooks of a package, event by event, in the order in which one event calls them."""
    if generation.entry is None:
        return []
    place = _Places(generation.entry.namespace)
    events = list(HOOK_EVENTS)

    def key(hook: RegisteredHook) -> tuple[int, int, int]:
        return events.index(hook.event), _ORDERS.index(hook.order), hook.position

    return [
        HookFacts(
            event=hook.event,
            function=hook.function_name,
            order=hook.order,
            timeout_ms=hook.timeout_ms,
            place=place.of(hook.function),
        )
        for hook in sorted(generation.hooks, key=key)
    ]


class _Places:
    """Finds functions in the modules of a package."""

    def __init__(self, namespace: PackageNamespace) -> None:
        self._namespace = namespace

    def of(self, function: Callable[..., Any]) -> Place | None:
        # A wrapper may come from a library, what it wraps from the package.
        for each in (function, getattr(function, "__wrapped__", None)):
            code = getattr(each, "__code__", None)
            if code is None:
                continue
            file = self._namespace.relative_path(code.co_filename)
            if file is not None:
                return file, code.co_firstlineno
        return None
