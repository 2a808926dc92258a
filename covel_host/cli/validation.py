"""One package checked without running its code, and mended where that was asked for."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from covel_host.diagnostics.codes import CODES_BY_NAME
from covel_host.diagnostics.diagnostic import Diagnostic, in_order
from covel_host.diagnostics.fixes import FixPlan, fixable
from covel_host.diagnostics.source import SourceText
from covel_host.manifest.reading import PackageReading
from covel_host.manifest.served import unserved_contributions
from covel_host.manifest.validation import Validation, validate_folder

if TYPE_CHECKING:
    from covel_host.diagnostics.fix_files import FixOutcome

Fixing: TypeAlias = Literal["none", "plan", "write"]
"""What becomes of fixes: nothing, only said what they would change, or made."""

_NOT_LOADED: Final = "The manifest is right; this version does not load the package."


@dataclass(frozen=True, slots=True)
class PackageCheck:
    """What was found in one package; small, since it crosses from one process to another.

    `texts` are the files that problems lie in. `plan` is what fixing would change, `outcome` what
    it did change; each is `None` unless it was asked for and there was something to fix.
    """

    plugin_id: str
    root: Path
    diagnostics: tuple[Diagnostic, ...]
    texts: Mapping[str, SourceText] = field(repr=False)
    plan: FixPlan | None = None
    outcome: "FixOutcome | None" = None


def check_package(root: Path, *, fixing: Fixing = "none") -> PackageCheck:
    """Everything that is wrong with the package at `root`, what this host lacks for it included.

    With `fixing="write"` it is what is left after the fixes.
    """
    validation, plan, outcome = validate_folder(root), None, None
    if fixing != "none" and fixable(validation.diagnostics):
        # Imported here: most packages have nothing to fix.
        from covel_host.manifest.package_fixes import fix_package, plan_package

        if fixing == "plan":
            plan = plan_package(validation)
        else:
            outcome = fix_package(root)
            validation = validate_folder(root)
    found = in_order([*validation.diagnostics, *host_problems(validation.reading)])
    plugin_id = validation.reading.plugin_id
    return PackageCheck(plugin_id, root, found, _texts(validation, found), plan, outcome)


def host_problems(reading: PackageReading) -> Iterator[Diagnostic]:
    """What of a package this host and this environment do not have.

    What this version does not serve yet is a note: the package is not at fault, and loading or
    running it says so again.
    """
    manifest = reading.manifest
    if manifest is not None and (manifest.covel or manifest.python):
        # Imported here: few packages state such needs.
        from covel_host.catalog.requirements import unmet_requirements

        yield from unmet_requirements(reading)
    note = CODES_BY_NAME["not-served-yet"]
    for found in unserved_contributions(reading):
        if found.name == note.name:
            yield found
            continue
        yield replace(
            found,
            code=note.code,
            name=note.name,
            severity=note.severity,
            blocks_loading=note.blocks_loading,
            hint=_NOT_LOADED,
        )


def _texts(validation: Validation, found: Iterable[Diagnostic]) -> dict[str, SourceText]:
    files = {problem.file for problem in found}
    files |= {related.file for problem in found for related in problem.related}
    texts = ((file, validation.source(file)) for file in sorted(files))
    return {file: text for file, text in texts if text is not None}
