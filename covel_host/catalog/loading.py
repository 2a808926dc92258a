"""From a package's files to a published generation, or to diagnostics: all or nothing."""

import asyncio
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from covel_host.base.daemon_threads import run_in_daemon_thread
from covel_host.catalog.entry import Entry
from covel_host.catalog.generation import Generation, LoadedEntry, RuntimeSchemas
from covel_host.catalog.namespace import PackageNamespace
from covel_host.catalog.registrar import EntryRegistrar
from covel_host.catalog.registration import Tools, missing_tools
from covel_host.catalog.requirements import unmet_requirements
from covel_host.catalog.runtime_schemas import compile_schemas
from covel_host.catalog.sources import PackageSources
from covel_host.diagnostics.codes import report
from covel_host.diagnostics.diagnostic import Diagnostic, any_blocks_loading, in_order
from covel_host.manifest.reading import PackageReading
from covel_host.manifest.served import unserved_contributions
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
) -> LoadOutcome:
    """Load a package whose manifest was read and whose code may run.

    The entry runs in daemon threads, within `limit_s`; a hanging one is left behind and blocks
    nothing. Whatever goes wrong, nothing of the package stays published. Code is not run at all
    where the package needs what this host or environment does not have.
    """
    started = time.perf_counter()
    load = _Load(reading, sources, number)
    generation = await load.run(limit_s)
    duration_ms = round((time.perf_counter() - started) * 1000)
    return LoadOutcome(generation, in_order(load.found), duration_ms)


class _Load:
    """The steps of one load and what they found."""

    def __init__(self, reading: PackageReading, sources: PackageSources, number: int) -> None:
        self._reading = reading
        self._sources = sources
        self._number = number
        self.found: list[Diagnostic] = []

    async def run(self, limit_s: float) -> Generation | None:
        self.found += [*unserved_contributions(self._reading), *unmet_requirements(self._reading)]
        may_run = not (self._reading.blocks_loading or any_blocks_loading(self.found))
        schemas = self._schemas()
        if not may_run:
            return None
        if self._reading.entry is None:
            self.found += missing_tools((), self._reading)
            return None if any_blocks_loading(self.found) else self._generation(schemas, {}, None)
        path = _entry_path(self._reading, self._reading.entry)
        if path not in self._sources.modules:
            self.found.append(_entry_not_found(self._reading.plugin_id, path))
            return None
        return await self._enter(path, schemas, limit_s)

    def _schemas(self) -> dict[str, RuntimeSchemas]:
        """Compiled from the sources; none where a file that a manifest names cannot be used."""
        unusable = problems_of_loading(self._reading)
        self.found += unusable
        if unusable:
            return {}
        schemas, problems = compile_schemas(self._reading, self._sources)
        self.found += problems
        return schemas

    async def _enter(
        self, path: str, schemas: dict[str, RuntimeSchemas], limit_s: float
    ) -> Generation | None:
        plugin_id, manifest = self._reading.plugin_id, self._reading.manifest
        loaded = LoadedEntry(
            PackageNamespace(
                plugin_id, self._number, root=self._sources.root, modules=self._sources.modules
            ),
            EntryRegistrar(plugin_id, None if manifest is None else manifest.version),
        )
        entry = Entry(path, self._reading, loaded.namespace, loaded.registrar)
        is_loaded = False
        try:
            is_loaded = await self._ran(entry, limit_s)
        finally:
            # Also when the wait for it was cancelled.
            if not is_loaded:
                await loaded.withdraw("loading failed")
        return self._generation(schemas, entry.tools, loaded) if is_loaded else None

    async def _ran(self, entry: Entry, limit_s: float) -> bool:
        """Whether every step of the entry came to an end and nothing is wrong."""
        try:
            async with asyncio.timeout(limit_s):
                for step in (entry.check, entry.start):
                    name = f"covel load {self._reading.plugin_id}"
                    self.found += await run_in_daemon_thread(step, name=name)
                    if any_blocks_loading(self.found):
                        return False
        except TimeoutError:
            self.found.append(entry.timed_out(limit_s))
            return False
        return True

    def _generation(
        self, schemas: dict[str, RuntimeSchemas], tools: Tools, entry: LoadedEntry | None
    ) -> Generation:
        return Generation(
            plugin_id=self._reading.plugin_id,
            number=self._number,
            content_hash=self._sources.content_hash,
            reading=self._reading,
            tools=tools,
            schemas=schemas,
            entry=entry,
        )


def _entry_path(reading: PackageReading, entry: Path) -> str:
    """As the author wrote it: a link stands where it stands, and imports from there."""
    return os.path.normpath(entry.relative_to(reading.root)).replace(os.sep, "/")


def _entry_not_found(plugin_id: str, path: str) -> Diagnostic:
    return report(
        "entry-not-found",
        f"The entry {path!r} is not among the package's modules.",
        plugin=plugin_id,
        file=path,
        hint="Names that begin with a dot, '__pycache__' and 'node_modules' are left out.",
    )
