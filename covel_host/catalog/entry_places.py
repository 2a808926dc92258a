"""Where in a package's code a problem lies."""

import traceback
from types import FunctionType

from covel_host.catalog.namespace import PackageNamespace
from covel_host.diagnostics.codes import report
from covel_host.diagnostics.diagnostic import Diagnostic, Span


class EntryPlaces:
    """Makes diagnostics that point into the modules of one generation; `entry` is the default."""

    def __init__(self, plugin_id: str, entry: str, namespace: PackageNamespace) -> None:
        self._plugin_id = plugin_id
        self._entry = entry
        self._namespace = namespace

    def owns(self, function: FunctionType) -> bool:
        """Whether the function was written in the package itself."""
        return self._namespace.relative_path(function.__code__.co_filename) is not None

    def report(
        self,
        name: str,
        message: str,
        *,
        function: FunctionType | None = None,
        error: BaseException | None = None,
        hint: str | None = None,
    ) -> Diagnostic:
        """A problem at a function's first line, or at the package's last line of a traceback."""
        file, line = self._entry, None
        if function is not None:
            file, line = self._of_code(function.__code__.co_filename, function)
        elif error is not None:
            file, line = self._of_error(error)
        return report(
            name,
            message,
            plugin=self._plugin_id,
            file=file,
            span=None if line is None else Span(line, 1, line, 1),
            hint=hint,
        )

    def _of_code(self, filename: str, function: FunctionType) -> tuple[str, int | None]:
        relative = self._namespace.relative_path(filename)
        if relative is None:
            return self._entry, None
        return relative, function.__code__.co_firstlineno

    def _of_error(self, error: BaseException) -> tuple[str, int | None]:
        if isinstance(error, SyntaxError) and error.filename:
            relative = self._namespace.relative_path(error.filename)
            if relative is not None:
                return relative, error.lineno
        for frame in reversed(traceback.extract_tb(error.__traceback__)):
            relative = self._namespace.relative_path(frame.filename)
            if relative is not None:
                return relative, frame.lineno
        return self._entry, None
