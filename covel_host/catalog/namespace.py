"""One generation of a package as a private namespace of Python modules.

Every module of the package lives under a name of its own generation, so relative imports work,
equal module names of two packages never meet, and a reload replaces every module.
"""

import importlib
import importlib.abc
import importlib.util
import sys
from collections.abc import Mapping, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, ModuleType

_PREFIX = "covel_packages"


class PackageNamespace(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Imports the modules of one generation from kept bytes.

    `name` is the dotted name of the package's root. `close` takes its modules out of the
    interpreter; code that still runs keeps what it holds.
    """

    def __init__(
        self, plugin_id: str, number: int, *, root: Path, modules: Mapping[str, bytes]
    ) -> None:
        self.name = f"{_PREFIX}.{plugin_id.replace('-', '_')}_g{number}"
        self._root = root
        self._modules = modules
        self._folders = {
            path.rsplit("/", depth)[0]
            for path in modules
            for depth in range(1, path.count("/") + 1)
        }

    def import_module(self, relative: str) -> ModuleType:
        """The module at `relative`, such as `server/index.py`; imported once per generation.

        Raises:
            KeyError: no such file was read.
            BaseException: whatever the module raises while it runs.
        """
        if relative not in self._modules:
            raise KeyError(relative)
        self._open()
        return importlib.import_module(self._dotted(relative))

    def close(self) -> None:
        """Withdraw every module of this generation from `sys.modules`; may be called again."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        for dotted in [name for name in sys.modules if self._owns(name)]:
            del sys.modules[dotted]

    def relative_path(self, filename: str) -> str | None:
        """The package-relative path of a traceback's file, `None` for a file of elsewhere."""
        path = Path(filename)
        if not path.is_relative_to(self._root):
            return None
        relative = path.relative_to(self._root).as_posix()
        return relative if relative in self._modules else None

    def has_top_level(self, name: str) -> bool:
        """Whether the package itself has a module or folder `name` at its root."""
        return f"{name}.py" in self._modules or name in self._folders

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname == _PREFIX:
            return importlib.util.spec_from_loader(fullname, loader=None, is_package=True)
        if not self._owns(fullname):
            return None
        folder = fullname.removeprefix(self.name).lstrip(".").replace(".", "/")
        for relative, is_package in self._candidates(folder):
            if relative in self._modules:
                return importlib.util.spec_from_file_location(
                    fullname,
                    self._root / relative,
                    loader=self,
                    submodule_search_locations=[] if is_package else None,
                )
        if not folder or folder in self._folders:
            return importlib.util.spec_from_loader(fullname, loader=None, is_package=True)
        return None

    def get_code(self, fullname: str) -> CodeType:
        relative = self._relative(fullname)
        source = self._modules[relative]
        return compile(source, str(self._root / relative), "exec", dont_inherit=True)

    def get_source(self, fullname: str) -> str:
        return importlib.util.decode_source(self._modules[self._relative(fullname)])

    def is_package(self, fullname: str) -> bool:
        return self._relative(fullname).endswith("__init__.py")

    def exec_module(self, module: ModuleType) -> None:
        exec(self.get_code(module.__name__), module.__dict__)

    def _open(self) -> None:
        if self not in sys.meta_path:
            sys.meta_path.insert(0, self)

    def _owns(self, fullname: str) -> bool:
        return fullname == self.name or fullname.startswith(self.name + ".")

    def _dotted(self, relative: str) -> str:
        stem = relative.removesuffix(".py").removesuffix("/__init__")
        return f"{self.name}.{stem.replace('/', '.')}"

    def _relative(self, fullname: str) -> str:
        folder = fullname.removeprefix(self.name).lstrip(".").replace(".", "/")
        for relative, _ in self._candidates(folder):
            if relative in self._modules:
                return relative
        raise ImportError(f"No module named {fullname!r}.", name=fullname)

    @staticmethod
    def _candidates(folder: str) -> tuple[tuple[str, bool], ...]:
        if not folder:
            return (("__init__.py", True),)
        return ((f"{folder}/__init__.py", True), (f"{folder}.py", False))
