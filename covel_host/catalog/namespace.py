"""One generation of a package as a private namespace of Python modules.

Every module of the package lives under a name of its own generation, so relative imports work,
equal module names of two packages never meet, and a reload replaces every module.
"""

import ast
import importlib
import importlib.abc
import importlib.util
import itertools
import sys
import threading
from collections.abc import Mapping, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, ModuleType
from typing import Final

from covel_host.catalog.host_imports import refuse_host_imports
from covel_host.catalog.module_caches import forget_modules
from covel_host.catalog.source_lines import forget_lines, keep_lines

_PREFIX: Final = "covel_packages"
_SERIAL: Final = itertools.count(1)
"""`sys.modules` belongs to the process: two hosts in it must not meet in one name."""


def is_package_module(name: object) -> bool:
    """Whether a module of that name is one of a package."""
    return isinstance(name, str) and name.startswith(f"{_PREFIX}.")


class PackageNamespace(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Imports the modules of one generation from kept bytes.

    `name` is the dotted name of the package's root, used once in the life of the process. `close`
    takes its modules out of the interpreter; code that still runs keeps what it holds.
    """

    def __init__(
        self, plugin_id: str, number: int, *, root: Path, modules: Mapping[str, bytes]
    ) -> None:
        self.name = f"{_PREFIX}.{plugin_id.replace('-', '_')}_g{number}_{next(_SERIAL)}"
        self.root = root
        self._modules = modules
        self._files: dict[str, str] = {}
        self._folders = {self.name}
        for relative in modules:
            dotted, is_package = self._dotted(relative)
            if is_package or dotted not in self._files:
                self._files[dotted] = relative
            while "." in (dotted := dotted.rpartition(".")[0]):
                self._folders.add(dotted)
        self._lock = threading.Lock()
        self._closed = False

    @property
    def module_names(self) -> list[str]:
        """The full names of all modules, imported or not."""
        return sorted(self._files)

    def import_module(self, relative: str) -> ModuleType:
        """The module at `relative`, such as `server/index.py`; imported once per generation.

        Raises:
            KeyError: no such file was read.
            BaseException: whatever the module raises while it runs.
        """
        dotted, _ = self._dotted(relative)
        if self._files.get(dotted) != relative:
            raise KeyError(relative)
        with self._lock:
            if self._closed:
                raise ImportError("This generation of the package has ended.")
            if self not in sys.meta_path:
                sys.meta_path.insert(0, self)
        return importlib.import_module(dotted)

    def close(self) -> None:
        """Withdraw every module of this generation for good; may be called again."""
        with self._lock:
            self._closed = True
            if self in sys.meta_path:
                sys.meta_path.remove(self)
        for dotted in [name for name in list(sys.modules) if self._owns(name)]:
            sys.modules.pop(dotted, None)
        if _PREFIX in sys.modules:
            # The import system also keeps every module as an attribute of the one above it.
            vars(sys.modules[_PREFIX]).pop(self.name.removeprefix(_PREFIX + "."), None)
        forget_modules(self.name)
        forget_lines(self.name, (str(self.root / relative) for relative in self._modules))

    def relative_path(self, filename: str) -> str | None:
        """The package-relative path of a traceback's file, `None` for a file of elsewhere."""
        path = Path(filename)
        if not path.is_relative_to(self.root):
            return None
        relative = path.relative_to(self.root).as_posix()
        return relative if relative in self._modules else None

    def place_of_class(self, model: type) -> tuple[str, int | None] | None:
        """File and line of a class of the package, `None` for one from elsewhere."""
        relative = self._files.get(model.__module__)
        if relative is None:
            return None
        found = [
            node.lineno
            for node in ast.walk(ast.parse(self._modules[relative]))
            if isinstance(node, ast.ClassDef) and node.name == model.__name__
        ]
        return relative, found[0] if found else None

    def relative_import(self, name: str, *, file: str) -> str | None:
        """How `file` names the package's own module `name` (`tools.notes`): with leading dots.

        `None` when neither its folder nor one above has such a module.
        """
        module, is_package = self._dotted(file)
        folder = module if is_package else module.rpartition(".")[0]
        for dots in range(1, file.count("/") + 2):
            if f"{folder}.{name}" in self._files or f"{folder}.{name}" in self._folders:
                return "." * dots + name
            folder = folder.rpartition(".")[0]
        return None

    def without_names(self, text: str) -> str:
        """`text` with module names and paths as the author knows them."""
        text = text.replace(f"{self.root}/", "").replace(f"{self.name}.", "")
        return text.replace(self.name, "the package")

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname == _PREFIX:
            return importlib.util.spec_from_loader(fullname, loader=None, is_package=True)
        if fullname in self._files:
            return self._file_spec(fullname)
        if fullname in self._folders:
            return importlib.util.spec_from_loader(fullname, loader=None, is_package=True)
        return None

    def get_code(self, fullname: str) -> CodeType:
        relative = self._file(fullname)
        source, filename = self._modules[relative], str(self.root / relative)
        refuse_host_imports(source, filename)
        code = compile(source, filename, "exec", dont_inherit=True)
        keep_lines(self.name, filename, importlib.util.decode_source(source))
        return code

    def get_source(self, fullname: str) -> str:
        return importlib.util.decode_source(self._modules[self._file(fullname)])

    def is_package(self, fullname: str) -> bool:
        return self._file(fullname).endswith("__init__.py")

    def exec_module(self, module: ModuleType) -> None:
        exec(self.get_code(module.__name__), module.__dict__)

    def _file_spec(self, fullname: str) -> ModuleSpec | None:
        location = self.root / self._files[fullname]
        spec = importlib.util.spec_from_file_location(fullname, location, loader=self)
        if spec is not None and self.is_package(fullname):
            # Not its folder: the usual finders would take a file from there that was never hashed.
            spec.submodule_search_locations = []
        return spec

    def _owns(self, fullname: str) -> bool:
        return fullname == self.name or fullname.startswith(self.name + ".")

    def _file(self, fullname: str) -> str:
        if fullname not in self._files:
            raise ImportError(f"No module named {fullname!r}.", name=fullname)
        return self._files[fullname]

    def _dotted(self, relative: str) -> tuple[str, bool]:
        """The module name of a file, and whether it stands for its folder."""
        parts = relative.removesuffix(".py").split("/")
        is_package = parts[-1] == "__init__"
        # A dot in a folder's name, as in `v1.2`, must not read as a step down.
        names = [part.replace(".", "%2E") for part in (parts[:-1] if is_package else parts)]
        return ".".join((self.name, *names)), is_package
