"""A package's code: its entry module and the modules its runtimes name, imported and started."""

import contextvars
import threading
from collections.abc import Callable, Collection

from pluggy import PluginManager

from covel_host.catalog.entry_hooks import find_hooks
from covel_host.catalog.entry_places import EntryPlaces
from covel_host.catalog.entry_streams import entry_streams
from covel_host.catalog.hook_registration import register_hooks
from covel_host.catalog.import_problems import ImportProblems
from covel_host.catalog.namespace import PackageNamespace
from covel_host.catalog.registered_hook import RegisteredHook
from covel_host.catalog.registrar import EntryRegistrar
from covel_host.catalog.registration import Registered, gather, hook_caller, unserved_hooks
from covel_host.catalog.runtime_functions import RuntimeFunctions, RuntimeModule
from covel_host.diagnostics.diagnostic import Diagnostic
from covel_host.manifest.layout import ROOT_MANIFEST
from covel_host.manifest.reading import PackageReading


class Entry:
    """The entry at `path`, if any, and `modules`; `check` and `start` run in threads that may be
    left behind.

    Whatever the package's code raises becomes a diagnostic. `registered`, `hooks` and `functions`
    are set by `check`. Threads that the code starts are daemons like the one it runs in, unless it
    says otherwise: one with `daemon=False` keeps the process alive, and ending it (`on_dispose`) is
    the package's part.
    """

    def __init__(
        self,
        path: str | None,
        modules: Collection[RuntimeModule],
        reading: PackageReading,
        namespace: PackageNamespace,
        registrar: EntryRegistrar,
    ) -> None:
        self._path = path
        self._modules = modules
        self._reading = reading
        self._namespace = namespace
        self._registrar = registrar
        self._places = EntryPlaces(reading.plugin_id, path or ROOT_MANIFEST, namespace)
        self._imports = ImportProblems(reading.plugin_id, namespace, self._places)
        # A ContextVar set at import would otherwise keep the whole generation alive.
        self._context = contextvars.Context()
        self._thread: int | None = None
        self._caller: PluginManager | None = None
        self.registered: Registered = {}
        self.hooks: tuple[RegisteredHook, ...] = ()
        self.functions = RuntimeFunctions(namespace, self._places, self._imports)

    def check(self) -> list[Diagnostic]:
        """Import the modules and ask the registration hooks: every problem at once."""
        return self._run(self._check)

    @property
    def has_start(self) -> bool:
        """Whether there is anything for `start` to do: most entries have no such hook."""
        return self._has("on_load") or self._has("on_unload")

    def start(self) -> list[Diagnostic]:
        """Call `on_load`; afterwards `on_unload` is the first of the clean-ups."""
        return self._run(self._start)

    def timed_out(self, limit_s: float) -> Diagnostic:
        """The problem of code that did not come back, with the line where it is."""
        module = self.functions.importing
        subject = f"The entry {self._path!r}" if module is None else module.subject
        return self._places.report(
            "entry-timeout",
            f"{subject} did not finish loading within {limit_s:g} s.",
            thread=self._thread,
            hint="Move long work into the first call that needs it.",
        )

    def _run(self, step: Callable[[], list[Diagnostic]]) -> list[Diagnostic]:
        self._thread = threading.get_ident()
        with entry_streams(self._registrar.logger):
            return self._context.run(step)

    def _check(self) -> list[Diagnostic]:
        problems: list[Diagnostic] = []
        if self._path is not None:
            try:
                module = self._namespace.import_module(self._path)
                hooks = find_hooks(module, self._places)
            except BaseException as error:
                # The other modules would most likely fail for the same reason.
                subject = f"The entry {self._path!r}"
                return [self._imports.report("entry-import-failed", subject, error)]
            self._caller = hook_caller(self._reading.plugin_id, hooks.functions)
            self.registered, wrong = gather(
                self._caller, hooks, self._registrar, self._reading, self._places
            )
            self.hooks, differing = register_hooks(hooks, self._reading, self._places)
            unserved = unserved_hooks(hooks, self._places)
            problems = [*hooks.diagnostics, *unserved, *wrong, *differing]
        return [*problems, *self.functions.load(self._modules)]

    def _start(self) -> list[Diagnostic]:
        assert self._caller is not None
        hook, registrar = self._caller.hook, self._registrar
        try:
            if self._has("on_load"):
                hook.on_load(covel=registrar)
        except BaseException as error:
            message = f"'on_load' failed: {self._places.told(error)}."
            return [self._places.report("load-hook-failed", message, error=error)]
        if self._has("on_unload"):
            registrar.on_dispose(lambda: hook.on_unload(covel=registrar))
        return []

    def _has(self, name: str) -> bool:
        return self._caller is not None and hasattr(self._caller.hook, name)
