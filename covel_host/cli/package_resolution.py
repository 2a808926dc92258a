"""Which packages a session would get, and why, as text for people and JSON for programs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from covel_host.catalog.resolver import resolve_session
from covel_host.catalog.resolver_types import Resolution, SessionPackage
from covel_host.catalog.session_packages import session_package
from covel_host.cli.output import counted, table
from covel_host.cli.package_facts import FoundFacts, PackageFacts


@dataclass(frozen=True, slots=True)
class Resolved:
    """A resolution with what it was made from.

    `named` are the packages that a person asked for, empty when all were looked at. `unusable`
    have errors that keep them from being loaded, so the resolver never saw them.
    """

    resolution: Resolution
    catalogue: Mapping[str, SessionPackage]
    named: tuple[str, ...]
    requested: tuple[str, ...]
    unusable: Mapping[str, PackageFacts]

    @property
    def fails(self) -> bool:
        """Whether a package that was named is not active."""
        return any(plugin_id not in self.resolution.active for plugin_id in self.named)

    def needed_by(self, plugin_id: str) -> dict[str, list[str]]:
        """Contracts that a package provides for others, with the active ones that require them."""
        needed: dict[str, list[str]] = {}
        for other in self.resolution.active:
            for contract in self.catalogue[other].requires:
                if contract in self.catalogue[plugin_id].offers and other != plugin_id:
                    needed.setdefault(contract, []).append(other)
        return needed


def resolve(facts: FoundFacts, *, named: Sequence[str], excluded: Sequence[str]) -> Resolved:
    """The session that asks for the packages `named`, or for all of them when none is named."""
    usable = {one.plugin_id: one for one in facts.packages if not one.reading.blocks_loading}
    catalogue = {
        plugin_id: package
        for plugin_id, one in usable.items()
        if (package := _session_package(one)) is not None
    }
    unusable = {one.plugin_id: one for one in facts.packages if one.plugin_id not in catalogue}
    requested = tuple(dict.fromkeys(named or sorted(catalogue)))
    resolution = resolve_session(
        catalogue.values(),
        requested=[plugin_id for plugin_id in requested if plugin_id not in unusable],
        excluded=excluded,
    )
    return Resolved(resolution, catalogue, tuple(named), requested, unusable)


def _session_package(one: PackageFacts) -> SessionPackage | None:
    # A package without code has nothing that would need a grant.
    is_authorized = one.grant is not None or not one.has_code
    return session_package(one.reading, source=one.found.source, is_authorized=is_authorized)


def resolution_json(resolved: Resolved) -> dict[str, object]:
    """`{active, autoAdded, rejected, unusable}`.

    `active` holds `{pluginId, why, neededBy}`, `why` being `requested`, `core` or `provider` and
    `neededBy` mapping contracts to the packages that require them; `rejected` holds `{pluginId,
    code, reason, candidates?, path?}` (spec/manifest.md 8.1), `unusable` `{pluginId, errors}`.
    """
    resolution = resolved.resolution
    return {
        "active": [
            {
                "pluginId": plugin_id,
                "why": _why(resolved, plugin_id),
                "neededBy": resolved.needed_by(plugin_id),
            }
            for plugin_id in resolution.active
        ],
        "autoAdded": list(resolution.auto_added),
        "rejected": [
            {
                "pluginId": plugin_id,
                "code": rejection.code,
                "reason": rejection.message,
                **({"candidates": list(rejection.candidates)} if rejection.candidates else {}),
                **({"path": rejection.path} if rejection.path is not None else {}),
            }
            for plugin_id, rejection in sorted(resolution.rejected.items())
        ],
        "unusable": [
            {"pluginId": plugin_id, "errors": one.count("error")}
            for plugin_id, one in sorted(resolved.unusable.items())
        ],
    }


def resolution_text(resolved: Resolved) -> str:
    """Three lists: what is active and why, what is not and why, what has errors."""
    active = resolved.resolution.active
    parts = [f"Active ({len(active):,}):\n" if active else "No package is active.\n"]
    parts.append(table([_active_row(resolved, plugin_id) for plugin_id in active], indent="  "))
    rejected = sorted(resolved.resolution.rejected.items())
    if rejected:
        parts.append(f"\nRejected ({len(rejected):,}):\n")
    for plugin_id, rejection in rejected:
        parts.append(f"  {plugin_id}: {rejection.code}\n    {rejection.message}\n")
        if rejection.path is not None:
            parts.append(f"    field: {rejection.path}\n")
        if rejection.candidates:
            parts.append(f"    candidates: {', '.join(rejection.candidates)}\n")
        if rejection.code == "approval-required":
            waiting = rejection.candidates or (plugin_id,)
            parts.append(f"    allow its code: {' '.join(f'--trust {name}' for name in waiting)}\n")
    if resolved.unusable:
        parts.append(f"\nLeft out, since they have errors ({len(resolved.unusable):,}):\n")
        rows = [
            (plugin_id, counted(one.count("error"), "error"), f"covel plugins show {plugin_id}")
            for plugin_id, one in sorted(resolved.unusable.items())
        ]
        parts.append(table(rows, indent="  "))
    return "".join(parts)


def _why(resolved: Resolved, plugin_id: str) -> str:
    if plugin_id in resolved.requested:
        return "requested"
    return "core" if resolved.catalogue[plugin_id].kind == "core" else "provider"


def _active_row(resolved: Resolved, plugin_id: str) -> tuple[str, str, str]:
    needed = resolved.needed_by(plugin_id)
    uses = [f"{contract} for {', '.join(others)}" for contract, others in needed.items()]
    return plugin_id, _why(resolved, plugin_id), f"provides {'; '.join(uses)}" if uses else ""
