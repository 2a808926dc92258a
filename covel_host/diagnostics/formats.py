"""Problems as text for a terminal, as one line each, and as JSON for programs."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from covel_host.base.json_text import dump_json
from covel_host.diagnostics.diagnostic import Diagnostic, Related, Span
from covel_host.diagnostics.excerpt import excerpt_lines
from covel_host.diagnostics.source import SourceText

SourceLookup: TypeAlias = Callable[[str, str], SourceText | None]
"""From plugin and file to the text of that file, `None` where it is not at hand."""

JSON_FORMAT_VERSION = 1


def format_full(diagnostics: Iterable[Diagnostic], *, sources: SourceLookup) -> str:
    """Each problem as a block with the lines it lies in and a caret; blank lines between blocks.

    Empty text without problems; otherwise it ends with a line end.
    """
    blocks = [_block(diagnostic, sources) for diagnostic in diagnostics]
    return "\n".join(blocks)


def format_concise(diagnostics: Iterable[Diagnostic]) -> str:
    """One line for each problem: `place: severity CODE name: message`, for editors and `grep`."""
    lines = []
    for found in diagnostics:
        place = _place(found.plugin, found.file, found.span)
        said = " ".join(found.message.split())
        lines.append(f"{place}: {found.severity} {found.code} {found.name}: {said}\n")
    return "".join(lines)


def format_json(diagnostics: Sequence[Diagnostic], *, packages: int) -> str:
    """The validator's JSON (spec/decisions.md, "Field paths and the validator's JSON").

    `packages` is the number of packages that were looked at, those without problems included.
    """
    document = {
        "version": JSON_FORMAT_VERSION,
        "diagnostics": [as_json(diagnostic) for diagnostic in diagnostics],
        "summary": {
            "packages": packages,
            "errors": _count(diagnostics, "error"),
            "warnings": _count(diagnostics, "warning"),
            "fixable": 0,
        },
    }
    return dump_json(document)


def as_json(diagnostic: Diagnostic) -> dict[str, object]:
    """One problem in the validator's JSON; `hint` and `related` only where there are some."""
    members: dict[str, object] = {
        "code": diagnostic.code,
        "name": diagnostic.name,
        "severity": diagnostic.severity,
        "plugin": diagnostic.plugin,
        "file": diagnostic.file,
        **_span_json(diagnostic.span),
        "path": diagnostic.path,
        "message": diagnostic.message,
    }
    if diagnostic.hint is not None:
        members["hint"] = diagnostic.hint
    if diagnostic.related:
        members["related"] = [_related_json(related) for related in diagnostic.related]
    return members


def summary_line(diagnostics: Sequence[Diagnostic], *, packages: int) -> str:
    """The counts in words, such as `2 errors, 1 warning in 3 packages.`"""
    errors, warnings = _count(diagnostics, "error"), _count(diagnostics, "warning")
    where = _counted(packages, "package")
    if not errors and not warnings:
        return f"No problems in {where}."
    parts = [_counted(errors, "error")] if errors else []
    parts += [_counted(warnings, "warning")] if warnings else []
    return f"{', '.join(parts)} in {where}."


def _block(found: Diagnostic, sources: SourceLookup) -> str:
    lines = [f"{found.severity}[{found.code}] {found.name}: {found.message}"]
    lines.append(f"  --> {_place(found.plugin, found.file, found.span)}")
    lines += excerpt_lines(sources(found.plugin, found.file), found.span)
    for related in found.related:
        lines.append(f"  related: {related.message}")
        if related.file:
            lines.append(f"  --> {_place(found.plugin, related.file, related.span)}")
        lines += excerpt_lines(sources(found.plugin, related.file), related.span)
    if found.path:
        lines.append(f"  field: {found.path}")
    if found.hint is not None:
        lines.append(f"  help: {found.hint}")
    return "".join(f"{line}\n" for line in lines)


def _place(plugin: str, file: str, span: Span | None) -> str:
    place = f"{plugin}/{file}" if plugin and file else plugin or file or "."
    return place if span is None else f"{place}:{span.line}:{span.column}"


def _span_json(span: Span | None) -> dict[str, object]:
    return {
        "line": None if span is None else span.line,
        "column": None if span is None else span.column,
        "endLine": None if span is None else span.end_line,
        "endColumn": None if span is None else span.end_column,
    }


def _related_json(related: Related) -> dict[str, object]:
    return {"message": related.message, "file": related.file, **_span_json(related.span)}


def _count(diagnostics: Sequence[Diagnostic], severity: str) -> int:
    return sum(1 for diagnostic in diagnostics if diagnostic.severity == severity)


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
