"""From a package's files to a published generation, or to diagnostics: all or nothing."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from covel_host.base.daemon_threads import run_in_daemon_thread
from covel_host.catalog.datasets import LoadedDataset, compile_datasets
from covel_host.catalog.entry import Entry
from covel_host.catalog.entry_hooks import EntryHooks
from covel_host.catalog.events import LoadedEvent, compile_events
from covel_host.catalog.generation import Generation, LoadedEntry, RuntimeSchemas
from covel_host.catalog.hook_registration import missing_hooks
from covel_host.catalog.http_permissions import package_policy
from covel_host.catalog.namespace import PackageNamespace
from covel_host.catalog.registrar import EntryRegistrar
from covel_host.catalog.registration import Registered, missing_registrations
from covel_host.catalog.requirements import unmet_requirements
from covel_host.catalog.runtime_functions import (
    RuntimeModule,
    module_path,
    runtime_modules,
)
from covel_host.catalog.runtime_schemas import compile_schemas
from covel_host.catalog.sources import PackageSources
from covel_host.diagnostics.codes import report
from covel_host.diagnostics.diagnostic import Diagnostic, any_blocks_loading, dotted, in_order
from covel_host.manifest.reading import PackageReading
from covel_host.manifest.served import unserved_contributions
from covel_host.manifest.translations import package_messages
from covel_host.manifest.validation import problems_of_loading

ENTRY_LIMIT_S: Final = 15.0
"""For import, registration and `on_load` together (spec/manifest.md 9.1)."""


@dataclass(frozen=True, slots=True)
class LoadOutcome:
    """What came of a load: a generation, or `None` and at least one blocking diagnostic.

    `diagnostics` are those of loading alone, in order; the manifest's own are in the reading.
    """

    generation: Generation | None
    diagnostics: tuple[Diagnostic, ...]
    duration_ms: int


async def load_package(
    reading: PackageReading,
    sources: PackageSources,
    *,
    number: int,
    limit_s: float = ENTRY_LIMIT_S,
    is_bundled: bool = False,
) -> LoadOutcome:
    """Load a package whose manifest was read and whose code may run.

    The entry runs in daemon threads, within `limit_s`; a hanging one is left behind and blocks
    nothing. Whatever goes wrong, nothing of the package stays published. Code is not run at all
    where the package needs what this host or environment does not have.
    """
    started = time.perf_counter()
    load = _Load(reading, sources, number, is_bundled=is_bundled)
    generation = await load.run(limit_s)
    duration_ms = round((time.perf_counter() - started) * 1000)
    return LoadOutcome(generation, in_order(load.found), duration_ms)


class _Load:
    """The steps of one load and what they found."""

    def __init__(
        self, reading: PackageReading, sources: PackageSources, number: int, *, is_bundled: bool
    ) -> None:
        self._reading = reading
        self._sources = sources
        self._number = number
        self._http = package_policy(reading, is_bundled=is_bundled)
        self._has_usable_files = True
        self._events: Mapping[str, LoadedEvent] = {}
        self.found: list[Diagnostic] = []

    async def run(self, limit_s: float) -> Generation | None:
        self.found += [*unserved_contributions(self._reading), *unmet_requirements(self._reading)]
        may_run = not (self._reading.blocks_loading or any_blocks_loading(self.found))
        schemas = self._schemas()
        if not may_run:
            return None
        path = self._entry_path()
        modules = self._runtime_modules()
        if path is None and self._reading.entry is not None:
            return None
        if path is None:
            self.found += [
                *missing_registrations(self._reading),
                *missing_hooks(EntryHooks(), self._reading),
            ]
        if path is None and not modules:
            return self._without_code(schemas)
        return await self._enter(path, modules, schemas, limit_s)

    def _schemas(self) -> dict[str, RuntimeSchemas]:
        """Compiled from the sources, those of events beside them; none where a file that a
        manifest names cannot be used."""
        unusable = problems_of_loading(self._reading)
        self.found += unusable
        if unusable:
            self._has_usable_files = False
            return {}
        schemas, problems = compile_schemas(self._reading, self._sources)
        self._events, of_events = compile_events(self._reading, self._sources)
        self.found += [*problems, *of_events]
        return schemas

    def _entry_path(self) -> str | None:
        if self._reading.entry is None:
            return None
        path = module_path(self._reading.root, self._reading.entry)
        if path in self._sources.modules:
            return path
        self.found.append(_entry_not_found(self._reading.plugin_id, path))
        return None

    def _runtime_modules(self) -> list[RuntimeModule]:
        """The modules of handlers and guards, without those that were found wrong already."""
        told = {(found.file, found.path) for found in self.found if found.blocks_loading}
        modules = []
        for named in runtime_modules(self._reading):
            if (named.runtime.file, dotted(named.field)) in told or (named.path, "") in told:
                continue
            if named.path in self._sources.modules:
                modules.append(named)
            else:
                self.found.append(_module_not_found(named))
        return modules

    def _datasets(self, registered: Registered) -> Mapping[str, LoadedDataset]:
        if not self._has_usable_files:
            return {}
        datasets, problems = compile_datasets(
            self._reading, self._sources, registered.get("datasets", {})
        )
        self.found += problems
        return datasets

    def _without_code(self, schemas: Mapping[str, RuntimeSchemas]) -> Generation | None:
        datasets = self._datasets({})
        if any_blocks_loading(self.found):
            return None
        return self._generation(schemas, datasets, None, None)

    async def _enter(
        self,
        path: str | None,
        modules: Sequence[RuntimeModule],
        schemas: Mapping[str, RuntimeSchemas],
        limit_s: float,
    ) -> Generation | None:
        plugin_id, manifest = self._reading.plugin_id, self._reading.manifest
        loaded = LoadedEntry(
            PackageNamespace(
                plugin_id, self._number, root=self._sources.root, modules=self._sources.modules
            ),
            EntryRegistrar(plugin_id, None if manifest is None else manifest.version),
        )
        loaded.registrar.serve_http(self._http)
        entry = Entry(path, modules, self._reading, loaded.namespace, loaded.registrar)
        datasets = None
        try:
            datasets = await self._ran(entry, limit_s)
        finally:
            # Also when the wait for it was cancelled.
            if datasets is None:
                await loaded.withdraw("loading failed")
        return None if datasets is None else self._generation(schemas, datasets, entry, loaded)

    async def _ran(self, entry: Entry, limit_s: float) -> Mapping[str, LoadedDataset] | None:
        """The data sets once every step came to an end and nothing is wrong."""
        name = f"covel load {self._reading.plugin_id}"
        try:
            async with asyncio.timeout(limit_s):
                self.found += await run_in_daemon_thread(entry.check, name=name)
                datasets = self._datasets(entry.registered)
                if any_blocks_loading(self.found):
                    return None
                if entry.has_start:
                    self.found += await run_in_daemon_thread(entry.start, name=name)
        except TimeoutError:
            self.found.append(entry.timed_out(limit_s))
        return None if any_blocks_loading(self.found) else datasets

    def _generation(
        self,
        schemas: Mapping[str, RuntimeSchemas],
        datasets: Mapping[str, LoadedDataset],
        code: Entry | None,
        entry: LoadedEntry | None,
    ) -> Generation:
        registered = {} if code is None else code.registered
        functions = {} if code is None else code.functions.by_use
        return Generation(
            plugin_id=self._reading.plugin_id,
            number=self._number,
            content_hash=self._sources.content_hash,
            reading=self._reading,
            tools=registered.get("tools", {}),
            actions=registered.get("actions", {}),
            services=registered.get("services", {}),
            forms=registered.get("forms", {}),
            extensions=registered.get("extensions", {}),
            hooks=() if code is None else code.hooks,
            handlers=functions.get("handler", {}),
            guards=functions.get("guard", {}),
            datasets=datasets,
            schemas=schemas,
            events=self._events,
            translations=package_messages(self._reading),
            http=self._http,
            entry=entry,
        )


def _module_not_found(named: RuntimeModule) -> Diagnostic:
    return named.runtime.frontmatter.report(
        "file-not-found",
        f"{named.subject} is not among the package's modules.",
        path=named.field,
        hint="Names that begin with a dot, '__pycache__' and 'node_modules' are left out.",
    )


def _entry_not_found(plugin_id: str, path: str) -> Diagnostic:
    return report(
        "entry-not-found",
        f"The entry {path!r} is not among the package's modules.",
        plugin=plugin_id,
        file=path,
        hint="Names that begin with a dot, '__pycache__' and 'node_modules' are left out.",
    )
