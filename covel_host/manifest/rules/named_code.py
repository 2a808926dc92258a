"""Modules that manifests name can be read and hold the function they are named for
(spec/manifest.md 7; spec/decisions.md 1)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from covel_host.diagnostics.diagnostic import Span
from covel_host.manifest.rules.code_modules import CodeModule
from covel_host.manifest.rules.file_references import FileReference
from covel_host.manifest.rules.module_view import ModuleView
from covel_host.manifest.rules.rule import FileProblem, Problem, Rule, field, rule

_FUNCTIONS: Final = {"handler": "handle", "guard": "guard"}


@dataclass(frozen=True, slots=True)
class NamedModule:
    """A module that a manifest names."""

    reference: FileReference
    module: CodeModule


@rule("6.3.11", "python-syntax", "A module that is named is Python.")
def python_syntax(module: CodeModule) -> Iterator[FileProblem]:
    error = module.error
    if error is None:
        return
    span = None
    if error.lineno:
        column = max(error.offset or 1, 1)
        end = error.end_offset or 0
        last = end if error.end_lineno == error.lineno and end > column else column + 1
        span = Span(error.lineno, column, error.lineno, last)
    said = (error.msg or "it cannot be parsed").rstrip(".")
    yield FileProblem(
        module.file.name,
        span,
        f"{module.file.name} is not Python that this interpreter reads: {said}.",
        "Correct the module; nothing of it can be imported before.",
    )


@rule("7", "function-not-found", "A handler's module has `handle`, a guard's module `guard`.")
def function_missing(named: NamedModule) -> Iterator[Problem]:
    wanted = _FUNCTIONS.get(named.reference.use)
    view = named.module.view
    if wanted is None or view is None or view.open or wanted in view.bound:
        return
    path = named.reference.path
    yield Problem(
        path,
        f"{field(path)} is {named.reference.written!r}, and the module has no function {wanted!r}.",
        _rename_hint(view, wanted),
    )


def _rename_hint(view: ModuleView, wanted: str) -> str:
    functions = [found.name for found in view.definitions if not found.name.startswith("_")]
    if len(functions) == 1:
        return f"Rename {functions[0]!r} to {wanted!r}."
    return f"Add 'async def {wanted}(ctx): …'."


MODULE_RULES: Final[tuple[Rule[CodeModule], ...]] = (python_syntax,)
NAMED_RULES: Final[tuple[Rule[NamedModule], ...]] = (function_missing,)
