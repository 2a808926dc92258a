"""The Python modules a manifest names and those its entry imports, each parsed once, never run."""

import ast
import posixpath
from dataclasses import dataclass, field
from typing import Final

from covel_host.diagnostics.diagnostic import Span
from covel_host.diagnostics.source import SourceText
from covel_host.manifest.rules.module_view import (
    Definition,
    ModuleView,
    SdkCall,
    module_view,
    parse_module,
)
from covel_host.manifest.rules.package_folder import PackageFile, PackageFolder

MAX_FOLLOWED: Final = 200
"""Modules of one package that are looked at."""


@dataclass(frozen=True, slots=True)
class CodeModule:
    """One module: its file and text, and what it says or the error that keeps it from doing so."""

    file: PackageFile
    source: SourceText
    view: ModuleView | None
    error: SyntaxError | None

    def span(self, node: ast.stmt | ast.expr) -> Span:
        """The place of `node`; of one that fills several lines, its beginning."""
        line = node.lineno
        column = self._column(line, node.col_offset)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            # The name, which follows 'def' or 'class' on the same line.
            start = self._line(line).find(node.name, column + 2) + 1
            if start > 0:
                return Span(line, start, line, start + len(node.name))
        if node.end_lineno != line:
            return Span(line, column, line, column + 1)
        return Span(line, column, line, self._column(line, node.end_col_offset or 0))

    def _column(self, line: int, offset: int) -> int:
        """The column, counted in characters from 1, of a byte offset in a line."""
        return len(self._line(line).encode("utf-8")[:offset].decode("utf-8", "replace")) + 1

    def _line(self, line: int) -> str:
        return self.source.line_text(line)


@dataclass(frozen=True, slots=True)
class Registered:
    """Something a registration hook returns: its definition, and the module that holds it."""

    module: CodeModule
    definition: Definition
    call: SdkCall


@dataclass(slots=True)
class CodeModules:
    """The modules of one package."""

    folder: PackageFolder
    _known: dict[str, CodeModule] = field(default_factory=dict)

    def module(self, file: PackageFile) -> CodeModule:
        """The module in `file`, which was found inside the package."""
        known = self._known.get(file.name)
        if known is None:
            tree = parse_module(file.content)
            error = tree if isinstance(tree, SyntaxError) else None
            view = module_view(tree) if isinstance(tree, ast.Module) else None
            source = SourceText(file.content.decode("utf-8", "replace"))
            known = self._known[file.name] = CodeModule(file, source, view, error)
        return known

    def looked_at(self) -> list[CodeModule]:
        """Every module that was looked at, in order."""
        return list(self._known.values())

    def imported_from(self, module: CodeModule, name: str) -> CodeModule | None:
        """The module of the package that `module` imports `name` from, if it is one."""
        view = module.view
        level, dotted, _ = (0, "", "") if view is None else view.imported.get(name, (0, "", ""))
        if level == 0 or not dotted or len(self._known) >= MAX_FOLLOWED:
            return None
        folder = posixpath.dirname(module.file.name)
        for _ in range(level - 1):
            folder = posixpath.dirname(folder)
        path = posixpath.join(folder, *dotted.split("."))
        for candidate in (f"{path}.py", f"{path}/__init__.py"):
            found = self.folder.file(self.folder.root, candidate)
            if found.state == "file":
                return self.module(found)
        return None

    def defined(self, module: CodeModule, name: str) -> tuple[CodeModule, Definition] | None:
        """Where the package defines what `name` is in `module`, one import away at most."""
        if module.view is None:
            return None
        own = module.view.definition(name)
        if own is not None:
            return module, own
        if module.view.bound.get(name) != 1:
            return None
        source = self.imported_from(module, name)
        if source is None or source.view is None:
            return None
        found = source.view.definition(module.view.imported[name][2])
        return None if found is None else (source, found)
