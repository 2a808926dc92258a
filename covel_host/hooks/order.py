"""The order in which hooks are called (design/sdk.md, Entry module)."""

import heapq
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TypeVar

from covel_host.hooks.hook import Hook
from plugin_sdk.hooks import HOOK_ORDERS

SomeHook = TypeVar("SomeHook", bound=Hook)

_GROUPS = {order: rank for rank, order in enumerate(HOOK_ORDERS)}


def ordered_hooks(hooks: Iterable[SomeHook], *, packages: Sequence[str]) -> tuple[SomeHook, ...]:
    """The hooks in the order of their calls, whatever their events.

    Groups `pre`, `normal`, `post`; inside a group by package in the order of `packages`, then in
    order of definition. Hooks of other packages are left out.
    """
    ranks = {plugin_id: rank for rank, plugin_id in enumerate(packages)}
    keyed = [
        ((_GROUPS[hook.order], ranks[hook.plugin_id], hook.position), hook)
        for hook in hooks
        if hook.plugin_id in ranks
    ]
    return tuple(hook for _, hook in sorted(keyed, key=lambda pair: pair[0]))


def package_order(
    plugin_ids: Collection[str], dependencies: Mapping[str, Collection[str]]
) -> tuple[str, ...]:
    """The packages, each behind those it depends on, directly or not, as far as possible by ID.

    `dependencies` maps a package to the packages that provide what it requires; names outside
    `plugin_ids` count for nothing. Packages that depend on each other in a circle stand by ID.
    """
    known = frozenset(plugin_ids)
    reached = {plugin_id: _reached(plugin_id, known, dependencies) for plugin_id in known}
    # Without the members of its own circle, what a package waits for has no circles any more.
    waiting = {
        plugin_id: {one for one in providers if plugin_id not in reached[one]}
        for plugin_id, providers in reached.items()
    }
    ready = [plugin_id for plugin_id, providers in waiting.items() if not providers]
    heapq.heapify(ready)
    ordered: list[str] = []
    while ready:
        plugin_id = heapq.heappop(ready)
        ordered.append(plugin_id)
        for dependant, providers in waiting.items():
            if plugin_id in providers:
                providers.discard(plugin_id)
                if not providers:
                    heapq.heappush(ready, dependant)
    return tuple(ordered)


def _reached(
    plugin_id: str, known: Collection[str], dependencies: Mapping[str, Collection[str]]
) -> set[str]:
    """Everything the package depends on, directly or not; itself when it is in a circle."""
    found: set[str] = set()
    rest = [plugin_id]
    while rest:
        for provider in dependencies.get(rest.pop(), ()):
            if provider in known and provider not in found:
                found.add(provider)
                rest.append(provider)
    return found
