"""Problems as one JSON document for programs."""

from collections.abc import Sequence
from typing import Final

from covel_host.base.json_text import dump_json
from covel_host.diagnostics.diagnostic import Diagnostic, Fix, Related, Span
from covel_host.diagnostics.fixes import fixable

JSON_FORMAT_VERSION: Final = 1


def format_json(diagnostics: Sequence[Diagnostic], *, packages: int) -> str:
    """The validator's JSON (spec/decisions.md, "Field paths and the validator's JSON").

    `packages` is the number of packages that were looked at, those without problems included.
    """
    severities = [found.severity for found in diagnostics]
    document = {
        "version": JSON_FORMAT_VERSION,
        "diagnostics": [as_json(diagnostic) for diagnostic in diagnostics],
        "summary": {
            "packages": packages,
            "errors": severities.count("error"),
            "warnings": severities.count("warning"),
            "fixable": fixable(diagnostics),
        },
    }
    return dump_json(document)


def as_json(diagnostic: Diagnostic) -> dict[str, object]:
    """One problem in the validator's JSON; `hint`, `related` and `fix` only where there are some.

    `fix` is `{title, edits, rename?}`: each edit replaces a stretch of a file, `rename` is the new
    name of a file (docs/validator-output.md).
    """
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
    if diagnostic.fix is not None:
        members["fix"] = _fix_json(diagnostic.fix)
    return members


def _fix_json(fix: Fix) -> dict[str, object]:
    members: dict[str, object] = {
        "title": fix.title,
        "edits": [
            {"file": edit.file, **_span_json(edit.span), "replacement": edit.replacement}
            for edit in fix.edits
        ],
    }
    if fix.rename is not None:
        members["rename"] = {"from": fix.rename.file, "to": fix.rename.new_file}
    return members


def _span_json(span: Span | None) -> dict[str, object]:
    return {
        "line": None if span is None else span.line,
        "column": None if span is None else span.column,
        "endLine": None if span is None else span.end_line,
        "endColumn": None if span is None else span.end_column,
    }


def _related_json(related: Related) -> dict[str, object]:
    return {"message": related.message, "file": related.file, **_span_json(related.span)}
