"""Problems as workflow commands, which GitHub shows as annotations at their lines."""

from collections.abc import Mapping
from typing import Final

from covel_host.diagnostics.diagnostic import Diagnostic, Severity
from covel_host.diagnostics.report import Report

_COMMANDS: Final[Mapping[Severity, str]] = {
    "error": "error",
    "warning": "warning",
    "info": "notice",
}
_DATA: Final = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY: Final = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def format_github(report: Report) -> str:
    """One workflow command for each problem; paths are relative to the folder of the report."""
    return "".join(f"{_command(found, report)}\n" for found in report.diagnostics)


def _command(found: Diagnostic, report: Report) -> str:
    properties = {"file": report.path(found.plugin, found.file).as_posix()} if found.file else {}
    span = found.span
    if span is not None:
        properties |= {"line": str(span.line), "endLine": str(span.end_line)}
        if span.line == span.end_line:
            # Columns are taken for a stretch inside one line only.
            properties |= {"col": str(span.column), "endColumn": str(span.end_column)}
    properties["title"] = f"{found.code} {found.name}"
    written = ",".join(f"{name}={value.translate(_PROPERTY)}" for name, value in properties.items())
    return f"::{_COMMANDS[found.severity]} {written}::{_text(found).translate(_DATA)}"


def _text(found: Diagnostic) -> str:
    said = found.message if found.file else f"{found.plugin}: {found.message}"
    return said if found.hint is None else f"{said}\n{found.hint}"
