"""What is known of packages, read or loaded, for the commands that show them."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from covel_host.catalog.discovery import Discovery, FoundPackage, discover
from covel_host.catalog.load_results import LoadResult, LoadResults
from covel_host.catalog.sources import PackageSources, SourcesError, read_sources
from covel_host.catalog.trust import Grant, brings_code
from covel_host.diagnostics.codes import report
from covel_host.diagnostics.diagnostic import Diagnostic, in_order
from covel_host.manifest.package import read_package
from covel_host.manifest.reading import PackageReading
from covel_host.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageFacts:
    """One package as it stands.

    `status` is that of a catalog: `discovered`, `loaded`, `untrusted`, `error`. `last_load` is
    the result kept for the very content the package has now, `grant` the leave to run its code,
    `has_code` whether there is any. `tools` are the registered ones, empty unless it is loaded.
    """

    found: FoundPackage
    reading: PackageReading
    status: str
    diagnostics: tuple[Diagnostic, ...]
    last_load: LoadResult | None
    grant: Grant | None
    has_code: bool
    tools: tuple[str, ...] = ()

    @property
    def plugin_id(self) -> str:
        """The package's ID."""
        return self.found.plugin_id

    def count(self, severity: str) -> int:
        """How many problems of that severity it has."""
        return sum(found.severity == severity for found in self.diagnostics)


@dataclass(frozen=True, slots=True)
class FoundFacts:
    """Every package in order of discovery; `diagnostics` belong to no package that is used."""

    packages: tuple[PackageFacts, ...]
    diagnostics: tuple[Diagnostic, ...]


Wanted = Callable[[str], bool]


def read_facts(settings: Settings, *, wanted: Wanted = lambda plugin_id: True) -> FoundFacts:
    """The packages in the plugin folders; nothing of them is imported."""
    discovery = _discovered(settings, wanted)
    results = LoadResults(settings.load_results)
    read = tuple(_read(found, settings, results) for found in discovery.packages)
    return FoundFacts(read, discovery.diagnostics)


def load_facts(settings: Settings, *, wanted: Wanted = lambda plugin_id: True) -> FoundFacts:
    """The same after loading every package whose code may run; all are ended again."""
    from covel_host.cli.event_loop import run_loop

    return run_loop(_load(settings, _discovered(settings, wanted)))


async def _load(settings: Settings, discovery: Discovery) -> FoundFacts:
    from covel_host.catalog.building import load_into, read_catalog

    results = LoadResults(settings.load_results)
    catalog = await load_into(
        read_catalog(discovery),
        [found.plugin_id for found in discovery.packages],
        trust=settings.trust,
        results=results,
    )
    try:
        loaded = []
        for state in catalog.packages.values():
            sources, _ = _sources(state.found)
            loaded.append(
                PackageFacts(
                    found=state.found,
                    reading=state.reading,
                    status=state.status,
                    diagnostics=state.diagnostics,
                    last_load=_last(state.plugin_id, sources, results),
                    grant=_grant(state.found, sources, settings),
                    has_code=brings_code(state.reading),
                    tools=tuple(catalog.tools(state.plugin_id)),
                )
            )
    finally:
        await catalog.close()
    return FoundFacts(tuple(loaded), catalog.diagnostics)


def _discovered(settings: Settings, wanted: Wanted) -> Discovery:
    discovery = discover(settings.folders)
    return Discovery(
        tuple(found for found in discovery.packages if wanted(found.plugin_id)),
        discovery.diagnostics,
    )


def _read(found: FoundPackage, settings: Settings, results: LoadResults) -> PackageFacts:
    reading = read_package(found.root, plugin_id=found.plugin_id)
    sources, unreadable = _sources(found)
    grant = _grant(found, sources, settings)
    has_code = brings_code(reading)
    status = "discovered"
    if reading.blocks_loading or unreadable:
        status = "error"
    elif has_code and grant is None:
        status = "untrusted"
    return PackageFacts(
        found=found,
        reading=reading,
        status=status,
        diagnostics=in_order([*reading.diagnostics, *unreadable]),
        last_load=_last(found.plugin_id, sources, results),
        grant=grant,
        has_code=has_code,
    )


def _sources(found: FoundPackage) -> tuple[PackageSources | None, list[Diagnostic]]:
    try:
        return read_sources(found.root), []
    except SourcesError as error:
        problem = report("file-unreadable", error.message, plugin=found.plugin_id, file=error.file)
        return None, [problem]
    except OSError as error:
        message = f"The folder {str(Path(found.root))!r} cannot be read: {error.strerror}."
        return None, [report("file-unreadable", message, plugin=found.plugin_id)]


def _last(
    plugin_id: str, sources: PackageSources | None, results: LoadResults
) -> LoadResult | None:
    return None if sources is None else results.last(plugin_id, sources.content_hash)


def _grant(found: FoundPackage, sources: PackageSources | None, settings: Settings) -> Grant | None:
    if sources is None:
        return None
    return settings.trust.grant(
        found.plugin_id, source=found.source, content_hash=sources.content_hash
    )
