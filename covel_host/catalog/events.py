"""The domain events that a package declares, with their compiled payload schemas."""

from collections.abc import Mapping
from dataclasses import dataclass

from covel_host.catalog.schema_files import SchemaFileUnusable, compile_schema_file
from covel_host.catalog.sources import PackageSources
from covel_host.diagnostics.diagnostic import Diagnostic, dotted
from covel_host.manifest.layout import ROOT_MANIFEST
from covel_host.manifest.reading import PackageReading
from covel_host.schemas.compiled import CompiledSchema
from plugin_sdk.rules.i18n import resolve_i18n_text


@dataclass(frozen=True, slots=True)
class LoadedEvent:
    """One entry of `contributes.events` (spec/manifest.md 4.8).

    An event that is not `is_advertised` is internal: no agent emits it, and no list names it.
    """

    topic: str
    description: str
    is_advertised: bool
    payload: CompiledSchema


def compile_events(
    reading: PackageReading, sources: PackageSources
) -> tuple[Mapping[str, LoadedEvent], list[Diagnostic]]:
    """The declared events by topic, and what is wrong with their schema files."""
    top, manifest = reading.files.get(ROOT_MANIFEST), reading.manifest
    events: dict[str, LoadedEvent] = {}
    problems: list[Diagnostic] = []
    if top is None or manifest is None:
        return events, problems
    for index, event in enumerate(manifest.contributes.events):
        try:
            payload = compile_schema_file(
                sources, event.schema_path, root=reading.root, base=reading.root
            )
        except SchemaFileUnusable as problem:
            path = ("contributes", "events", index, "schema")
            message = f"`{dotted(path)}` is {event.schema_path!r}: {problem.message}"
            problems.append(top.report(problem.name, message, path=path))
        else:
            # A model reads English; a map of languages is what the loader still takes.
            description = resolve_i18n_text(event.description, "en").strip()
            events[event.topic] = LoadedEvent(event.topic, description, event.advertise, payload)
    return events, problems
