"""What is known of packages, read or loaded, for the commands that show them."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from covel_host.catalog.discovery import Discovery, FoundPackage, discover
from covel_host.catalog.load_results import LoadResult, LoadResults
from covel_host.catalog.sources import PackageSources, SourcesError, read_sources
from covel_host.catalog.trust import Grant, TrustState, brings_code, trust_state
from covel_host.diagnostics.codes import report
from covel_host.diagnostics.diagnostic import Diagnostic, in_order
from covel_host.manifest.package import read_package
from covel_host.manifest.reading import PackageReading
from covel_host.settings import Settings

if TYPE_CHECKING:
    from covel_host.catalog.catalog import PackageState
    from covel_host.cli.package_registrations import HookFacts, Registered


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageFacts:
    """One package as it stands.

    `status` is that of a catalog: `discovered`, `loaded`, `untrusted`, `error`. `last_load` is
    the result kept for the very content the package has now, `grant` the leave to run its code,
    `has_code` whether there is any; without a grant `refusal` says why not. `content_hash` is
    `None` where the files cannot be read. `tools`, what else was `registered` and `hooks` in the
    order of their calls are empty unless it is loaded.
    """

    found: FoundPackage
    reading: PackageReading
    status: str
    diagnostics: tuple[Diagnostic, ...]
    last_load: LoadResult | None
    grant: Grant | None
    has_code: bool
    content_hash: str | None
    trust: TrustState
    refusal: str
    tools: tuple[str, ...] = ()
    registered: "tuple[Registered, ...]" = ()
    hooks: "tuple[HookFacts, ...]" = ()

    @property
    def plugin_id(self) -> str:
        """The package's ID."""
        return self.found.plugin_id

    def count(self, severity: str) -> int:
        """How many problems of that severity it has."""
        return sum(found.severity == severity for found in self.diagnostics)


@dataclass(frozen=True, slots=True)
class FoundFacts:
    """Every package in order of discovery; `diagnostics` belong to no package that is used.

    `disabled` were passed over.
    """

    packages: tuple[PackageFacts, ...]
    diagnostics: tuple[Diagnostic, ...]
    disabled: tuple[FoundPackage, ...] = ()


Wanted = Callable[[str], bool]


def read_facts(settings: Settings, *, wanted: Wanted = lambda plugin_id: True) -> FoundFacts:
    """The packages in the plugin folders; nothing of them is imported."""
    discovery = _discovered(settings, wanted)
    results = LoadResults(settings.load_results)
    read = tuple(_read(found, settings, results) for found in discovery.packages)
    return FoundFacts(read, discovery.diagnostics, discovery.disabled)


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
                    has_code=brings_code(state.reading),
                    tools=tuple(catalog.tools(state.plugin_id)),
                    **_registered(state),
                    **_trust(state.found, sources, settings, results),
                )
            )
    finally:
        await catalog.close()
    return FoundFacts(tuple(loaded), catalog.diagnostics, discovery.disabled)


def _discovered(settings: Settings, wanted: Wanted) -> Discovery:
    discovery = discover(settings.folders)
    return Discovery(
        tuple(found for found in discovery.packages if wanted(found.plugin_id)),
        discovery.diagnostics,
        discovery.disabled,
    )


def _read(found: FoundPackage, settings: Settings, results: LoadResults) -> PackageFacts:
    reading = read_package(found.root, plugin_id=found.plugin_id)
    sources, unreadable = _sources(found)
    trust = _trust(found, sources, settings, results)
    has_code = brings_code(reading)
    told = {problem.file for problem in reading.diagnostics if problem.blocks_loading}
    unreadable = [problem for problem in unreadable if problem.file not in told]
    status = "discovered"
    if reading.blocks_loading or unreadable:
        status = "error"
    elif has_code and trust["grant"] is None:
        status = "untrusted"
    return PackageFacts(
        found=found,
        reading=reading,
        status=status,
        diagnostics=in_order([*reading.diagnostics, *unreadable]),
        has_code=has_code,
        **trust,
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


class _Code(TypedDict):
    """The part of a package's facts that only a load tells."""

    registered: "tuple[Registered, ...]"
    hooks: "tuple[HookFacts, ...]"


def _registered(state: "PackageState") -> _Code:
    # Imported here: a list that loads nothing needs it not.
    from covel_host.cli.package_registrations import hooks_in_order, registrations

    if state.generation is None:
        return {"registered": (), "hooks": ()}
    generation = state.generation
    return {
        "registered": tuple(registrations(generation)),
        "hooks": tuple(hooks_in_order(generation)),
    }


class _Trust(TypedDict):
    """The part of a package's facts that hangs on its content."""

    content_hash: str | None
    last_load: LoadResult | None
    grant: Grant | None
    trust: TrustState
    refusal: str


def _trust(
    found: FoundPackage, sources: PackageSources | None, settings: Settings, results: LoadResults
) -> _Trust:
    plugin_id, policy = found.plugin_id, settings.trust
    content_hash = "" if sources is None else sources.content_hash
    last_load = results.last(plugin_id, content_hash)
    grant = None
    if sources is not None:
        grant = policy.grant(
            plugin_id, source=found.source, content_hash=content_hash, root=found.root
        )
    return {
        "content_hash": content_hash or None,
        "last_load": last_load,
        "grant": grant,
        "trust": trust_state(grant, policy.records.get(plugin_id), last_load),
        "refusal": policy.refusal(plugin_id, content_hash=content_hash),
    }
