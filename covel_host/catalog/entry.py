"""A package's entry module: imported, asked for what it registers, started."""

import contextvars
import difflib
import threading
from collections.abc import Callable, Iterator

from pluggy import PluginManager

from covel_host.catalog.entry_hooks import find_hooks
from covel_host.catalog.entry_places import EntryPlaces
from covel_host.catalog.entry_streams import entry_streams
from covel_host.catalog.host_imports import HostImportError
from covel_host.catalog.namespace import PackageNamespace
from covel_host.catalog.registrar import EntryRegistrar
from covel_host.catalog.registration import Tools, gather_tools, hook_caller, unserved_hooks
from covel_host.diagnostics.diagnostic import Diagnostic
from covel_host.manifest.reading import PackageReading


class Entry:
    """The entry at `path`; `check` and `start` run in threads that may be left behind.

    Whatever the package's code raises becomes a diagnostic. `tools` are set by `check`. Threads
    that the entry starts are daemons like the one it runs in, unless it says otherwise: one with
    `daemon=False` keeps the process alive, and ending it (`on_dispose`) is the package's part.
    """

    def __init__(
        self,
        path: str,
        reading: PackageReading,
        namespace: PackageNamespace,
        registrar: EntryRegistrar,
    ) -> None:
        self._path = path
        self._reading = reading
        self._namespace = namespace
        self._registrar = registrar
        self._places = EntryPlaces(reading.plugin_id, path, namespace)
        # A ContextVar set at import would otherwise keep the whole generation alive.
        self._context = contextvars.Context()
        self._thread: int | None = None
        self._caller: PluginManager | None = None
        self.tools: Tools = {}

    def check(self) -> list[Diagnostic]:
        """Import the module and ask its registration hooks: every problem at once."""
        return self._run(self._check)

    def start(self) -> list[Diagnostic]:
        """Call `on_load`; afterwards `on_unload` is the first of the clean-ups."""
        return self._run(self._start)

    def timed_out(self, limit_s: float) -> Diagnostic:
        """The problem of an entry that did not come back, with the line where it is."""
        return self._places.report(
            "entry-timeout",
            f"The entry {self._path!r} did not finish loading within {limit_s:g} s.",
            thread=self._thread,
            hint="Move long work into the first call that needs it.",
        )

    def _run(self, step: Callable[[], list[Diagnostic]]) -> list[Diagnostic]:
        self._thread = threading.get_ident()
        with entry_streams(self._registrar.logger):
            return self._context.run(step)

    def _check(self) -> list[Diagnostic]:
        try:
            module = self._namespace.import_module(self._path)
            hooks = find_hooks(module, self._places)
        except BaseException as error:
            return [self._import_failed(error)]
        self._caller = hook_caller(self._reading.plugin_id, hooks.functions)
        self.tools, problems = gather_tools(
            self._caller, hooks, self._registrar, self._reading, self._places
        )
        return [*hooks.diagnostics, *unserved_hooks(hooks, self._places), *problems]

    def _start(self) -> list[Diagnostic]:
        assert self._caller is not None
        hook, registrar = self._caller.hook, self._registrar
        try:
            hook.on_load(covel=registrar)
        except BaseException as error:
            message = f"'on_load' failed: {self._places.told(error)}."
            return [self._places.report("load-hook-failed", message, error=error)]
        if hook.on_unload.get_hookimpls():
            registrar.on_dispose(lambda: hook.on_unload(covel=registrar))
        return []

    def _import_failed(self, error: BaseException) -> Diagnostic:
        return self._places.report(
            "entry-import-failed",
            f"The entry {self._path!r} was not imported: {self._places.told(error)}.",
            error=error,
            hint=self._hint(error),
        )

    def _hint(self, error: BaseException) -> str | None:
        if isinstance(error, SystemExit):
            return "A module of a package must not end the process."
        if isinstance(error, EOFError):
            return "Nothing can be read from standard input while a package is loaded."
        if isinstance(error, HostImportError):
            return "A package imports plugin_sdk and nothing else of the host."
        if not isinstance(error, ModuleNotFoundError) or error.name is None:
            return None
        file, _ = self._places.of_error(error)
        for meant in self._readings(error.name):
            relative = self._namespace.relative_import(meant, file=file)
            if relative is not None:
                return f"Modules of the package are imported relatively: from {relative} import …"
        if error.name.startswith(self._namespace.name):
            return self._nearest_module(error.name)
        if error.name == self._reading.plugin_id.replace("-", "_"):
            return (
                "A package has no import name of its own; its modules are imported relatively: "
                f"from {'.' * (file.count('/') + 1)}folder.module import …"
            )
        if "." in error.name:
            # The library is there, a part of it is not.
            return None
        return (
            f"If it is a library, name it in `python.dependencies` and install it: "
            f"python -m pip install {error.name}"
        )

    def _readings(self, dotted: str) -> Iterator[str]:
        """The paths from the package's root that a module that was not found may stand for."""
        if not dotted.startswith(self._namespace.name):
            yield dotted
            return
        # A dot too few puts folders of the importing module in front.
        parts = dotted.removeprefix(f"{self._namespace.name}.").split(".")
        yield from (".".join(parts[start:]) for start in range(1, len(parts)))

    def _nearest_module(self, dotted: str) -> str | None:
        known = self._namespace.module_names
        near = difflib.get_close_matches(dotted, known, n=1)
        return f"Did you mean {self._namespace.without_names(near[0])!r}?" if near else None
