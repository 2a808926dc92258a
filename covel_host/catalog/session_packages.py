"""Packages as the session resolver looks at them, made from what was read of them."""

from collections.abc import Iterable

from covel_host.catalog.catalog import PackageState
from covel_host.catalog.folders import PluginSource
from covel_host.catalog.resolver_types import ImplementedPoint, Provided, SessionPackage
from covel_host.manifest.reading import PackageReading


def session_packages(states: Iterable[PackageState]) -> list[SessionPackage]:
    """What the resolver reads of those packages whose `PLUGIN.md` could be read.

    Each may take part: code is allowed or refused when it is loaded, not when it is chosen.
    """
    packages = (
        session_package(state.reading, source=state.found.source, is_authorized=True)
        for state in states
    )
    return [package for package in packages if package is not None]


def session_package(
    reading: PackageReading, *, source: PluginSource, is_authorized: bool
) -> SessionPackage | None:
    """What the resolver reads of a package; `None` where `PLUGIN.md` could not be read."""
    manifest = reading.manifest
    if manifest is None:
        return None
    contributes = manifest.contributes
    return SessionPackage(
        plugin_id=reading.plugin_id,
        kind=manifest.kind,
        source=source,
        is_authorized=is_authorized,
        provides=tuple(
            Provided(entry.contract, entry.default) for entry in manifest.provided_contracts
        ),
        requires=tuple(manifest.requires),
        conflicts=tuple(manifest.conflicts),
        extensions=tuple(
            ImplementedPoint(extension.point, extension.id, extension.slot)
            for extension in contributes.extensions
        ),
        topics=tuple(event.topic for event in contributes.events),
        has_static_prompt=bool(contributes.prompt),
    )
