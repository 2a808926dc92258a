"""From `permissions.http` of manifests to where code may send requests (spec/manifest.md 5.7)."""

from collections.abc import Iterable

from covel_host.manifest.reading import PackageReading
from covel_host.manifest.runtime_manifest import HttpPermission
from covel_host.net.errors import HttpFailed
from covel_host.net.policy import HttpPolicy, merged_origins
from covel_host.net.urls import Origin, read_origin


def package_policy(reading: PackageReading, *, is_bundled: bool) -> HttpPolicy:
    """What the code of a package may reach outside of a run: what any of its runtimes declares.

    A bundled package may reach every public origin (spec/manifest.md 5.7).
    """
    declared = [
        permission
        for runtime in reading.runtimes
        if runtime.manifest is not None
        for permission in runtime.manifest.permissions.http
    ]
    subject = f"The package {reading.plugin_id!r}"
    return HttpPolicy(subject, _origins(declared), is_open=is_bundled)


def runtime_policy(
    runtime_id: str, permissions: Iterable[HttpPermission], *, is_bundled: bool
) -> HttpPolicy:
    """What the code of one runtime may reach while it runs."""
    return HttpPolicy(f"The runtime {runtime_id!r}", _origins(permissions), is_open=is_bundled)


def _origins(permissions: Iterable[HttpPermission]) -> dict[Origin, frozenset[str] | None]:
    declared = []
    for permission in permissions:
        methods = None if permission.methods is None else frozenset[str](permission.methods)
        try:
            declared.append((read_origin(permission.origin), methods))
        except HttpFailed:
            # The form of the manifest lets a few hosts pass that no request can have.
            continue
    return merged_origins(declared)
