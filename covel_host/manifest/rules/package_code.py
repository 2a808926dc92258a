"""All rules on the code of a package, run together; a package without code costs nothing."""

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from covel_host.diagnostics.diagnostic import Diagnostic
from covel_host.diagnostics.source import SourceText
from covel_host.manifest.rules.facts import PackageFacts, RootFacts
from covel_host.manifest.rules.file_references import FileReference
from covel_host.manifest.rules.package_folder import PackageFolder
from covel_host.manifest.rules.rule import found_by

if TYPE_CHECKING:
    from covel_host.manifest.rules.code_modules import CodeModule, CodeModules

_CODE_USES: Final = ("handler", "guard", "projection")


def code_problems(
    facts: PackageFacts,
    named: Iterable[FileReference],
    folder: PackageFolder,
    sources: dict[str, SourceText],
) -> Iterator[Diagnostic]:
    """The problems of the entry, of handlers and guards; `sources` gets the texts they lie in."""
    code = _code_among(named)
    root = facts.root
    if root is not None and facts.package.entry is None and not _declares_code(root):
        root = None
    if code or root is not None:
        yield from _checked(root, code, folder, sources)


def named_code_problems(
    named: Iterable[FileReference], folder: PackageFolder
) -> Iterator[Diagnostic]:
    """The problems of handlers and guards alone: what an entry does is best told by running it."""
    code = _code_among(named)
    if code:
        yield from _checked(None, code, folder, {})


def _code_among(named: Iterable[FileReference]) -> list[FileReference]:
    return [reference for reference in named if reference.use in _CODE_USES]


def _checked(
    root: RootFacts | None,
    named: list[FileReference],
    folder: PackageFolder,
    sources: dict[str, SourceText],
) -> Iterator[Diagnostic]:
    """The problems of the modules in `named`, and of what `root` declares and its entry does."""
    # Imported here: most packages of prompts alone never need a syntax tree.
    from covel_host.manifest.rules import named_code, registrations
    from covel_host.manifest.rules.code_modules import CodeModules
    from covel_host.manifest.rules.entry_code import EntryFacts

    modules = CodeModules(folder)
    for reference in named:
        file = folder.file(reference.base, reference.written)
        if file.state == "file":
            module = named_code.NamedModule(reference, modules.module(file))
            yield from found_by(named_code.NAMED_RULES, module, reference.frontmatter)
    if root is not None:
        entry = EntryFacts(root, _entry(root, folder, modules), modules)
        yield from found_by(registrations.ENTRY_RULES, entry, root.frontmatter)
    frontmatter = named[0].frontmatter if root is None else root.frontmatter
    for looked_at in modules.looked_at():
        sources[looked_at.file.name] = looked_at.source
        yield from found_by(named_code.MODULE_RULES, looked_at, frontmatter)
        yield from found_by(registrations.MODULE_RULES, looked_at, frontmatter)


def _entry(root: RootFacts, folder: PackageFolder, modules: "CodeModules") -> "CodeModule | None":
    """The module of the entry, `None` without one that could be found."""
    entry = root.package.entry
    if entry is None:
        return None
    file = folder.file(root.package.root, os.path.relpath(entry, root.package.root))
    return modules.module(file) if file.state == "file" else None


def _declares_code(root: RootFacts) -> bool:
    contributes = root.contributes
    return bool(
        contributes.tools
        or contributes.actions
        or contributes.services
        or contributes.forms
        or contributes.extensions
        or contributes.wires
        or contributes.hooks
    )
