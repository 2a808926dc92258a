"""The list of packages as text for people and as JSON for programs."""

from covel_host.catalog.load_results import LoadResult
from covel_host.cli.output import one_line, path_text, table
from covel_host.cli.package_facts import FoundFacts, PackageFacts
from covel_host.settings import Settings

_HEAD = ("ID", "KIND", "VERSION", "SOURCE", "STATUS", "PROBLEMS", "LAST LOAD")


def list_json(facts: FoundFacts) -> dict[str, object]:
    """`{packages, disabled, diagnostics}`; the diagnostics are those of the folders."""
    return {
        "packages": [summary_json(package) for package in facts.packages],
        "disabled": [
            {"id": found.plugin_id, "source": found.source, "path": path_text(found.root)}
            for found in facts.disabled
        ],
        "diagnostics": _diagnostics_json(facts),
    }


def list_text(facts: FoundFacts, settings: Settings) -> str:
    """One line per package, then what is wrong with the folders."""
    if not facts.packages:
        folders = "".join(f"  {path_text(folder.path)}\n" for folder in settings.folders)
        return f"No packages were found in:\n{folders}{_rest_text(facts)}"
    rows = [_HEAD, *(_row(package) for package in facts.packages)]
    return table(rows) + _rest_text(facts)


def summary_json(package: PackageFacts) -> dict[str, object]:
    """What a list tells of one package."""
    manifest = package.reading.manifest
    return {
        "id": package.plugin_id,
        "kind": None if manifest is None else manifest.kind,
        "version": None if manifest is None else manifest.version,
        "source": package.found.source,
        "path": path_text(package.found.root),
        "status": package.status,
        "problems": {
            "errors": package.count("error"),
            "warnings": package.count("warning"),
        },
        "lastLoad": _last_json(package.last_load),
    }


def _last_json(last: LoadResult | None) -> dict[str, object] | None:
    if last is None:
        return None
    return {
        "status": last.status,
        "durationMs": last.duration_ms,
        "problems": list(last.problems),
    }


def _row(package: PackageFacts) -> tuple[str, ...]:
    manifest = package.reading.manifest
    return (
        package.plugin_id,
        "-" if manifest is None else manifest.kind,
        "-" if manifest is None else manifest.version,
        package.found.source,
        package.status,
        str(package.count("error") + package.count("warning")),
        last_load_text(package.last_load),
    )


def last_load_text(last: LoadResult | None) -> str:
    """The last load in a few words."""
    if last is None:
        return "never"
    if last.status == "loaded":
        return f"loaded in {last.duration_ms} ms"
    return f"failed: {one_line(last.problems[0], limit=200)}" if last.problems else "failed"


def _diagnostics_json(facts: FoundFacts) -> list[dict[str, object]]:
    if not facts.diagnostics:
        return []
    # Imported here, as below: most lists need it not.
    from covel_host.diagnostics.formats import as_json

    return [as_json(found) for found in facts.diagnostics]


def _rest_text(facts: FoundFacts) -> str:
    disabled = "".join(
        f"Disabled: {found.plugin_id} in {path_text(found.folder)}\n" for found in facts.disabled
    )
    return disabled + _diagnostics_text(facts)


def _diagnostics_text(facts: FoundFacts) -> str:
    if not facts.diagnostics:
        return ""
    from covel_host.diagnostics.formats import format_concise

    return format_concise(facts.diagnostics)
