"""Which packages a session gets from a request (spec/manifest.md 8)."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Sequence

from covel_host.catalog.resolver_conflicts import find_conflicts, find_replaced_defaults
from covel_host.catalog.resolver_providers import ProviderChoice, Providers
from covel_host.catalog.resolver_types import (
    KERNEL_CONTRACTS,
    Rejection,
    Resolution,
    SessionPackage,
    UnmetReason,
)


def resolve_session(
    packages: Iterable[SessionPackage],
    *,
    requested: Sequence[str],
    excluded: Collection[str] = (),
    required_contracts: Sequence[str] = (),
) -> Resolution:
    """The active packages of a session, and for every refused one a code and a message.

    Requested and core packages come first, then the providers of what they and the world require;
    then default providers step aside, conflicts are settled in favour of the earlier request, what
    lost its provider goes, and what was only added for something that went goes as well. The
    result does not depend on the order of `packages`; their IDs are unique.
    """
    resolver = _Resolver(packages, requested=requested, excluded=excluded)
    resolver.add_requested()
    resolver.add_core()
    resolver.add_providers(required_contracts)
    resolver.reject_all(find_replaced_defaults(resolver.active_in_order()))
    resolver.reject_all(find_conflicts(resolver.active_in_order()))
    resolver.reject_orphaned_dependants()
    resolver.remove_unreachable(required_contracts)
    return resolver.resolution(required_contracts)


class _Resolver:
    """The state of one resolution; its methods are the steps, called once and in order."""

    def __init__(
        self,
        packages: Iterable[SessionPackage],
        *,
        requested: Sequence[str],
        excluded: Collection[str],
    ) -> None:
        self._catalogue = {p.plugin_id: p for p in sorted(packages, key=lambda p: p.plugin_id)}
        self._requested = tuple(dict.fromkeys(requested))
        self._excluded = frozenset(excluded)
        self._active: dict[str, SessionPackage] = {}
        self._rejected: dict[str, Rejection] = {}
        self._providers = Providers(self._catalogue.values(), excluded=self._excluded)

    def add_requested(self) -> None:
        for plugin_id in self._requested:
            if plugin_id not in self._catalogue:
                self._rejected[plugin_id] = Rejection(
                    "unknown-plugin",
                    f"No package {plugin_id!r} is installed. Install it or take it from the list.",
                )
            elif plugin_id in self._excluded:
                self._rejected[plugin_id] = Rejection(
                    "excluded", f"Package {plugin_id!r} is excluded from this session."
                )
            else:
                self._admit(self._catalogue[plugin_id])

    def add_core(self) -> None:
        for plugin_id, package in self._catalogue.items():
            is_settled = plugin_id in self._active or plugin_id in self._rejected
            if package.kind == "core" and not is_settled and plugin_id not in self._excluded:
                self._admit(package)

    def add_providers(self, required_contracts: Iterable[str]) -> None:
        """Add a provider for everything that is required, and for what the added ones require."""
        queue = deque(self._active.values())
        world = deque(required_contracts)
        while queue or world:
            if queue:
                package = queue.popleft()
                added, problem = self._provide_for(package)
                queue.extend(added)
                if problem is not None:
                    self._reject(package.plugin_id, problem)
                continue
            choice = self._choose(world.popleft())
            if choice is not None and choice.package is not None:
                self._activate(choice.package)
                queue.append(choice.package)

    def reject_all(self, rejections: Iterable[tuple[str, Rejection]]) -> None:
        for plugin_id, rejection in rejections:
            self._reject(plugin_id, rejection)

    def reject_orphaned_dependants(self) -> None:
        """Reject what requires a contract that no active package provides any more, and so on."""
        dependants: dict[str, list[SessionPackage]] = {}
        for package in self.active_in_order():
            for contract in package.requires:
                dependants.setdefault(contract, []).append(package)
        lost = deque(contract for contract in dependants if not self._providers.active(contract))
        while lost:
            contract = lost.popleft()
            for package in dependants.get(contract, ()):
                if package.plugin_id not in self._active:
                    continue
                self._reject(package.plugin_id, self._lost_provider(package, contract))
                lost.extend(
                    offered for offered in package.offers if not self._providers.active(offered)
                )

    def remove_unreachable(self, required_contracts: Iterable[str]) -> None:
        """Drop automatic packages that nothing requested, core or required by the world needs."""
        reached = {
            plugin_id
            for plugin_id, package in self._active.items()
            if package.kind == "core" or plugin_id in self._requested
        }
        contracts = deque(required_contracts)
        for plugin_id in sorted(reached):
            contracts.extend(self._active[plugin_id].requires)
        seen: set[str] = set()
        while contracts:
            contract = contracts.popleft()
            if contract in seen:
                continue
            seen.add(contract)
            for plugin_id in self._providers.active(contract):
                if plugin_id not in reached:
                    reached.add(plugin_id)
                    contracts.extend(self._active[plugin_id].requires)
        for plugin_id in [p for p in self._active if p not in reached]:
            self._deactivate(plugin_id)

    def active_in_order(self) -> list[SessionPackage]:
        """Explicit requests first, then by ID."""
        explicit = [p for p in self._requested if p in self._active]
        automatic = sorted(self._active.keys() - set(explicit))
        return [self._active[plugin_id] for plugin_id in (*explicit, *automatic)]

    def resolution(self, required_contracts: Iterable[str]) -> Resolution:
        active = tuple(package.plugin_id for package in self.active_in_order())
        unmet: dict[str, UnmetReason] = {}
        for contract in required_contracts:
            if not self._providers.active(contract):
                unmet[contract] = self._providers.unmet_reason(contract, self._rejected)
        return Resolution(
            active=active,
            auto_added=tuple(p for p in active if p not in self._requested),
            rejected=self._rejected,
            unmet=unmet,
        )

    def _admit(self, package: SessionPackage) -> None:
        if not package.may_run:
            self._rejected[package.plugin_id] = Rejection(
                "approval-required",
                f"Package {package.plugin_id!r} is community code without approval. "
                f"Approve it, then ask again.",
            )
        elif (problem := invalid_conflict(package)) is not None:
            self._rejected[package.plugin_id] = problem
        else:
            self._activate(package)

    def _provide_for(
        self, package: SessionPackage
    ) -> tuple[list[SessionPackage], Rejection | None]:
        """Activate a provider for each requirement; stop at the first that nobody can meet."""
        added: list[SessionPackage] = []
        for contract in package.requires:
            choice = self._choose(contract)
            if choice is None:
                continue
            if choice.package is None:
                return added, choice.rejection(package.plugin_id, contract)
            self._activate(choice.package)
            added.append(choice.package)
        return added, None

    def _choose(self, contract: str) -> ProviderChoice | None:
        """The provider to add for `contract`; `None` when an active package provides it already."""
        if self._providers.active(contract):
            return None
        return self._providers.choose(contract, self._rejected)

    def _lost_provider(self, package: SessionPackage, contract: str) -> Rejection:
        refused = [
            plugin_id for plugin_id in self._providers.of(contract) if plugin_id in self._rejected
        ]
        needs_approval = any(
            self._rejected[plugin_id].code == "approval-required" for plugin_id in refused
        )
        return Rejection(
            "approval-required" if needs_approval else "missing-provider",
            f"Package {package.plugin_id!r} requires {contract!r}, and its provider is not active "
            f"({', '.join(refused) or 'none'} refused).",
            candidates=tuple(refused),
        )

    def _activate(self, package: SessionPackage) -> None:
        self._active[package.plugin_id] = package
        self._providers.activate(package)

    def _deactivate(self, plugin_id: str) -> None:
        self._providers.deactivate(self._active.pop(plugin_id))

    def _reject(self, plugin_id: str, rejection: Rejection) -> None:
        self._rejected[plugin_id] = rejection
        self._deactivate(plugin_id)


def invalid_conflict(package: SessionPackage) -> Rejection | None:
    """The rejection of a package whose `conflicts` names a contract of the kernel, if it does."""
    for index, contract in enumerate(package.conflicts):
        if contract in KERNEL_CONTRACTS:
            return Rejection(
                "invalid-conflict",
                f"`conflicts` of package {package.plugin_id!r} names {contract!r}, which is an "
                f"extension point or UI slot of the kernel. Name contracts of plugins only.",
                path=f"conflicts.{index}",
            )
    return None
