"""Making a catalog: packages found, read, trusted, loaded; a bad one stops no other."""

from collections.abc import Iterable
from dataclasses import replace

from covel_host.catalog.catalog import Catalog, PackageState, PackageStatus
from covel_host.catalog.discovery import Discovery, FoundPackage
from covel_host.catalog.load_results import LoadResult, LoadResults
from covel_host.catalog.loading import ENTRY_LIMIT_S, load_package
from covel_host.catalog.sources import SourcesError, read_sources
from covel_host.catalog.trust import TrustPolicy, brings_code
from covel_host.diagnostics.codes import report
from covel_host.diagnostics.diagnostic import Diagnostic, in_order
from covel_host.manifest.package import read_package


def read_catalog(discovery: Discovery) -> Catalog:
    """Every package found, its manifest read; no code is run."""
    return Catalog(
        {found.plugin_id: _read(found) for found in discovery.packages}, discovery.diagnostics
    )


async def load_into(
    catalog: Catalog,
    plugin_ids: Iterable[str],
    *,
    trust: TrustPolicy,
    results: LoadResults,
    limit_s: float = ENTRY_LIMIT_S,
) -> Catalog:
    """A new catalog in which those of `plugin_ids` that may run are loaded.

    Packages that are loaded already stay as they are; each of the others has `limit_s` for its
    entry. What came of each load is kept in `results` (spec/decisions.md 6, `plugins list`).
    """
    packages = dict(catalog.packages)
    for plugin_id in plugin_ids:
        state = packages.get(plugin_id)
        if state is not None and state.status != "loaded":
            packages[plugin_id] = await _loaded(state, trust, results, limit_s)
    return replace(catalog, packages=packages)


def _read(found: FoundPackage) -> PackageState:
    reading = read_package(found.root, plugin_id=found.plugin_id)
    return PackageState(
        found=found,
        reading=reading,
        status="error" if reading.blocks_loading else "discovered",
        diagnostics=reading.diagnostics,
    )


async def _loaded(
    state: PackageState, trust: TrustPolicy, results: LoadResults, limit_s: float
) -> PackageState:
    if state.reading.blocks_loading:
        return state
    try:
        sources = read_sources(state.found.root)
    except SourcesError as error:
        return _with(state, "error", [_unreadable(state, error)])
    grant = trust.grant(
        state.plugin_id, source=state.found.source, content_hash=sources.content_hash
    )
    if grant is None and brings_code(state.reading):
        return _with(state, "untrusted", [_untrusted(state)])
    outcome = await load_package(state.reading, sources, number=1, limit_s=limit_s)
    results.record(
        LoadResult(
            plugin_id=state.plugin_id,
            content_hash=sources.content_hash,
            status="error" if outcome.generation is None else "loaded",
            duration_ms=outcome.duration_ms,
            problems=tuple(
                found.placed_message for found in outcome.diagnostics if found.severity == "error"
            ),
        )
    )
    status = _with(state, "error" if outcome.generation is None else "loaded", outcome.diagnostics)
    return replace(status, generation=outcome.generation)


def _with(state: PackageState, status: PackageStatus, found: Iterable[Diagnostic]) -> PackageState:
    own = state.reading.diagnostics
    return replace(state, status=status, diagnostics=in_order([*own, *found]))


def _untrusted(state: PackageState) -> Diagnostic:
    return report(
        "code-not-trusted",
        f"The code of {state.plugin_id!r} was not run: nobody has trusted it.",
        plugin=state.plugin_id,
        hint=f"Read the code, then allow it: --trust {state.plugin_id}, or COVEL_TRUST.",
    )


def _unreadable(state: PackageState, error: SourcesError) -> Diagnostic:
    return report("file-unreadable", error.message, plugin=state.plugin_id, file=error.file)
