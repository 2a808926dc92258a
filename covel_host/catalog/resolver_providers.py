"""Who provides a contract, and which provider is added (spec/manifest.md 8.3, steps 2 and 3)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from covel_host.catalog.resolver_types import (
    KERNEL_CONTRACTS,
    Rejection,
    SessionPackage,
    UnmetReason,
)


@dataclass(frozen=True, slots=True)
class ProviderChoice:
    """The provider to add, or the reason why none is, with the packages that were considered."""

    package: SessionPackage | None
    reason: UnmetReason = "missing-provider"
    candidates: tuple[str, ...] = ()

    def rejection(self, plugin_id: str, contract: str) -> Rejection:
        """The rejection of package `plugin_id`, whose requirement `contract` stays open."""
        start = f"Package {plugin_id!r} requires {contract!r}"
        names = ", ".join(self.candidates)
        if self.reason == "ambiguous-provider":
            text = f"{start}, which several packages provide: {names}. Request one of them."
            return Rejection("ambiguous-provider", text, self.candidates)
        if self.reason == "approval-required":
            text = f"{start}, which only packages without approval provide: {names}. Approve one."
            return Rejection("approval-required", text, self.candidates)
        if self.candidates:
            text = f"{start}, whose providers are excluded or refused: {names}."
        else:
            text = f"{start}, which no installed package provides. Install a provider."
        return Rejection("missing-provider", text, self.candidates)


class Providers:
    """The providers of every contract: all of the catalogue, and the active ones among them."""

    def __init__(self, packages: Iterable[SessionPackage], *, excluded: Collection[str]) -> None:
        self._excluded = excluded
        self._all: dict[str, list[SessionPackage]] = {}
        self._active: dict[str, dict[str, None]] = {}
        for package in packages:
            for contract in package.offers:
                self._all.setdefault(contract, []).append(package)

    def of(self, contract: str) -> list[str]:
        """IDs of all packages of the catalogue that provide `contract`."""
        return [package.plugin_id for package in self._all.get(contract, ())]

    def active(self, contract: str) -> Collection[str]:
        """IDs of the active packages that provide `contract`."""
        return self._active.get(contract, {}).keys()

    def activate(self, package: SessionPackage) -> None:
        """Count a package among the active providers of what it offers."""
        for contract in package.offers:
            self._active.setdefault(contract, {})[package.plugin_id] = None

    def deactivate(self, package: SessionPackage) -> None:
        """Take a package from the active providers."""
        for contract in package.offers:
            del self._active[contract][package.plugin_id]

    def choose(self, contract: str, rejected: Collection[str]) -> ProviderChoice:
        """The one provider without `default`, else the one with it, else the reason why not."""
        usable = self._usable(contract, rejected)
        explicit = [package for package in usable if not package.offers[contract]]
        defaults = [package for package in usable if package.offers[contract]]
        for group in (explicit, defaults):
            if len(group) == 1:
                return ProviderChoice(group[0])
        if usable:
            return ProviderChoice(
                None, "ambiguous-provider", tuple(package.plugin_id for package in usable)
            )
        waiting = self._waiting_for_approval(contract)
        if waiting:
            return ProviderChoice(None, "approval-required", waiting)
        return ProviderChoice(None, "missing-provider", tuple(self.of(contract)))

    def unmet_reason(self, contract: str, rejected: Collection[str]) -> UnmetReason:
        """Why a contract that the world requires has no active provider."""
        if self._usable(contract, rejected):
            return "ambiguous-provider"
        if self._waiting_for_approval(contract):
            return "approval-required"
        if any(plugin_id in self._excluded for plugin_id in self.of(contract)):
            return "excluded"
        return "missing-provider"

    def _usable(self, contract: str, rejected: Collection[str]) -> list[SessionPackage]:
        return [
            package
            for package in self._all.get(contract, ())
            if package.may_run
            and package.plugin_id not in self._excluded
            and package.plugin_id not in rejected
            and KERNEL_CONTRACTS.isdisjoint(package.conflicts)
        ]

    def _waiting_for_approval(self, contract: str) -> tuple[str, ...]:
        return tuple(
            package.plugin_id
            for package in self._all.get(contract, ())
            if not package.may_run and package.plugin_id not in self._excluded
        )
