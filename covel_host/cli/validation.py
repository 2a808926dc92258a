"""Packages checked by path, without running their code."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from covel_host.catalog.discovery import Discovery, discover
from covel_host.catalog.folders import PluginFolder
from covel_host.catalog.sources import SourcesError, read_sources
from covel_host.cli.output import safe_text
from covel_host.cli.targets import NoPackage
from covel_host.diagnostics.codes import report
from covel_host.diagnostics.diagnostic import Diagnostic, in_order
from covel_host.diagnostics.source import SourceText
from covel_host.manifest.layout import ROOT_MANIFEST, RUNTIMES_FOLDER
from covel_host.manifest.package import read_package
from covel_host.manifest.reading import PackageReading


@dataclass(frozen=True, slots=True)
class Checked:
    """The packages that were looked at, and everything found, in order."""

    readings: tuple[PackageReading, ...]
    diagnostics: tuple[Diagnostic, ...]

    def source(self, plugin: str, file: str) -> SourceText | None:
        """The text of a manifest file, for excerpts."""
        texts = (found.source(file) for found in self.readings if found.plugin_id == plugin)
        return next((text for text in texts if text is not None), None)


def check_packages(paths: Iterable[Path]) -> Checked:
    """What is wrong with the packages at `paths`: packages, their `PLUGIN.md`, or folders of them.

    A package met twice is looked at once.

    Raises:
        NoPackage: a path at which there is no package.
    """
    roots: dict[str, Path] = {}
    found: list[Diagnostic] = []
    for path in paths:
        packages, problems = _packages_at(Path(os.path.abspath(path)))
        roots |= {os.path.realpath(root): root for root in packages}
        found += problems
    readings = tuple(read_package(root) for root in roots.values())
    for reading in readings:
        found += reading.diagnostics
        if not reading.blocks_loading:
            found += _load_time_problems(reading)
    return Checked(readings, in_order(found))


def _packages_at(path: Path) -> tuple[list[Path], tuple[Diagnostic, ...]]:
    folder = path.parent if path.name == ROOT_MANIFEST and not path.is_dir() else path
    if (folder / ROOT_MANIFEST).exists() or (folder / RUNTIMES_FOLDER).is_dir():
        return [folder], ()
    discovery: Discovery = discover([PluginFolder(folder, "community")])
    if not discovery.packages:
        raise NoPackage(
            f"There is no package in {safe_text(str(path))!r}.",
            code="package-not-found",
            hint=f"A package is a folder with a {ROOT_MANIFEST} in it.",
        )
    return [found.root for found in discovery.packages], discovery.diagnostics


def _load_time_problems(reading: PackageReading) -> Iterator[Diagnostic]:
    """What a load would find before it runs any code, where the manifest asks for it."""
    manifest = reading.manifest
    if manifest is not None and (manifest.covel or manifest.python):
        from covel_host.catalog.requirements import unmet_requirements

        yield from unmet_requirements(reading)
    if any(_names_schema(reading)):
        from covel_host.catalog.runtime_schemas import compile_schemas

        try:
            yield from compile_schemas(reading, read_sources(reading.root))[1]
        except SourcesError as error:
            yield report(
                "file-unreadable", error.message, plugin=reading.plugin_id, file=error.file
            )


def _names_schema(reading: PackageReading) -> Iterator[bool]:
    for runtime in reading.runtimes:
        if runtime.manifest is not None:
            io = runtime.manifest.io
            yield bool(io.payload_schema or io.output.schema_path)
