"""Where in a package's code a problem lies."""

import sys
import traceback
from collections.abc import Iterable
from types import FrameType, FunctionType

from covel_host.catalog.foreign_text import error_text
from covel_host.catalog.host_imports import HostImportError
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

    def told(self, error: BaseException) -> str:
        """Type and message of an error, in the author's own names."""
        return self._namespace.without_names(error_text(error))

    def report(
        self,
        name: str,
        message: str,
        *,
        function: object = None,
        error: BaseException | None = None,
        thread: int | None = None,
        file: str | None = None,
        hint: str | None = None,
    ) -> Diagnostic:
        """A problem at the first line of a function or class, at an error's origin, where a thread
        is, or in `file`."""
        file, line = file or self._entry, None
        if isinstance(function, type):
            file, line = self._namespace.place_of_class(function) or (file, None)
        elif isinstance(function, FunctionType):
            # A wrapper may come from a library, what it wraps from the package.
            functions = (function, getattr(function, "__wrapped__", None))
            codes = [each.__code__ for each in functions if isinstance(each, FunctionType)]
            file, line = self._first((code.co_filename, code.co_firstlineno) for code in codes)
        elif error is not None:
            file, line = self.of_error(error)
        elif thread is not None and (frame := sys._current_frames().get(thread)) is not None:
            file, line = self._first(_lines(traceback.walk_stack(frame)))
        return report(
            name,
            message,
            plugin=self._plugin_id,
            file=file,
            span=None if line is None else Span(line, 1, line, 1),
            hint=hint,
        )

    def of_error(self, error: BaseException) -> tuple[str, int | None]:
        """File and line: of the text that cannot be compiled, or the last one the error passed."""
        own = self._namespace.relative_path
        if isinstance(error, SyntaxError) and isinstance(error.filename, str):
            relative = own(error.filename)
            if relative is not None:
                return relative, error.lineno if isinstance(error.lineno, int) else None
        if isinstance(error, HostImportError):
            return own(str(error.path)) or self._entry, error.lineno
        frames = list(traceback.walk_tb(error.__traceback__))
        return self._first(_lines(reversed(frames)))

    def _first(self, places: Iterable[tuple[str, int]]) -> tuple[str, int | None]:
        for filename, line in places:
            relative = self._namespace.relative_path(filename)
            if relative is not None:
                return relative, line
        return self._entry, None


def _lines(frames: Iterable[tuple[FrameType, int]]) -> Iterable[tuple[str, int]]:
    return ((frame.f_code.co_filename, line) for frame, line in frames)
