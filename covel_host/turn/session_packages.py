"""Packages put into a session, and taken out of it (spec/manifest.md 8, spec/api.md 9)."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from covel_host.catalog.catalog import Catalog
from covel_host.catalog.resolver import resolve_session
from covel_host.catalog.resolver_types import Rejection, Resolution
from covel_host.catalog.session_packages import session_packages
from covel_host.diagnostics.near_names import nearest
from covel_host.store.dimensions import every_dimension
from covel_host.store.records import SessionRecord
from covel_host.store.transaction import Reading, Transaction
from covel_host.turn.errors import RequestRefused
from covel_host.turn.package_pauses import forget_failures
from covel_host.turn.providers import dimension_provider
from covel_host.turn.session_changes import (
    UNCHANGED,
    ChangePlace,
    ChangePorts,
    Unchanged,
    change_session,
)
from covel_host.turn.session_metadata import brought_back, excluded_packages, with_excluded


@dataclass(frozen=True, slots=True, kw_only=True)
class PackagesChanged:
    """The session after a change of its packages; `rejected` are those that had to go, and why."""

    session: SessionRecord
    has_changed: bool
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    rejected: tuple[tuple[str, Rejection], ...] = ()


async def add_package(
    ports: ChangePorts, session_id: str, plugin_id: str, *, catalog: Catalog
) -> PackagesChanged:
    """Make the package active in the session, with the providers of what it requires.

    Default providers and later ones of a conflict step aside as in a new session. Packages of the
    session that are not installed any more stay in it.

    Raises:
        RequestRefused: `package-not-found`, `package-not-active` with the resolver's reason,
            `dimension-provider-required`, or as `change_session`.
    """
    if plugin_id not in catalog.packages:
        near = nearest(plugin_id, sorted(catalog.packages))
        raise RequestRefused(
            f"No package {plugin_id!r} was found.",
            code="package-not-found",
            hint="See: covel plugins list" if near is None else f"The nearest one is {near!r}.",
        )

    def wanted(session: SessionRecord) -> SessionRecord:
        active = tuple(dict.fromkeys((*session.active_packages, plugin_id)))
        return replace(brought_back(session, [plugin_id]), active_packages=active)

    return await _resolved(ports, session_id, catalog, wanted, needed=plugin_id)


async def remove_package(
    ports: ChangePorts, session_id: str, plugin_id: str, *, catalog: Catalog
) -> PackagesChanged:
    """Take the package out of the session, and those that cannot be without it.

    Its data stays, for the time when it is added again. Until then nothing brings it back by
    itself.

    Raises:
        RequestRefused: `package-not-active`, `dimension-provider-required`, or as
            `change_session`.
    """

    def wanted(session: SessionRecord) -> SessionRecord:
        if plugin_id not in session.active_packages:
            raise RequestRefused(
                f"The package {plugin_id!r} is not in the session {session_id!r}.",
                code="package-not-active",
                hint=f"See: covel sessions plugins {session_id}",
            )
        active = tuple(name for name in session.active_packages if name != plugin_id)
        excluded = tuple(dict.fromkeys((*excluded_packages(session), plugin_id)))
        return with_excluded(replace(session, active_packages=active), excluded)

    return await _resolved(ports, session_id, catalog, wanted)


async def _resolved(
    ports: ChangePorts,
    session_id: str,
    catalog: Catalog,
    wanted: Callable[[SessionRecord], SessionRecord],
    *,
    needed: str | None = None,
) -> PackagesChanged:
    """Change the packages to those that `wanted` asks for, as far as they go together."""
    outcome: list[PackagesChanged] = []

    def change(transaction: Transaction, place: ChangePlace) -> SessionRecord | Unchanged:
        before = place.session
        asked = wanted(before)
        resolution = _resolution(catalog, asked)
        if needed is not None and (rejection := resolution.rejected.get(needed)) is not None:
            raise RequestRefused(rejection.message, code="package-not-active")
        after = replace(asked, active_packages=_active(asked, resolution, catalog))
        _refuse_without_provider(transaction, before, after, catalog)
        changed = _outcome(before, after, resolution)
        outcome.append(changed)
        # What comes back begins anew, also when it was set aside (spec/decisions.md 4).
        forget_failures(transaction, place, changed.removed)
        return UNCHANGED if after == before else after

    changed = await change_session(ports, session_id, change)
    return replace(outcome[-1], session=changed.session, has_changed=changed.has_changed)


def _resolution(catalog: Catalog, asked: SessionRecord) -> Resolution:
    usable = (state for state in catalog.packages.values() if not state.reading.blocks_loading)
    return resolve_session(
        session_packages(usable),
        requested=asked.active_packages,
        excluded=excluded_packages(asked),
    )


def _active(asked: SessionRecord, resolution: Resolution, catalog: Catalog) -> tuple[str, ...]:
    """Those that may stay, in their order, then those that were added for them."""
    kept = [
        plugin_id
        for plugin_id in asked.active_packages
        # What is broken or away for now comes back with its package.
        if plugin_id in resolution.active
        or plugin_id not in resolution.rejected
        or resolution.rejected[plugin_id].code == "unknown-plugin"
    ]
    return tuple(dict.fromkeys((*kept, *resolution.active)))


def _outcome(
    before: SessionRecord, after: SessionRecord, resolution: Resolution
) -> PackagesChanged:
    removed = tuple(p for p in before.active_packages if p not in after.active_packages)
    return PackagesChanged(
        session=after,
        has_changed=after != before,
        added=tuple(p for p in after.active_packages if p not in before.active_packages),
        removed=removed,
        rejected=tuple(
            (name, resolution.rejected[name])
            for name in removed
            if name in resolution.rejected and resolution.rejected[name].code != "excluded"
        ),
    )


def _refuse_without_provider(
    reading: Reading, before: SessionRecord, after: SessionRecord, catalog: Catalog
) -> None:
    provider = dimension_provider(catalog, before)
    if provider is None or dimension_provider(catalog, after) == provider:
        return
    if any(True for _ in every_dimension(reading, before.session_id)):
        raise RequestRefused(
            f"The session {before.session_id!r} has dimensions, and {provider!r} is the package "
            "that provides them.",
            code="dimension-provider-required",
            hint=f"Keep {provider!r} in the session, or play on in a fork from before.",
        )
