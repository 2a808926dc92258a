"""The functions `handle` and `guard` of the modules that runtimes name (spec/decisions.md 1)."""

import inspect
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, Final, Literal, TypeAlias

from covel_host.catalog.entry_places import EntryPlaces
from covel_host.catalog.import_problems import ImportProblems
from covel_host.catalog.namespace import PackageNamespace
from covel_host.diagnostics.diagnostic import Diagnostic
from covel_host.manifest.reading import PackageReading, RuntimeReading

Use: TypeAlias = Literal["handler", "guard"]
_FUNCTIONS: Final[dict[Use, str]] = {"handler": "handle", "guard": "guard"}


@dataclass(frozen=True, slots=True)
class RuntimeModule:
    """A module that a runtime names: its path in the package, and where it is named."""

    use: Use
    runtime: RuntimeReading
    path: str
    field: tuple[str, ...]

    @property
    def function(self) -> str:
        """The name of the function it must have."""
        return _FUNCTIONS[self.use]

    @property
    def subject(self) -> str:
        """How messages name it."""
        return f"The {self.use} {self.path!r} of {self.runtime.runtime_id!r}"


def runtime_modules(reading: PackageReading) -> Iterator[RuntimeModule]:
    """Every handler and guard of a package, in order of its runtimes."""
    for runtime in reading.runtimes:
        manifest = runtime.manifest
        if manifest is None:
            continue
        named: list[tuple[Use, str | None, tuple[str, ...]]] = [
            (
                "handler",
                None if manifest.function is None else manifest.function.handler,
                ("function", "handler"),
            ),
            ("guard", manifest.guard, ("guard",)),
        ]
        for use, written, field in named:
            if written is not None:
                path = module_path(reading.root, runtime.folder / written)
                yield RuntimeModule(use, runtime, path, (*runtime.field_prefix, *field))


def module_path(root: Path, path: Path) -> str:
    """A module's path in its package as the author wrote it: a link stands where it stands."""
    return os.path.normpath(path.relative_to(root)).replace(os.sep, "/")


class RuntimeFunctions:
    """Imports modules of runtimes and takes their functions, by runtime ID.

    `importing` is the module under way, for the message about one that hangs.
    """

    def __init__(
        self, namespace: PackageNamespace, places: EntryPlaces, imports: ImportProblems
    ) -> None:
        self._namespace = namespace
        self._places = places
        self._imports = imports
        self._unusable: set[str] = set()
        self.importing: RuntimeModule | None = None
        self.by_use: dict[Use, dict[str, Callable[[Any], Any]]] = {"handler": {}, "guard": {}}

    def load(self, modules: Iterable[RuntimeModule]) -> list[Diagnostic]:
        """Import each module once; every problem with them, a broken module told once."""
        problems = []
        for named in modules:
            if named.path not in self._unusable:
                self.importing = named
                problems += self._load(named)
        self.importing = None
        return problems

    def _load(self, named: RuntimeModule) -> list[Diagnostic]:
        try:
            module = self._namespace.import_module(named.path)
            function: Any = getattr(module, named.function, None)
        except BaseException as error:
            self._unusable.add(named.path)
            return [self._imports.report("module-import-failed", named.subject, error)]
        wrong = _wrong_shape(function)
        if wrong is None:
            self.by_use[named.use][named.runtime.runtime_id] = function
            return []
        return [self._unfit(named, module, function, wrong)]

    def _unfit(
        self, named: RuntimeModule, module: ModuleType, function: object, wrong: str
    ) -> Diagnostic:
        hint = None
        if function is None:
            near = _only_function(module, self._places)
            add = f"Add 'async def {named.function}(ctx): …'."
            hint = f"Rename {near!r} to {named.function!r}." if near else add
        return self._places.report(
            "runtime-function-invalid",
            f"{named.subject} {wrong.format(name=named.function)}.",
            function=function,
            file=named.path,
            hint=hint,
        )


def _wrong_shape(function: object) -> str | None:
    if function is None:
        return "has no function {name!r}"
    if not callable(function) or isinstance(function, type):
        return "has a {name!r} that is no function"
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        return "has a generator as {name!r}; it must return its result"
    try:
        inspect.signature(function).bind(None)
    except TypeError:
        return "has a {name!r} that cannot be called with the context as its only argument"
    except ValueError:  # a callable that does not tell its parameters
        return None
    return None


def _only_function(module: ModuleType, places: EntryPlaces) -> str | None:
    """The one public function that the module itself holds, if it is one."""
    own = [
        name
        for name, value in vars(module).items()
        if type(value) is FunctionType and not name.startswith("_") and places.owns(value)
    ]
    return own[0] if len(own) == 1 else None
