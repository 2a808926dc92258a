"""The formats problems are written in, by name; several can be written from one report."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, TypeAlias

from covel_host.diagnostics.diagnostic import Diagnostic
from covel_host.diagnostics.fixes import fixable
from covel_host.diagnostics.format_json import JSON_FORMAT_VERSION, as_json, format_json
from covel_host.diagnostics.format_text import format_concise, format_full
from covel_host.diagnostics.report import Report
from covel_host.diagnostics.source import SourceLookup

Writer: TypeAlias = Callable[[Report], str]
"""A format: the whole text for a report, ending with a line end."""


def summary_line(diagnostics: Sequence[Diagnostic], *, packages: int, noun: str = "package") -> str:
    """The counts in words, and what can be fixed: `2 errors in 3 packages; 1 fixable (--fix).`"""
    severities = [found.severity for found in diagnostics]
    where = _counted(packages, noun)
    counts = [
        _counted(severities.count(severity), noun)
        for severity, noun in (("error", "error"), ("warning", "warning"), ("info", "note"))
        if severity in severities
    ]
    if not counts:
        return f"No problems in {where}."
    repairs = fixable(diagnostics)
    tail = f"; {repairs:,} fixable (--fix)" if repairs else ""
    return f"{', '.join(counts)} in {where}{tail}."


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _full(report: Report) -> str:
    blocks = format_full(report.diagnostics, sources=report.sources, colour=report.colour)
    return f"{blocks}\n{_last_line(report)}" if blocks else _last_line(report)


def _concise(report: Report) -> str:
    return format_concise(report.diagnostics) + _last_line(report)


def _last_line(report: Report) -> str:
    line = summary_line(report.diagnostics, packages=report.packages, noun=report.noun)
    return f"{line}\n"


def _json(report: Report) -> str:
    return f"{format_json(report.diagnostics, packages=report.packages)}\n"


def _sarif(report: Report) -> str:
    # Imported here, as below: most runs print text.
    from covel_host.diagnostics.format_sarif import format_sarif

    return f"{format_sarif(report)}\n"


def _github(report: Report) -> str:
    from covel_host.diagnostics.format_github import format_github

    return format_github(report) + _last_line(report)


FORMATS: Final[Mapping[str, Writer]] = MappingProxyType(
    {
        "full": _full,
        "concise": _concise,
        "json": _json,
        "sarif": _sarif,
        "github": _github,
    }
)

__all__ = [
    "FORMATS",
    "JSON_FORMAT_VERSION",
    "Report",
    "SourceLookup",
    "Writer",
    "as_json",
    "format_concise",
    "format_full",
    "format_json",
    "summary_line",
]
