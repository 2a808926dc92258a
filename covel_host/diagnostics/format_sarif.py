"""Problems as SARIF 2.1.0, which code hosts and editors read."""

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any, Final
from urllib.parse import quote

from covel_host import __version__
from covel_host.base.json_text import dump_json
from covel_host.diagnostics.codes import CODES_BY_NAME, CodeInfo
from covel_host.diagnostics.diagnostic import Diagnostic, Fix, Related, Severity, Span
from covel_host.diagnostics.report import Report

SARIF_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS: Final[Mapping[Severity, str]] = {"error": "error", "warning": "warning", "info": "note"}
# A name for "the folder the run started in", which the reader binds to its checkout.
_BASE: Final = "SRCROOT"


def format_sarif(report: Report) -> str:
    """The whole SARIF log as JSON; one run, with the rules that its results name.

    Columns count code points. A fix that renames a file has no form in SARIF and is left out.
    """
    rules = _rules(report.diagnostics)
    index = {info.name: place for place, info in enumerate(rules)}
    run = {
        "tool": {
            "driver": {
                "name": "covel",
                "version": __version__,
                "semanticVersion": __version__,
                "rules": [_rule(info) for info in rules],
            }
        },
        "columnKind": "unicodeCodePoints",
        "results": [_result(found, index[found.name], report) for found in report.diagnostics],
    }
    return dump_json({"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]})


def _rules(diagnostics: Sequence[Diagnostic]) -> list[CodeInfo]:
    names = {found.name for found in diagnostics}
    return sorted((CODES_BY_NAME[name] for name in names), key=lambda info: info.code)


def _rule(info: CodeInfo) -> dict[str, Any]:
    help_text = f"{info.documentation}\n\ncovel explain {info.code} says more."
    return {
        "id": info.code,
        "name": info.name,
        "shortDescription": {"text": info.name.replace("-", " ")},
        "fullDescription": {"text": info.documentation},
        "help": {"text": help_text},
        "defaultConfiguration": {"level": _LEVELS[info.severity]},
        "properties": {"blocksLoading": info.blocks_loading, "since": info.since},
    }


def _result(found: Diagnostic, rule: int, report: Report) -> dict[str, Any]:
    said = found.message if found.hint is None else f"{found.message} {found.hint}"
    location: dict[str, Any] = {
        "physicalLocation": _place(found.plugin, found.file, found.span, report)
    }
    if found.path:
        location["logicalLocations"] = [{"fullyQualifiedName": found.path, "kind": "member"}]
    result: dict[str, Any] = {
        "ruleId": found.code,
        "ruleIndex": rule,
        "level": _LEVELS[found.severity],
        "message": {"text": said},
        "locations": [location],
    }
    related = [
        _related(place, number, found.plugin, report)
        for number, place in enumerate((r for r in found.related if r.file), start=1)
    ]
    if related:
        result["relatedLocations"] = related
    if found.fix is not None and found.fix.edits:
        result["fixes"] = [_fix(found.fix, found.plugin, report)]
    return result


def _related(related: Related, number: int, plugin: str, report: Report) -> dict[str, Any]:
    return {
        "id": number,
        "message": {"text": related.message},
        "physicalLocation": _place(plugin, related.file, related.span, report),
    }


def _fix(fix: Fix, plugin: str, report: Report) -> dict[str, Any]:
    files = list(dict.fromkeys(edit.file for edit in fix.edits))
    return {
        "description": {"text": f"{fix.title}."},
        "artifactChanges": [
            {
                "artifactLocation": _artifact(plugin, file, report),
                "replacements": [
                    {
                        "deletedRegion": _region(edit.span),
                        "insertedContent": {"text": edit.replacement},
                    }
                    for edit in fix.edits
                    if edit.file == file
                ],
            }
            for file in files
        ],
    }


def _place(plugin: str, file: str, span: Span | None, report: Report) -> dict[str, Any]:
    place = {"artifactLocation": _artifact(plugin, file, report)}
    if span is not None:
        place["region"] = _region(span)
    return place


def _region(span: Span) -> dict[str, Any]:
    return {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }


def _artifact(plugin: str, file: str, report: Report) -> dict[str, Any]:
    path = report.path(plugin, file)
    if path.is_absolute():
        return {"uri": path.as_uri()}
    # A package as a whole is its folder, and the address of a folder ends with a slash.
    uri = f"{_uri(path)}/" if not file else _uri(path)
    return {"uri": uri, "uriBaseId": _BASE}


def _uri(path: PurePath) -> str:
    return quote(path.as_posix())
