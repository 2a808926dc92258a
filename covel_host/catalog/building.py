"""Making a catalog: packages found, read, trusted, loaded; a bad one stops no other."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from covel_host.base.daemon_threads import run_in_daemon_thread
from covel_host.catalog.catalog import Catalog, PackageState, PackageStatus
from covel_host.catalog.discovery import Discovery, FoundPackage, discover
from covel_host.catalog.folders import PluginFolder
from covel_host.catalog.holder import PackageLook
from covel_host.catalog.load_results import LoadResult, LoadResults
from covel_host.catalog.loading import ENTRY_LIMIT_S, LoadOutcome, load_package
from covel_host.catalog.sources import PackageSources, SourcesError, read_sources
from covel_host.catalog.trust import (
    Grant,
    TrustPolicy,
    brings_code,
    trust_advice,
    without_modules,
)
from covel_host.diagnostics.codes import report
from covel_host.diagnostics.diagnostic import Diagnostic, in_order
from covel_host.manifest.layout import printable
from covel_host.manifest.package import read_package
from covel_host.manifest.reading import PackageReading

SLOW_LOAD_MS: Final = 500
"""A load over this is named with its milliseconds."""
_READS: Final = 3
"""How often a package that is written meanwhile is read."""


def read_catalog(discovery: Discovery) -> Catalog:
    """Every package found, its manifest read; no code is run."""
    return Catalog(
        {found.plugin_id: _read(found) for found in discovery.packages}, discovery.diagnostics
    )


class CatalogLoader:
    """Looks for packages in `folders`, and loads those whose code `trust` lets run.

    Each entry has `limit_s`. What came of each load is kept in `results` (spec/decisions.md 6,
    `plugins list`).
    """

    def __init__(
        self,
        *,
        trust: TrustPolicy,
        results: LoadResults,
        folders: Sequence[PluginFolder] = (),
        limit_s: float = ENTRY_LIMIT_S,
    ) -> None:
        self.trust = trust
        self._results = results
        self._folders = tuple(folders)
        self._limit_s = limit_s

    async def look(self, plugin_id: str) -> PackageLook:
        """The package as it lies in the folders now, read in a thread and not loaded."""
        return await run_in_daemon_thread(
            lambda: self._look(plugin_id), name=f"covel read {plugin_id}"
        )

    async def load(self, state: PackageState, *, number: int = 1) -> PackageState:
        """`state` with generation `number`, or with what keeps the package from being loaded."""
        if state.reading.blocks_loading:
            return state
        try:
            state, sources, trust = await run_in_daemon_thread(
                lambda: (*_with_sources(state), self.trust.current()),
                name=f"covel read {state.plugin_id}",
            )
        except SourcesError as error:
            return _with(state, "error", [_unreadable(state, error)])
        if state.reading.blocks_loading:
            return state
        if _grant(state, sources.content_hash, trust) is None:
            if brings_code(state.reading):
                return _with(state, "untrusted", [_untrusted(state, sources.content_hash, trust)])
            sources = without_modules(sources)
        outcome = await load_package(
            state.reading,
            sources,
            number=number,
            limit_s=self._limit_s,
            is_bundled=state.found.source == "builtin",
        )
        self._results.record(_result(state, sources, outcome))
        found = [*outcome.diagnostics, *_slow(state, outcome)]
        status: PackageStatus = "error" if outcome.generation is None else "loaded"
        return replace(_with(state, status, found), generation=outcome.generation)

    def may_run(self, state: PackageState) -> bool:
        """Whether the code that is loaded is still allowed: a grant may have ended meanwhile."""
        generation = state.generation
        if generation is None or generation.entry is None or state.found.source == "builtin":
            return True
        return _grant(state, generation.content_hash, self.trust.current()) is not None

    def arranged(self, catalog: Catalog) -> Catalog:
        """`catalog` with its packages in order of folder and name, as discovery gives them."""
        places = {folder.path: place for place, folder in reversed([*enumerate(self._folders)])}

        def place(state: PackageState) -> tuple[int, str]:
            return places.get(state.found.folder, len(places)), state.plugin_id

        states = sorted(catalog.packages.values(), key=place)
        return replace(catalog, packages={state.plugin_id: state for state in states})

    def _look(self, plugin_id: str) -> PackageLook:
        discovery = discover(
            replace(folder, only=plugin_id)
            for folder in self._folders
            if folder.only in (None, plugin_id)
        )
        state = next((_read(found) for found in discovery.packages), None)
        return PackageLook(state, discovery.diagnostics)


async def load_into(
    catalog: Catalog,
    plugin_ids: Iterable[str],
    *,
    trust: TrustPolicy,
    results: LoadResults,
    limit_s: float = ENTRY_LIMIT_S,
) -> Catalog:
    """A new catalog in which those of `plugin_ids` that may run are loaded, for one command.

    Packages that are loaded already stay as they are; each of the others has `limit_s`. Whoever
    goes on from here over edits and executions uses a `CatalogHolder`.
    """
    loader = CatalogLoader(trust=trust, results=results, limit_s=limit_s)
    packages = dict(catalog.packages)
    for plugin_id in plugin_ids:
        state = packages.get(plugin_id)
        if state is not None and state.status != "loaded":
            packages[plugin_id] = await loader.load(state)
    return replace(catalog, packages=packages)


def _read(found: FoundPackage) -> PackageState:
    reading = read_package(found.root, plugin_id=found.plugin_id)
    return PackageState(
        found=found,
        reading=reading,
        status="error" if reading.blocks_loading else "discovered",
        diagnostics=reading.diagnostics,
    )


def _with_sources(state: PackageState) -> tuple[PackageState, PackageSources]:
    """The sources of a package, and the package with the manifests that were hashed with them.

    Raises:
        SourcesError: they cannot be read, or are written again and again meanwhile.
    """
    for _ in range(_READS):
        sources = read_sources(state.found.root)
        if _are_of(state.reading, sources):
            return state, sources
        # What is granted is the whole content: old declarations never go with new code.
        state = _read(state.found)
        if state.reading.blocks_loading:
            return state, sources
    raise SourcesError("The package's files change while they are read.", file="")


def _are_of(reading: PackageReading, sources: PackageSources) -> bool:
    """Whether the manifests were read from the very bytes in `sources`."""
    hashed = {printable(file): content for file, content in sources.texts.items()}
    return all(
        file in hashed and hashed[file].decode("utf-8", "replace") == read.source.text
        for file, read in reading.files.items()
    )


def _grant(state: PackageState, content_hash: str, trust: TrustPolicy) -> Grant | None:
    return trust.grant(
        state.plugin_id,
        source=state.found.source,
        content_hash=content_hash,
        root=state.found.root,
    )


def _untrusted(state: PackageState, content_hash: str, trust: TrustPolicy) -> Diagnostic:
    why = trust.refusal(state.plugin_id, content_hash=content_hash)
    return report(
        "code-not-trusted",
        f"The code of {state.plugin_id!r} was not run: {why}.",
        plugin=state.plugin_id,
        hint=trust_advice(state.plugin_id),
    )


def _result(state: PackageState, sources: PackageSources, outcome: LoadOutcome) -> LoadResult:
    return LoadResult(
        plugin_id=state.plugin_id,
        content_hash=sources.content_hash,
        status="error" if outcome.generation is None else "loaded",
        duration_ms=outcome.duration_ms,
        problems=tuple(
            found.placed_message for found in outcome.diagnostics if found.severity == "error"
        ),
    )


def _with(state: PackageState, status: PackageStatus, found: Iterable[Diagnostic]) -> PackageState:
    own = state.reading.diagnostics
    return replace(state, status=status, diagnostics=in_order([*own, *found]))


def _slow(state: PackageState, outcome: LoadOutcome) -> list[Diagnostic]:
    if outcome.duration_ms <= SLOW_LOAD_MS or not brings_code(state.reading):
        return []
    if outcome.generation is None:  # what kept it from loading says more
        return []
    return [
        report(
            "entry-slow",
            f"Loading the code of {state.plugin_id!r} took {outcome.duration_ms:,} ms.",
            plugin=state.plugin_id,
            hint="Move long work into the first call that needs it.",
        )
    ]


def _unreadable(state: PackageState, error: SourcesError) -> Diagnostic:
    return report("file-unreadable", error.message, plugin=state.plugin_id, file=error.file)
