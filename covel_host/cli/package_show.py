"""One package in full, as text for people and as JSON for programs."""

from collections.abc import Sequence
from typing import Any

from covel_host.cli.excerpts import texts_of
from covel_host.cli.output import counted, one_line, path_text, table
from covel_host.cli.package_facts import PackageFacts
from covel_host.cli.package_list import last_load_text, summary_json
from covel_host.diagnostics.diagnostic import Diagnostic
from covel_host.diagnostics.formats import as_json, format_full
from covel_host.manifest.reading import RuntimeReading
from covel_host.manifest.served import unserved_needs


def show_json(package: PackageFacts, hidden: Sequence[Diagnostic]) -> dict[str, object]:
    """Everything known of one package."""
    manifest = package.reading.manifest
    return {
        **summary_json(package),
        "displayName": None if manifest is None else manifest.display_name,
        "description": None if manifest is None else manifest.description,
        "trust": None if package.grant is None else package.grant.origin,
        "hasCode": package.has_code,
        "runtimes": [_runtime_json(runtime) for runtime in package.reading.runtimes],
        "contributes": _contributions(package),
        "tools": list(package.tools),
        "diagnostics": [as_json(found) for found in [*package.diagnostics, *hidden]],
    }


def show_text(package: PackageFacts, hidden: Sequence[Diagnostic]) -> str:
    """Facts, runtimes, contributions, then the problems with the lines they lie in."""
    parts = [
        f"{package.plugin_id}\n",
        table(_facts(package), indent="  "),
        _section("Runtimes", [_runtime_row(found) for found in package.reading.runtimes]),
        _section(
            "Contributes",
            [(name, ", ".join(items)) for name, items in _contributions(package).items()],
        ),
        _last_problems(package),
    ]
    problems = format_full([*package.diagnostics, *hidden], sources=texts_of(package.reading))
    return "".join(parts) + (f"\nProblems\n{problems}" if problems else "")


def _facts(package: PackageFacts) -> list[tuple[str, str]]:
    manifest = package.reading.manifest
    written = (
        []
        if manifest is None
        else [
            ("name", _text(manifest.display_name)),
            ("description", _text(manifest.description)),
            ("kind", manifest.kind),
            ("version", manifest.version),
        ]
    )
    rows = [
        *written,
        ("source", package.found.source),
        ("folder", path_text(package.found.root)),
        ("status", package.status),
        ("code", _code_text(package)),
        ("last load", last_load_text(package.last_load)),
        ("tools", ", ".join(package.tools)),
    ]
    return [(name, str(text)) for name, text in rows if text]


def _text(written: str | dict[str, str] | None) -> str:
    """A text of the manifest on one line, in English where it is written in several languages."""
    if not isinstance(written, str):
        from plugin_sdk.rules.i18n import resolve_i18n_text

        written = resolve_i18n_text(written or "", "en")
    return one_line(written, limit=200)


def _code_text(package: PackageFacts) -> str:
    if not package.has_code:
        return "none"
    if package.grant is None:
        return f"not trusted; allow it with --trust {package.plugin_id}"
    return (
        "runs: it is bundled"
        if package.grant.origin == "bundled"
        else (f"runs: trusted by {package.grant.origin}")
    )


def _runtime_json(runtime: RuntimeReading) -> dict[str, object]:
    manifest = runtime.manifest
    return {
        "id": runtime.runtime_id,
        "type": None if manifest is None else manifest.runtime_type,
        "trigger": None if manifest is None else manifest.schedule.trigger.type,
        "stage": None if manifest is None else manifest.schedule.stage,
        "notServed": [need.message for need in unserved_needs(runtime)],
    }


def _runtime_row(runtime: RuntimeReading) -> tuple[str, str, str, str]:
    manifest = runtime.manifest
    if manifest is None:
        return runtime.runtime_id, "-", "-", "cannot be read"
    needs = [need.path for need in unserved_needs(runtime)]
    trigger = manifest.schedule.trigger.type
    stage = f" in {manifest.schedule.stage}" if manifest.schedule.stage else ""
    state = f"cannot run yet, it uses {', '.join(needs)}" if needs else ""
    return runtime.runtime_id, manifest.runtime_type, f"{trigger}{stage}", state


def _contributions(package: PackageFacts) -> dict[str, list[str]]:
    """What the manifest lists, by group, in the spelling of the manifest."""
    manifest = package.reading.manifest
    if manifest is None:
        return {}
    written = manifest.contributes.model_dump(by_alias=True, exclude_unset=True, mode="json")
    return {name: _names(value) for name, value in written.items() if value}


def _names(value: Any) -> list[str]:
    if isinstance(value, dict):
        return list(value)
    return [item if isinstance(item, str) else _name(item) for item in value]


def _name(item: dict[str, Any]) -> str:
    for key in ("name", "id", "key", "topic", "event", "point"):
        if isinstance(item.get(key), str):
            return str(item[key])
    return "(unnamed)"


def _section(title: str, rows: Sequence[Sequence[str]]) -> str:
    return f"\n{title}\n{table(rows, indent='  ')}" if rows else ""


def _last_problems(package: PackageFacts) -> str:
    last = package.last_load
    if last is None or not last.problems or package.status == "loaded":
        return ""
    lines = "".join(f"  {one_line(problem, limit=400)}\n" for problem in last.problems)
    return f"\nThe last load found {counted(len(last.problems), 'problem')}\n{lines}"
