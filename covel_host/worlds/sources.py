"""The sources of a pack: those of its descriptor, or the files that lie where they usually lie.

Spec/world.md 7.1, 7.3, 7.4.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from covel_host.diagnostics.codes import report
from covel_host.diagnostics.diagnostic import Diagnostic
from covel_host.diagnostics.near_names import nearest
from covel_host.diagnostics.yaml_nodes import Path
from covel_host.worlds.descriptor import (
    DIMENSIONS_SCHEMA,
    SourceEntry,
    Target,
    TargetError,
    contract_of,
    parse_target,
)
from covel_host.worlds.installed import Installed
from covel_host.worlds.pack_file import PackFile
from covel_host.worlds.reading import PackReading

CONVENTIONS: Final = (
    ("dimensions", "data/dimensions.yaml", "world:metadata.dimensions"),
    ("lorebook", "data/lorebook.yaml", "lorebook"),
    ("characters", "characters/characters.json", "characters"),
)
"""What is read of a pack without a descriptor: source ID, path, target."""


@dataclass(frozen=True, slots=True)
class Source:
    """One source with its target; `declared` is its place in the descriptor, if it has one."""

    source_id: str
    entry: SourceEntry
    target: Target
    declared: tuple[PackFile, Path] | None
    world_id: str

    @property
    def is_hidden(self) -> bool:
        """Whether its records are kept from players and models."""
        return self.entry.visibility == "hidden"

    @property
    def held(self) -> str:
        """What it holds, for messages."""
        return "files" if self.target.kind == "media" else "records"

    @property
    def target_field(self) -> str:
        """The field that names the contract its receivers take."""
        return "indexTo" if self.target.kind == "media" else "to"

    def report(
        self, name: str, message: str, *fields: str | int, hint: str | None = None
    ) -> Diagnostic:
        """A problem of the source, at the named one of its fields."""
        if self.declared is None:
            return report(name, message, plugin=self.world_id, file=self.entry.path, hint=hint)
        file, path = self.declared
        return file.report(name, message, path=(*path, *fields), hint=hint)


def pack_sources(
    reading: PackReading, installed: Installed
) -> tuple[list[Source], list[Diagnostic]]:
    """The enabled sources in the order in which they are imported, and what is wrong with them."""
    if reading.manifest is None:
        return [], []
    if reading.has_descriptor:
        if reading.descriptor is None:
            return [], []
        data, file = reading.descriptor
        found = list(_declared(data.sources, file, reading.world_id))
    else:
        found = list(_conventional(reading, installed))
    problems = [problem for item in found if isinstance(item, list) for problem in item]
    sources = [item for item in found if isinstance(item, Source)]
    declared = () if reading.descriptor is None else tuple(reading.descriptor[0].sources)
    ordered, order_problems = _in_order(sources, declared)
    return ordered, [*problems, *order_problems]


def _declared(
    entries: dict[str, SourceEntry], file: PackFile, world_id: str
) -> Iterator[Source | list[Diagnostic]]:
    for source_id, entry in entries.items():
        path: Path = ("sources", source_id)
        try:
            target = parse_target(entry.to)
        except TargetError as error:
            message = f"The source {source_id!r}: {error}."
            yield [file.report("world-target", message, path=(*path, "to"), hint=error.hint)]
            continue
        source = Source(source_id, entry, target, (file, path), world_id)
        problems = list(_source_problems(source))
        if problems:
            yield problems
        elif entry.enabled:
            yield source


def _source_problems(source: Source) -> Iterator[Diagnostic]:
    """Which fields of a source do not go together."""
    entry, target = source.entry, source.target
    if source.is_hidden and (target.kind != "contract" or target.has_lorebook):
        yield source.report(
            "world-source",
            f"The source {source.source_id!r} is hidden and goes to {target.text!r}; hidden "
            "records go to a contract alone.",
            "visibility",
            hint="Send it to 'contract:<contract>', or make it public.",
        )
    if source.is_hidden and "projections" in entry.effects:
        message = f"The source {source.source_id!r} is hidden, so nothing is projected from it."
        yield source.report("world-source", message, "effects")
    if (entry.kind == "media") != (target.kind == "media"):
        message = f"The source {source.source_id!r} is of the kind {entry.kind!r} and goes to "
        yield source.report("world-source", f"{message}{target.text!r}.", "kind")
    if entry.kind == "media" and entry.key != "filename":
        message = f"The media source {source.source_id!r} has no `key: filename`."
        yield source.report("world-source", message, hint="Add `key: filename`.")
    if entry.index_to is not None:
        yield from _index_problems(source, entry.index_to)
    if entry.kind in ("markdown", "text") and entry.key is None:
        message = f"The source {source.source_id!r} is one text, and `key` does not name it."
        yield source.report("world-source", message, hint="Add `key` with the name of the record.")
    if entry.kind in ("markdown", "text") and target.kind in ("characters", "dimensions"):
        message = f"The source {source.source_id!r} is a text; {target.text!r} takes records."
        yield source.report("world-source", message, "kind")
    if entry.schema_uri == DIMENSIONS_SCHEMA and target.kind != "dimensions":
        message = (
            f"The source {source.source_id!r} has the schema of dimensions and another target."
        )
        yield source.report("world-source", message, "schema")


def _index_problems(source: Source, index_to: str) -> Iterator[Diagnostic]:
    if source.entry.kind != "media":
        message = f"The source {source.source_id!r} has `indexTo`, which is for media alone."
        yield source.report("world-source", message, "indexTo")
        return
    try:
        contract_of(index_to)
    except TargetError as error:
        message = f"The source {source.source_id!r}: {error}."
        yield source.report("world-target", message, "indexTo", hint=error.hint)


def _conventional(reading: PackReading, installed: Installed) -> Iterator[Source]:
    for source_id, path, to in CONVENTIONS:
        if reading.files.optional(path) is not None:
            kind = "json" if path.endswith(".json") else "yaml"
            entry = SourceEntry.model_validate({"kind": kind, "path": path, "to": to})
            yield Source(source_id, entry, parse_target(to), None, reading.world_id)
    seen = set()
    for receiver in installed.receivers:
        place = receiver.place
        if place is None or place.kind == "media" or place.path in seen:
            continue
        seen.add(place.path)
        if reading.files.optional(place.path) is None:
            continue
        to = f"contract:{receiver.contract}{'+lorebook' if place.has_lorebook else ''}"
        fields = {
            "kind": place.kind,
            "path": place.path,
            "to": to,
            "localeArrayKeys": list(place.locale_array_keys),
            "visibility": place.visibility,
            **({"key": place.key} if place.key is not None else {}),
        }
        entry = SourceEntry.model_validate(fields)
        name = f"{receiver.plugin_id}-{receiver.namespace}"
        yield Source(name, entry, parse_target(to), None, reading.world_id)


def _in_order(
    sources: Sequence[Source], declared: Sequence[str]
) -> tuple[list[Source], list[Diagnostic]]:
    """`sources` so that each comes behind those it names in `after`, else as they are written.

    Of the `declared` names, those that are faulty or switched off order nothing.
    """
    by_id = {source.source_id: source for source in sources}
    problems: list[Diagnostic] = []
    ordered: list[Source] = []
    states: dict[str, bool] = {}

    def visit(source: Source) -> None:
        if states.get(source.source_id):
            return
        states[source.source_id] = False
        for index, name in enumerate(source.entry.after):
            place = ("after", index) if len(source.entry.after) > 1 else ("after",)
            if name not in by_id and name in declared:
                continue
            if name not in by_id:
                problems.append(_unknown_source(source, name, list(by_id), place))
            elif states.get(name) is False:
                message = f"The sources {name!r} and {source.source_id!r} wait for each other."
                problems.append(source.report("world-source-order", message, *place))
            else:
                visit(by_id[name])
        states[source.source_id] = True
        ordered.append(source)

    for source in sources:
        visit(source)
    return ordered, problems


def _unknown_source(
    source: Source, name: str, known: list[str], place: tuple[str | int, ...]
) -> Diagnostic:
    near = nearest(name, known)
    message = f"The source {source.source_id!r} comes after {name!r}, and no source is called that."
    hint = f"The nearest source is {near!r}." if near else None
    return source.report("world-source-order", message, *place, hint=hint)
