"""From a package's files to a published generation, or to diagnostics: all or nothing."""

import asyncio
import contextlib
import contextvars
import io
import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from covel_host.base.daemon_threads import run_in_daemon_thread
from covel_host.catalog.entry_hooks import EntryHooks, find_hooks
from covel_host.catalog.entry_places import EntryPlaces
from covel_host.catalog.generation import Generation, LoadedEntry, RuntimeSchemas
from covel_host.catalog.namespace import PackageNamespace
from covel_host.catalog.registrar import EntryRegistrar
from covel_host.catalog.registration import compare, declared_tools, gather_tools, hook_caller
from covel_host.catalog.requirements import unmet_requirements
from covel_host.catalog.runtime_schemas import compile_schemas
from covel_host.catalog.sources import PackageSources
from covel_host.diagnostics.diagnostic import Diagnostic, any_blocks_loading, in_order
from covel_host.manifest.package import PackageReading
from covel_host.manifest.served import unserved_contributions
from plugin_sdk.tools import Tool

ENTRY_LIMIT_S = 15.0
_LOG = logging.getLogger(__name__)


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

    The entry is imported in a daemon thread, within `limit_s`; a hanging one is left behind and
    blocks nothing. Whatever goes wrong, nothing of the package stays published.
    """
    started = time.perf_counter()
    load = _Load(reading, sources, number)
    found = [*unserved_contributions(reading), *unmet_requirements(reading)]
    schemas, problems = compile_schemas(reading, sources)
    found += problems
    if reading.blocks_loading or any_blocks_loading(found):
        return LoadOutcome(None, in_order(found), _milliseconds(started))
    generation, loaded = await load.run(schemas, limit_s)
    return LoadOutcome(generation, in_order([*found, *loaded]), _milliseconds(started))


class _Load:
    """The code side of one load."""

    def __init__(self, reading: PackageReading, sources: PackageSources, number: int) -> None:
        self._reading = reading
        self._sources = sources
        self._number = number

    async def run(
        self, schemas: dict[str, RuntimeSchemas], limit_s: float
    ) -> tuple[Generation | None, list[Diagnostic]]:
        reading = self._reading
        if reading.entry is None:
            problems = compare({}, declared_tools(reading), reading, None)
            return (None if problems else self._generation(schemas, None)), problems
        namespace = PackageNamespace(
            reading.plugin_id,
            self._number,
            root=self._sources.root,
            modules=self._sources.modules,
        )
        version = None if reading.manifest is None else reading.manifest.version
        registrar = EntryRegistrar(reading.plugin_id, version)
        entry = _Entry(reading, namespace, registrar, root_entry=self._entry_path())
        # Around the wait, not inside the thread: one that hangs must not keep standard output.
        with _printing_into_the_log(reading.plugin_id):
            try:
                problems = await asyncio.wait_for(
                    run_in_daemon_thread(entry.enter, name=f"covel load {reading.plugin_id}"),
                    limit_s,
                )
            except TimeoutError:
                problems = [entry.timed_out(limit_s)]
        if not any_blocks_loading(problems) and entry.loaded is not None:
            return self._generation(schemas, entry), problems
        registrar.signal.cancel("loading failed")
        for error in await registrar.dispose():
            _LOG.error("A clean-up of %r failed.", reading.plugin_id, exc_info=error)
        namespace.close()
        return None, problems

    def _entry_path(self) -> str:
        assert self._reading.entry is not None
        return self._reading.entry.resolve().relative_to(self._sources.root).as_posix()

    def _generation(self, schemas: dict[str, RuntimeSchemas], entry: "_Entry | None") -> Generation:
        return Generation(
            plugin_id=self._reading.plugin_id,
            number=self._number,
            content_hash=self._sources.content_hash,
            reading=self._reading,
            tools={} if entry is None else entry.tools,
            schemas=schemas,
            entry=None if entry is None else entry.loaded,
        )


class _Entry:
    """Imports the entry, asks its hooks, calls `on_load`; in a thread that may be left behind."""

    def __init__(
        self,
        reading: PackageReading,
        namespace: PackageNamespace,
        registrar: EntryRegistrar,
        *,
        root_entry: str,
    ) -> None:
        self._reading = reading
        self._namespace = namespace
        self._registrar = registrar
        self._path = root_entry
        self._places = EntryPlaces(reading.plugin_id, root_entry, namespace)
        self.tools: dict[str, Tool[..., Any]] = {}
        self.loaded: LoadedEntry | None = None

    def enter(self) -> list[Diagnostic]:
        """Every problem; without a blocking one `loaded` and `tools` are set."""
        # A ContextVar set at import would otherwise keep the whole generation alive.
        return contextvars.Context().run(self._enter)

    def timed_out(self, limit_s: float) -> Diagnostic:
        """The problem of an entry that did not come back."""
        return self._places.report(
            "entry-timeout",
            f"The entry {self._path!r} did not finish loading within {limit_s:g} s.",
            hint="Move long work from the module into on_load or into the first call.",
        )

    def _enter(self) -> list[Diagnostic]:
        try:
            module = self._namespace.import_module(self._path)
        except BaseException as error:
            return [self._import_failed(error)]
        hooks = find_hooks(module, self._places)
        try:
            return self._register(module, hooks)
        except BaseException as error:
            return [*hooks.diagnostics, self._hook_failed(error)]

    def _register(self, module: ModuleType, hooks: EntryHooks) -> list[Diagnostic]:
        manager = hook_caller(self._reading.plugin_id, hooks.functions)
        tools, problems = gather_tools(
            manager, hooks.functions, self._registrar, self._reading, self._places
        )
        problems = [*hooks.diagnostics, *problems]
        if any_blocks_loading(problems):
            return problems
        try:
            manager.hook.on_load(covel=self._registrar)
        except BaseException as error:
            return [*problems, self._on_load_failed(error)]
        self.tools = tools
        self.loaded = LoadedEntry(self._namespace, manager, self._registrar)
        return problems

    def _import_failed(self, error: BaseException) -> Diagnostic:
        return self._places.report(
            "entry-import-failed",
            f"The entry {self._path!r} was not imported: {_told(error)}.",
            error=error,
            hint=self._hint(error),
        )

    def _hook_failed(self, error: BaseException) -> Diagnostic:
        return self._places.report(
            "registration-invalid",
            f"A registration hook failed: {_told(error)}.",
            error=error,
        )

    def _on_load_failed(self, error: BaseException) -> Diagnostic:
        return self._places.report(
            "load-hook-failed", f"'on_load' failed: {_told(error)}.", error=error
        )

    def _hint(self, error: BaseException) -> str | None:
        if isinstance(error, SystemExit):
            return "A module of a package must not end the process."
        if not isinstance(error, ModuleNotFoundError) or error.name is None:
            return None
        top = error.name.split(".")[0]
        if self._namespace.has_top_level(top):
            dots = "." * (self._path.count("/") + 1)
            return f"Modules of the package are imported relatively: from {dots}{error.name} …"
        if top in ("covel_host", "covel_packages"):
            return "A package imports plugin_sdk and nothing else of the host."
        return (
            f"If it is a library, name it in `python.dependencies` and install it: "
            f"python -m pip install {top}"
        )


def _told(error: BaseException) -> str:
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0].rstrip('.')}" if text else type(error).__name__


@contextlib.contextmanager
def _printing_into_the_log(plugin_id: str) -> Iterator[None]:
    """What the entry prints goes to the log: standard output belongs to the command."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        yield
    for line in printed.getvalue().splitlines():
        logging.getLogger(f"covel.packages.{plugin_id}").info("printed at load: %s", line)


def _milliseconds(started: float) -> int:
    return round((time.perf_counter() - started) * 1000)
