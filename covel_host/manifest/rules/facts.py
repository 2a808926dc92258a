"""What rules look at: a package and its runtimes as read, and which parts of them can be trusted.

A rule never concludes anything from a faulty group, which is empty in the model: `sound` says
whether what a rule relies on was read as it was written.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from covel_host.diagnostics.diagnostic import dotted
from covel_host.manifest.agent import Agent
from covel_host.manifest.contributions import Contributions
from covel_host.manifest.frontmatter import Frontmatter
from covel_host.manifest.layout import ROOT_MANIFEST
from covel_host.manifest.reading import PackageReading, RuntimeReading
from covel_host.manifest.root_manifest import RootManifest
from covel_host.manifest.rules.rule import Path
from covel_host.manifest.runtime_io import RuntimeIo
from covel_host.manifest.runtime_manifest import RuntimeManifest
from covel_host.manifest.schedule import Schedule


@dataclass(frozen=True, slots=True)
class RootFacts:
    """A readable root manifest and the file it was read from.

    `runtime_ids` are the IDs of all runtimes of the package, in order, the faulty ones included.
    """

    package: PackageReading
    manifest: RootManifest
    frontmatter: Frontmatter
    runtime_ids: tuple[str, ...]

    @property
    def contributes(self) -> Contributions:
        """What the package contributes."""
        return self.manifest.contributes

    def sound(self, *path: str) -> bool:
        """Whether no fault lies at `path`, under it or around it."""
        return _sound(self.package.faulty_groups, dotted(path))


@dataclass(frozen=True, slots=True)
class RuntimeFacts:
    """A readable runtime, the file it was read from, and the root manifest of its package.

    `root` is `None` when `PLUGIN.md` could not be read.
    """

    reading: RuntimeReading
    manifest: RuntimeManifest
    root: RootFacts | None

    @property
    def schedule(self) -> Schedule:
        """When the runtime runs."""
        return self.manifest.schedule

    @property
    def io(self) -> RuntimeIo:
        """What the runtime reads and gives."""
        return self.manifest.io

    @property
    def agent(self) -> Agent:
        """The agent settings, defaults where there are none."""
        return self.manifest.agent_settings

    @property
    def is_function(self) -> bool:
        """Whether the runtime is a function, by its `type` or by what was written."""
        if self.manifest.type is not None:
            return self.manifest.type == "function"
        return self.writes("function")

    @property
    def fields(self) -> Mapping[str, object]:
        """The fields of the runtime as they were written."""
        found: object = self.reading.frontmatter.fields or {}
        for part in self.reading.field_prefix:
            found = found.get(part) if isinstance(found, dict) else None
        return found if isinstance(found, dict) else {}

    def writes(self, *path: str) -> bool:
        """Whether the field at `path` was written, faulty or not."""
        found: object = self.fields
        for part in path:
            if not isinstance(found, dict) or part not in found:
                return False
            found = found[part]
        return True

    def at(self, *path: str | int) -> Path:
        """The path from the top of the file to a field of the runtime."""
        return (*self.reading.field_prefix, *path)

    def sound(self, *path: str) -> bool:
        """Whether no fault lies at `path` of the runtime, under it or around it."""
        return _sound(self.reading.faulty_groups, dotted(path))


def root_facts(package: PackageReading) -> RootFacts | None:
    """The root manifest of `package` for rules; `None` when it could not be read."""
    frontmatter = package.files.get(ROOT_MANIFEST)
    if package.manifest is None or frontmatter is None:
        return None
    ids = tuple(runtime.runtime_id for runtime in package.runtimes)
    return RootFacts(package, package.manifest, frontmatter, ids)


def runtime_facts(package: PackageReading, root: RootFacts | None) -> tuple[RuntimeFacts, ...]:
    """The runtimes of `package` that could be read, in order."""
    return tuple(
        RuntimeFacts(reading, reading.manifest, root)
        for reading in package.runtimes
        if reading.manifest is not None
    )


def _sound(faulty: Iterable[str], path: str) -> bool:
    return not any(
        group == path or group.startswith(f"{path}.") or path.startswith(f"{group}.")
        for group in faulty
    )
