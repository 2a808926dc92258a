"""The runtimes that the manifests of a session's packages declare, and which of them may run."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from pydantic import BaseModel

from covel_host.catalog.resolver_conflicts import find_replaced_defaults
from covel_host.catalog.session_packages import session_package
from covel_host.manifest.detached_effects import why_not_detached
from covel_host.manifest.reading import PackageReading, RuntimeReading
from covel_host.manifest.runtime_manifest import RuntimeManifest
from covel_host.turn.schedule_manifest import declare_runtime
from covel_host.turn.schedule_types import RuntimeDeclaration

PACKAGE_PAUSED: Final = "package-paused"
"""The code of a runtime that is left out because its package is set aside."""


@dataclass(frozen=True, slots=True)
class DeclaredRuntime:
    """One runtime as its manifest declares it."""

    package: PackageReading
    reading: RuntimeReading
    manifest: RuntimeManifest
    declaration: RuntimeDeclaration

    @property
    def version(self) -> str | None:
        """The package's version, which a completed setup is bound to."""
        return None if self.package.manifest is None else self.package.manifest.version


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A runtime that no turn of the session schedules; `message` says why."""

    runtime_id: str
    code: str
    message: str


def declared_runtimes(
    packages: Sequence[PackageReading], *, paused: frozenset[str] = frozenset()
) -> tuple[list[DeclaredRuntime], list[LeftOut]]:
    """The runtimes of a session's packages that may be scheduled, and those that may not.

    Left out are those of default providers for which another package stands in (spec/execution.md
    3.2), and those of `paused` packages, for which a default provider stands in again. Setup
    runtimes of these still run: they have budgets of their own.
    """
    replaced = _replaced([package for package in packages if package.plugin_id not in paused])
    found: list[DeclaredRuntime] = []
    left_out: list[LeftOut] = []
    for package in packages:
        for reading in package.runtimes:
            if reading.manifest is None:
                continue
            reason = replaced.get(package.plugin_id)
            if reason is None and package.plugin_id in paused:
                reason = _why_paused(reading)
            if reason is None:
                found.append(declared(package, reading, reading.manifest))
            else:
                left_out.append(LeftOut(reading.runtime_id, *reason))
    return found, left_out


def declared(
    package: PackageReading, reading: RuntimeReading, manifest: RuntimeManifest
) -> DeclaredRuntime:
    """One runtime with what scheduling reads of it."""
    declaration = declare_runtime(
        reading.runtime_id,
        plugin_id=package.plugin_id,
        schedule=_written(manifest.schedule),
        io=_written(manifest.io),
        effects=_written(manifest.effects),
    )
    if declaration.detached and why_not_detached(manifest) is not None:
        # Its package was told so when it was checked.
        declaration = replace(declaration, detached=False)
    return DeclaredRuntime(package, reading, manifest, declaration)


def _written(group: BaseModel | None) -> dict[str, Any]:
    """A group as it was written, in the manifest's own spelling."""
    return {} if group is None else group.model_dump(by_alias=True, exclude_unset=True)


def _why_paused(reading: RuntimeReading) -> tuple[str, str] | None:
    """Why a runtime of a paused package is left out; None where it runs all the same."""
    manifest = reading.manifest
    if manifest is not None and manifest.schedule.stage == "setup":
        return None
    return PACKAGE_PAUSED, f"its package {reading.plugin_id!r} is paused after repeated errors"


def _replaced(packages: Sequence[PackageReading]) -> dict[str, tuple[str, str]]:
    """Packages that are default providers of what another one provides, with the reason."""
    if not any(
        provided.default
        for package in packages
        if package.manifest is not None
        for provided in package.manifest.provided_contracts
    ):
        return {}
    offers = (
        session_package(package, source="builtin", is_authorized=True) for package in packages
    )
    return {
        plugin_id: (rejection.code, rejection.message)
        for plugin_id, rejection in find_replaced_defaults(
            [package for package in offers if package is not None]
        )
    }
