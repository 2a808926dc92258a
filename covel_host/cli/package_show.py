"""One package in full, as text for people and as JSON for programs."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from covel_host.catalog.excerpt_texts import texts_of
from covel_host.cli.output import counted, one_line, path_text, table
from covel_host.cli.package_contributions import (
    Declared,
    Place,
    declarations,
    declared_names,
    place_text,
)
from covel_host.cli.package_facts import PackageFacts
from covel_host.cli.package_list import last_load_text, summary_json
from covel_host.cli.package_needs import python_needs
from covel_host.diagnostics.diagnostic import Diagnostic
from covel_host.diagnostics.formats import as_json, format_full
from covel_host.manifest.reading import RuntimeReading

if TYPE_CHECKING:
    from covel_host.cli.package_registrations import HookFacts, Registered


def show_json(package: PackageFacts, hidden: Sequence[Diagnostic]) -> dict[str, object]:
    """Everything known of one package."""
    manifest = package.reading.manifest
    return {
        **summary_json(package),
        "displayName": None if manifest is None else manifest.display_name,
        "description": None if manifest is None else manifest.description,
        "trust": None if package.grant is None else package.grant.origin,
        "trustState": package.trust,
        "contentHash": package.content_hash,
        "hasCode": package.has_code,
        "python": _python_json(package),
        "runtimes": [_runtime_json(runtime) for runtime in package.reading.runtimes],
        "contributes": declared_names(package.reading),
        "tools": list(package.tools),
        "declared": [_placed(found) for found in declarations(package.reading)],
        "registered": [_placed(found) for found in package.registered],
        "hooks": [_hook_json(hook) for hook in package.hooks],
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
            [(name, ", ".join(items)) for name, items in declared_names(package.reading).items()],
        ),
        _section("Places", _place_rows(package)),
        _section("Hooks, in the order of their calls", [_hook_row(hook) for hook in package.hooks]),
        _section("Python needs", _python_rows(package)),
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
        ("content", package.content_hash or ""),
        ("code", _code_text(package)),
        ("trust", "" if not package.has_code else package.trust),
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
        return f"not trusted; allow it with --trust {package.plugin_id}: {package.refusal}"
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
    }


def _runtime_row(runtime: RuntimeReading) -> tuple[str, str, str, str]:
    manifest = runtime.manifest
    if manifest is None:
        return runtime.runtime_id, "-", "-", "cannot be read"
    trigger = manifest.schedule.trigger.type
    stage = f" in {manifest.schedule.stage}" if manifest.schedule.stage else ""
    return runtime.runtime_id, manifest.runtime_type, f"{trigger}{stage}", ""


def _placed(found: "Declared | Registered") -> dict[str, object]:
    return {"group": found.group, "name": found.name, "place": _place_json(found.place)}


def _place_json(place: Place | None) -> dict[str, object] | None:
    return None if place is None else {"file": place[0], "line": place[1]}


def _place_rows(package: PackageFacts) -> list[tuple[str, str, str, str]]:
    """Each contribution with its declaration and, once the package is loaded, its registration."""
    rows = []
    for found in declarations(package.reading):
        same = (found.group, found.name)
        at = [each.place for each in package.registered if (each.group, each.name) == same]
        registered = ", ".join(place_text(place) for place in dict.fromkeys(at)) or "-"
        rows.append((found.group, found.name, place_text(found.place), registered))
    return [("GROUP", "NAME", "DECLARED", "REGISTERED"), *rows] if rows else []


def _hook_json(hook: "HookFacts") -> dict[str, object]:
    return {
        "event": hook.event,
        "function": hook.function,
        "order": hook.order,
        "timeoutMs": hook.timeout_ms,
        "place": _place_json(hook.place),
    }


def _hook_row(hook: "HookFacts") -> tuple[str, str, str, str]:
    return hook.event, hook.order, hook.function, place_text(hook.place)


def _python_json(package: PackageFacts) -> list[dict[str, object]]:
    return [
        {"need": text, "isMet": wrong is None, "problem": wrong}
        for text, wrong in python_needs(package.reading)
    ]


def _python_rows(package: PackageFacts) -> list[tuple[str, str]]:
    return [
        (text, "met" if wrong is None else wrong) for text, wrong in python_needs(package.reading)
    ]


def _section(title: str, rows: Sequence[Sequence[str]]) -> str:
    return f"\n{title}\n{table(rows, indent='  ')}" if rows else ""


def _last_problems(package: PackageFacts) -> str:
    last = package.last_load
    if last is None or not last.problems or package.status == "loaded":
        return ""
    lines = "".join(f"  {one_line(problem, limit=400)}\n" for problem in last.problems)
    return f"\nThe last load found {counted(len(last.problems), 'problem')}\n{lines}"
