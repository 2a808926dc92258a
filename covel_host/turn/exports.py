"""Committed inputs of a run: what earlier executions recorded, as this one found it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from covel_host.catalog.catalog import Catalog
from covel_host.catalog.generation import Generation
from covel_host.manifest.runtime_io import ContractSource, Input, RuntimeSource
from covel_host.manifest.runtime_manifest import RuntimeManifest
from covel_host.runtime.prompt_inputs import BoundValue, InputBinding
from covel_host.schemas.compiled import CompiledSchema
from covel_host.store.exports import get_export
from covel_host.store.records import SessionRecord
from covel_host.store.transaction import Reading


@dataclass(frozen=True, slots=True)
class ExportSource:
    """One runtime whose export may fill a slot; `schema` is its output schema as loaded now."""

    runtime_id: str
    schema: CompiledSchema | None


@dataclass(frozen=True, slots=True)
class WantedExport:
    """One committed input of a runtime: whose export of which name, one value or all."""

    name: str
    sources: tuple[ExportSource, ...]
    is_list: bool = False


def wanted_exports(
    manifest: RuntimeManifest, catalog: Catalog, session: SessionRecord
) -> dict[str, WantedExport]:
    """The committed inputs of a runtime by slot; sources are in the order of the runtimes' IDs.

    Asked are the runtimes of the session's packages that record under that name now.
    """
    wanted = {
        slot: source
        for slot, source in manifest.io.inputs.items()
        if source.scope == "committed" and source.record_as is not None
    }
    if not wanted:
        return {}
    generations = [
        generation
        for generation in catalog.generations()
        if generation.plugin_id in session.active_packages
    ]
    return {slot: _wanted(source, generations) for slot, source in wanted.items()}


def read_exports(
    reading: Reading, session: SessionRecord, wanted: Mapping[str, WantedExport]
) -> dict[str, InputBinding]:
    """The newest exports of the session's revision; a slot without a usable one is left out.

    An export that no longer fits the schema of its producer, such as one of an older version of
    the package, is not used (spec/manifest.md 12.2).
    """
    bindings = {}
    for slot, export in wanted.items():
        values = tuple(_values(reading, session, export))
        if values:
            bindings[slot] = InputBinding(
                values if export.is_list else values[:1], is_list=export.is_list
            )
    return bindings


def _wanted(wanted: Input, generations: list[Generation]) -> WantedExport:
    assert wanted.record_as is not None
    sources = (
        ExportSource(runtime_id, schemas.output)
        for generation in generations
        for runtime_id, schemas in generation.schemas.items()
        if _records(generation, runtime_id, wanted)
    )
    source = wanted.source
    return WantedExport(
        wanted.record_as,
        tuple(sorted(sources, key=lambda found: found.runtime_id)),
        is_list=isinstance(source, ContractSource) and source.cardinality == "all",
    )


def _records(generation: Generation, runtime_id: str, wanted: Input) -> bool:
    runtime = generation.runtime(runtime_id)
    if runtime is None or runtime.manifest is None:
        return False
    output = runtime.manifest.io.output
    if output.record_as != wanted.record_as:
        return False
    if isinstance(wanted.source, RuntimeSource):
        return runtime_id == wanted.source.runtime
    return isinstance(wanted.source, ContractSource) and output.contract == wanted.source.contract


def _values(reading: Reading, session: SessionRecord, wanted: WantedExport) -> Iterator[BoundValue]:
    for source in wanted.sources:
        record = get_export(
            reading,
            session.session_id,
            source.runtime_id,
            wanted.name,
            revision=session.revision,
        )
        if record is None or (source.schema and not source.schema.accepts(record.value)):
            continue
        yield BoundValue(record.value, source.runtime_id)
