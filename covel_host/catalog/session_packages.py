"""Packages as the session resolver looks at them, made from what was read of them."""

from covel_host.catalog.folders import PluginSource
from covel_host.catalog.resolver_types import ImplementedPoint, Provided, SessionPackage
from covel_host.manifest.reading import PackageReading


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
