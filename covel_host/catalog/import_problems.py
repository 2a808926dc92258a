"""What is wrong with a module of a package that was not imported, and what helps."""

import difflib
from collections.abc import Iterator

from covel_host.catalog.entry_places import EntryPlaces
from covel_host.catalog.host_imports import HostImportError
from covel_host.catalog.namespace import PackageNamespace
from covel_host.diagnostics.diagnostic import Diagnostic


class ImportProblems:
    """Turns errors of importing into diagnostics that point into the package."""

    def __init__(self, plugin_id: str, namespace: PackageNamespace, places: EntryPlaces) -> None:
        self._plugin_id = plugin_id
        self._namespace = namespace
        self._places = places

    def report(self, name: str, subject: str, error: BaseException) -> Diagnostic:
        """The problem of kind `name` that `subject`, such as `The entry 'a.py'`, raised `error`."""
        return self._places.report(
            name,
            f"{subject} was not imported: {self._places.told(error)}.",
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
        if error.name == self._plugin_id.replace("-", "_"):
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
