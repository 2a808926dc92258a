"""What checks of packages found, as reports, tables, differences and words about fixes."""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from covel_host.cli.output import counted, table
from covel_host.cli.validation import PackageCheck
from covel_host.diagnostics.diagnostic import Diagnostic
from covel_host.diagnostics.fixes import fixable
from covel_host.diagnostics.formats import FORMATS, Report, summary_line
from covel_host.diagnostics.source import SourceText

TABLE_FROM: Final = 2
"""Packages from which the full format ends with a table."""


@dataclass(frozen=True, slots=True)
class Checked:
    """All packages of one call, and the problems of the folders that hold them.

    `noun` is what is checked: a package, or a world.
    """

    around: tuple[Diagnostic, ...]
    packages: Sequence[PackageCheck]
    noun: str = "package"

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """Every problem, package by package."""
        return [*self.around, *(found for one in self.packages for found in one.diagnostics)]

    def report(self, *, colour: bool = False) -> Report:
        """The report that formats take.

        Two packages of one ID have neither excerpts nor paths in it: formats know a package by
        its ID, and the lines of the other one would mislead.
        """
        ids = Counter(one.plugin_id for one in self.packages)
        known = {one.plugin_id: one for one in self.packages if ids[one.plugin_id] == 1}

        def text(plugin: str, file: str) -> SourceText | None:
            found = known.get(plugin)
            return None if found is None else found.texts.get(file)

        return Report(
            self.diagnostics,
            packages=len(self.packages),
            sources=text,
            roots={plugin_id: one.root for plugin_id, one in known.items()},
            base=Path.cwd(),
            colour=colour,
            noun=self.noun,
        )


def report_text(checked: Checked, style: str, *, colour: bool = False) -> str:
    """The report in the format `style`; the full one of several packages has a table."""
    report = checked.report(colour=colour)
    text = FORMATS[style](report)
    if style != "full" or len(checked.packages) < TABLE_FROM or not report.diagnostics:
        return text
    counts = summary_line(report.diagnostics, packages=report.packages, noun=report.noun)
    last = f"{counts}\n"
    return f"{text.removesuffix(last)}{_summary_table(checked)}\n{last}"


def _summary_table(checked: Checked) -> str:
    """One line for each package with problems, and how many have none."""
    rows: list[tuple[str, ...]] = [(checked.noun.upper(), "ERRORS", "WARNINGS", "NOTES", "FIXABLE")]
    for one in checked.packages:
        if one.diagnostics:
            counts = Counter(found.severity for found in one.diagnostics)
            numbers = (counts["error"], counts["warning"], counts["info"])
            cells = [str(number) for number in (*numbers, fixable(one.diagnostics))]
            rows.append((one.plugin_id, *cells))
    clean = len(checked.packages) - (len(rows) - 1)
    rest = f"{counted(clean, checked.noun)} without problems.\n" if clean else ""
    return (table(rows) if len(rows) > 1 else "") + rest


def difference(checked: Checked) -> str:
    """What fixing would change, as one unified difference with paths from the working folder."""
    from covel_host.diagnostics.fix_diff import diff_text

    return "".join(
        diff_text(one.plan, path=partial(_from_here, one.root))
        for one in checked.packages
        if one.plan is not None
    )


def _from_here(root: Path, _plugin: str, file: str) -> str:
    return f"{os.path.relpath(root)}/{file}".replace(os.sep, "/")


def fix_lines(packages: Sequence[PackageCheck]) -> Iterator[str]:
    """What was fixed and what could not be written, a line each; nothing without fixes."""
    fixed = [found for one in packages if one.outcome for found in one.outcome.fixed]
    if fixed:
        yield f"Fixed {counted(len(fixed), 'problem')}:"
    for found in fixed:
        line = "" if found.line is None else f":{found.line}:{found.column}"
        done = "" if found.fix is None else f": {found.fix.title}"
        yield f"  {found.plugin}/{found.file}{line}: {found.name}{done}"
    for one in packages:
        for missed in one.outcome.not_written if one.outcome else ():
            yield f"Not fixed: {missed.change.plugin}/{missed.change.file}: {missed.reason}."
