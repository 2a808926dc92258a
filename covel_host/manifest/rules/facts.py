"""What rules look at: a package and its runtimes as read, and which parts of them can be trusted.

A rule never concludes anything from a faulty group, which is empty in the model: `sound` says
whether what a rule relies on was read as it was written.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from covel_host.manifest.agent import Agent, DatasetChoice, ServiceImport
from covel_host.manifest.contributions import Contributions
from covel_host.manifest.frontmatter import Frontmatter
from covel_host.manifest.layout import ROOT_MANIFEST
from covel_host.manifest.reading import PackageReading, RuntimeReading
from covel_host.manifest.root_manifest import RootManifest
from covel_host.manifest.rules.rule import Path
from covel_host.manifest.runtime_io import RuntimeIo
from covel_host.manifest.runtime_manifest import RuntimeManifest
from covel_host.manifest.schedule import Schedule


@cache
def _no_agent() -> Agent:
    """The settings of an agent that writes none; made once, when first asked for."""
    return Agent()


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
        faulty = self.package.faulty_groups
        return not faulty or _is_apart(faulty, ".".join(path))


@dataclass(slots=True)
class RuntimeFacts:
    """A readable runtime, the file it was read from, and the root manifest of its package.

    `root` is `None` when `PLUGIN.md` could not be read. The groups are those of the manifest, with
    defaults where nothing was written; they are taken out once, since every rule asks for them.
    """

    reading: RuntimeReading
    manifest: RuntimeManifest
    root: RootFacts | None
    schedule: Schedule = field(init=False)
    io: RuntimeIo = field(init=False)
    agent: Agent = field(init=False)
    services: tuple[ServiceImport, ...] = field(init=False)
    datasets: tuple[DatasetChoice, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.schedule = self.manifest.schedule
        self.io = self.manifest.io
        self.agent = self.manifest.agent or _no_agent()
        self.services = self.agent.tools.service_imports if self.agent.tools.services else ()
        self.datasets = self.agent.tools.dataset_choices if self.agent.tools.datasets else ()

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
        faulty = self.reading.faulty_groups
        return not faulty or _is_apart(faulty, ".".join(path))


@dataclass(frozen=True, slots=True)
class PackageFacts:
    """A package for rules: its root manifest, if it could be read, and its readable runtimes."""

    package: PackageReading
    root: RootFacts | None
    runtimes: tuple[RuntimeFacts, ...]


def package_facts(package: PackageReading) -> PackageFacts:
    """What rules look at in `package`."""
    root = _root_facts(package)
    runtimes = tuple(
        RuntimeFacts(reading, reading.manifest, root)
        for reading in package.runtimes
        if reading.manifest is not None
    )
    return PackageFacts(package, root, runtimes)


def _root_facts(package: PackageReading) -> RootFacts | None:
    frontmatter = package.files.get(ROOT_MANIFEST)
    if package.manifest is None or frontmatter is None:
        return None
    ids = tuple(runtime.runtime_id for runtime in package.runtimes)
    return RootFacts(package, package.manifest, frontmatter, ids)


def _is_apart(faulty: frozenset[str], path: str) -> bool:
    return not any(
        group == path or group.startswith(f"{path}.") or path.startswith(f"{group}.")
        for group in faulty
    )
