"""Packages import `plugin_sdk` and nothing else of the host (design/architecture.md, rings)."""

import ast
from typing import Final

_HOST: Final = "covel_host"


class HostImportError(ImportError):
    """A module of a package imports the host; `path` and `lineno` say where."""

    def __init__(self, module: str, *, path: str, lineno: int) -> None:
        super().__init__(f"{module!r} belongs to the host", name=module, path=path)
        self.lineno = lineno


def refuse_host_imports(source: bytes, path: str) -> None:
    """Find an import statement of the host anywhere in a module, before the module runs.

    It is a contract, no sandbox: an import that is made up at run time is not seen.

    Raises:
        HostImportError: the first one.
        SyntaxError: the module is not Python.
    """
    # Parsing twice is for the few modules that hold the name at all.
    if _HOST.encode() not in source:
        return
    for node in ast.walk(ast.parse(source, path)):
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        for name in _imported(node):
            if name.partition(".")[0] == _HOST:
                raise HostImportError(name, path=path, lineno=node.lineno)


def _imported(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module] if node.level == 0 and node.module is not None else []
