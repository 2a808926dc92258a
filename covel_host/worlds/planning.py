"""A pack turned into a plan: sources in order, each record checked by the rules of its target."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from covel_host.base.json_text import JsonTextError, dump_json, parse_json
from covel_host.diagnostics.diagnostic import Diagnostic, in_order
from covel_host.schemas.compiled import CompiledSchema, SchemaError, compile_schema
from covel_host.worlds.descriptor import DIMENSIONS_SCHEMA, TargetError, contract_of
from covel_host.worlds.dimensions import Declared, definition_problems
from covel_host.worlds.installed import Installed, Receiver
from covel_host.worlds.pack_files import PathProblem
from covel_host.worlds.package_rules import contract_problem, policy_problems
from covel_host.worlds.plan import WorldPlan
from covel_host.worlds.planned_media import PlannedMedia
from covel_host.worlds.planned_records import Characters, lore_entry, record_lore
from covel_host.worlds.planned_rows import PlannedRows
from covel_host.worlds.reading import PackReading, localized_dimensions
from covel_host.worlds.records import Record, SourceRecords, read_records
from covel_host.worlds.sources import Source, pack_sources
from covel_host.worlds.world_record import world_record
from plugin_sdk.names import HIDDEN_NAMESPACE_PREFIX
from plugin_sdk.rules.dimension_definitions import resolve_dimension_definition
from plugin_sdk.rules.plugin_data import MAX_PLUGIN_DATA_VALUE_BYTES, plugin_data_size_problem
from plugin_sdk.values import JsonObject, JsonValue

MAX_SOURCE_PROBLEMS: Final = 50
"""Problems of one source that are listed; an author mends the first ones first."""


def plan_world(reading: PackReading, installed: Installed, *, locale: str) -> WorldPlan | None:
    """What a session in the language `locale` gets; `None` when `world.yaml` cannot be read.

    The problems of `reading` are among those of the plan.
    """
    if reading.manifest is None or reading.file is None:
        return None
    return _Planner(reading, installed, locale).plan()


class _Planner:
    """The steps of one plan and what they gathered."""

    def __init__(self, reading: PackReading, installed: Installed, locale: str) -> None:
        assert reading.manifest is not None
        assert reading.file is not None
        self.reading = reading
        self.manifest = reading.manifest
        self.file = reading.file
        self.installed = installed
        self.locale = locale
        self.found: list[Diagnostic] = []
        self.dimensions: dict[str, Declared] = dict(reading.dimensions)
        self.characters = Characters(reading.character_schema)
        self.lorebook: dict[str, JsonObject] = {}
        self.rows = PlannedRows()
        self.sources, problems = pack_sources(reading, installed)
        self.found += problems
        self.media = PlannedMedia(reading, self.sources, locale)
        self.found += self.media.problems

    def plan(self) -> WorldPlan:
        self.found += policy_problems(self.manifest, self.file, self.installed)
        for source in self.sources:
            self._source(source)
        resolved = self._resolved_dimensions()
        if self.reading.character_schema is not None:
            self._note_manifest("character-schema", "", self.reading.character_schema)
        record = world_record(self.reading, self.locale)
        # Reading translations and files tells of problems too: they are in `files.found` by now.
        everything = dict.fromkeys((*self.reading.files.problems, *self.found))
        return WorldPlan(
            world_id=self.manifest.id,
            locale=self.locale,
            policy=self.manifest.plugin_policy,
            record=record,
            character_schema=self.reading.character_schema,
            characters=self.characters.records,
            lorebook=tuple(self.lorebook.values()),
            dimensions=resolved,
            data=self.rows.data,
            media=self.media.taken,
            ledger=self.rows.ledger,
            diagnostics=in_order(everything),
        )

    def _source(self, source: Source) -> None:
        match source.target.kind:
            case "dimensions":
                self._dimension_source(source)
            case "media":
                self._media(source)
            case "characters" | "lorebook":
                self._own_records(source)
            case "contract":
                self._contract(source)

    def _dimension_source(self, source: Source) -> None:
        try:
            file = self.reading.files.named(source.entry.path)
        except PathProblem as problem:
            message = f"The source {source.source_id!r}: {problem}."
            self.found.append(source.report(problem.name, message, "path", hint=problem.hint))
            return
        if file.value is None:
            return
        found = localized_dimensions(
            file, self.reading.translations, self.manifest.default_locale, is_one=False
        )
        if found is None or not all(isinstance(item, dict) for item in found.values()):
            message = f"{file.file} is no map from dimension IDs to definitions."
            self.found.append(file.report("dimension-invalid", message, path=()))
            return
        # A source takes the place of the whole map (spec/world.md 3.4).
        self.dimensions = {
            name: Declared(item, file, (name,))
            for name, item in found.items()
            if isinstance(item, dict)
        }

    def _resolved_dimensions(self) -> dict[str, JsonObject]:
        resolved: dict[str, JsonObject] = {}
        for name, declared in self.dimensions.items():
            self.found += definition_problems(name, declared, locale=self.locale)
            definition = resolve_dimension_definition(declared.definition, self.locale)
            resolved[name] = definition
            digest = self.reading.files.digest(declared.file.file)
            self.rows.note("dimensions", name, definition, source_id="dimensions", digest=digest)
        return resolved

    def _own_records(self, source: Source) -> None:
        """Characters, or entries of the lorebook."""
        read = read_records(source, self.reading, self.locale)
        problems = list(read.problems)
        schema = self._source_schema(source)
        for record in read.records:
            problems += _schema_problems(record, schema)
            if source.target.kind == "characters":
                problems += self._character(source, read, record)
            else:
                entry, told = lore_entry(record)
                problems += told
                self._lore(source, read, record.key, entry)
        self._tell(source, problems)

    def _character(
        self, source: Source, read: SourceRecords, record: Record
    ) -> Iterable[Diagnostic]:
        if source.entry.merge == "skipExisting" and record.key in self.characters:
            return ()
        made, problems = self.characters.add(record)
        if made is not None:
            key = str(made["id"])
            self.rows.note("characters", key, made, source_id=source.source_id, digest=read.digest)
        return problems

    def _lore(
        self, source: Source, read: SourceRecords, key: str, entry: JsonObject | None
    ) -> None:
        if entry is None or (source.entry.merge == "skipExisting" and key in self.lorebook):
            return
        self.lorebook[key] = entry
        self.rows.note("lorebook", key, entry, source_id=source.source_id, digest=read.digest)

    def _contract(self, source: Source) -> None:
        contract = source.target.contract
        assert contract is not None
        checks = self._receivers(source, contract)
        read = read_records(source, self.reading, self.locale)
        problems = list(read.problems)
        own = self._source_schema(source)
        for written in read.records:
            record, told = self._materialized(written, is_written=bool(checks))
            problems += told
            problems += _schema_problems(record, own)
            for receiver, schema in checks:
                told = _schema_problems(record, schema)
                problems += told
                if not told:
                    problems += self._row(source, read, record, receiver)
            if source.target.has_lorebook:
                entry, told = record_lore(record)
                problems += told
                self._lore(source, read, record.key, entry)
            if "characters" in source.entry.effects:
                problems += self._projected_character(source, read, record)
        if "projections" in source.entry.effects:
            message = f"Nothing is projected from the source {source.source_id!r} yet."
            hint = "Its records are imported as they are; no package's handler is run over them."
            self.found.append(source.report("not-served-yet", message, "effects", hint=hint))
        self._tell(source, problems)

    def _receivers(
        self, source: Source, contract: str
    ) -> list[tuple[Receiver, CompiledSchema | None]]:
        """Who of the session takes what goes to the contract, each with its schema."""
        receivers = self.installed.receivers_of(contract)
        if not receivers:
            self.found.append(contract_problem(source, contract, self.installed))
        active = [found for found in receivers if self.installed.is_active(found.plugin_id)]
        self.found += [_inactive(source, found) for found in receivers if found not in active]
        return [(found, self._receiver_schema(source, found)) for found in active]

    def _media(self, source: Source) -> None:
        """Take the files, and write a row for each where `indexTo` says so (spec/world.md 7.6)."""
        index_to = source.entry.index_to
        checks = [] if index_to is None else self._receivers(source, contract_of(index_to))
        if index_to is not None and not checks:
            # Nobody could find them; they are imported when a receiver is there.
            return
        problems: list[Diagnostic] = []
        for name, value in self.media.take(source):
            digest = str(value["ref"]["id"])  # type: ignore[call-overload, index]  # a `MediaRef`
            for receiver, schema in checks:
                for found in () if schema is None else schema.problems(value):
                    where = f", `{found.path}`" if found.path else ""
                    message = f"The index row of {name!r}{where}: {found.message}"
                    problems.append(source.report("world-record-invalid", message, "indexTo"))
                place = (receiver.plugin_id, receiver.namespace, name)
                self.rows.put(source, place, dump_json(value), digest=digest, receiver=receiver)
        self._tell(source, problems)

    def _materialized(self, record: Record, *, is_written: bool) -> tuple[Record, list[Diagnostic]]:
        """The record with references to media; files of one that is written are taken."""
        made = self.media.materialized(record.value)
        if is_written:
            self.media.keep(made.files)
        told = [
            record.file.report(
                "world-media", f"The record {record.key!r} {problem}", path=(*record.path, *place)
            )
            for place, problem in made.problems
        ]
        return replace(record, value=made.value), told

    def _projected_character(
        self, source: Source, read: SourceRecords, record: Record
    ) -> Iterable[Diagnostic]:
        value = record.value if isinstance(record.value, dict) else {}
        taken = ("id", "name", "type", "description", "fields")
        fields: JsonObject = {name: value[name] for name in taken if name in value}
        return self._character(source, read, replace(record, value={"id": record.key, **fields}))

    def _row(
        self, source: Source, read: SourceRecords, record: Record, receiver: Receiver
    ) -> Iterable[Diagnostic]:
        namespace = receiver.namespace
        if source.is_hidden:
            namespace = f"{HIDDEN_NAMESPACE_PREFIX}{namespace}"
        place = (receiver.plugin_id, namespace, record.key)
        if source.entry.merge == "skipExisting" and place in self.rows:
            return ()
        text = dump_json(record.value)
        if 4 * len(text) > MAX_PLUGIN_DATA_VALUE_BYTES:
            problem = plugin_data_size_problem(namespace, record.key, record.value)
            if problem is not None:
                message = f"The record {record.key!r} is too large: {problem}"
                return (record.report("world-record-too-large", message),)
        self.rows.put(source, place, text, digest=read.digest, receiver=receiver)
        return ()

    def _source_schema(self, source: Source) -> CompiledSchema | None:
        """The schema that the source itself names, when it is a file of the pack."""
        written = source.entry.schema_uri
        if written is None or written == DIMENSIONS_SCHEMA:
            return None
        try:
            if written.startswith("contract:"):
                contract = contract_of(written)
                if contract != source.target.contract:
                    message = f"The source {source.source_id!r} has the schema of another contract."
                    self.found.append(source.report("world-source", message, "schema"))
                return None
            schema = parse_json(self.reading.files.named(written).source.text)
            if not isinstance(schema, (dict, bool)):
                raise SchemaError("it is no JSON Schema, which is an object")
            return compile_schema(schema)
        except (PathProblem, TargetError) as error:
            name = error.name if isinstance(error, PathProblem) else "world-target"
            message = f"The source {source.source_id!r}: {error}."
            self.found.append(source.report(name, message, "schema", hint=error.hint))
        except (JsonTextError, SchemaError) as error:
            reason = str(error).rstrip(".")
            message = f"The schema {written!r} of the source {source.source_id!r}: {reason}."
            self.found.append(source.report("schema-unusable", message, "schema"))
        return None

    def _receiver_schema(self, source: Source, receiver: Receiver) -> CompiledSchema | None:
        schema = receiver.schema()
        if isinstance(schema, CompiledSchema):
            return schema
        message = (
            f"The package {receiver.plugin_id!r} takes {receiver.contract!r} into "
            f"{receiver.namespace!r}, and its schema cannot be used: {schema}"
        )
        hint = f"See: covel validate-plugin on {receiver.plugin_id}."
        self.found.append(source.report("receiver-unusable", message, "to", hint=hint))
        return None

    def _note_manifest(self, target: str, key: str, value: JsonObject) -> None:
        digest = self.reading.files.digest(self.file.file)
        self.rows.note(target, key, value, source_id=self.file.file, digest=digest)

    def _tell(self, source: Source, problems: list[Diagnostic]) -> None:
        self.found += problems[:MAX_SOURCE_PROBLEMS]
        more = len(problems) - MAX_SOURCE_PROBLEMS
        if more > 0:
            message = f"The source {source.source_id!r} has {more:,} more problems, not listed."
            hint = "Repair the listed ones first."
            self.found.append(source.report("too-many-problems", message, hint=hint))


def _schema_problems(record: Record, schema: CompiledSchema | None) -> list[Diagnostic]:
    value: JsonValue = record.value
    if schema is None or schema.accepts(value):
        return []
    return [
        record.report(
            "world-record-invalid",
            f"The record {record.key!r}{f', `{found.path}`' if found.path else ''}: "
            f"{found.message}",
            found.path,
        )
        for found in schema.problems(value)
    ]


def _inactive(source: Source, receiver: Receiver) -> Diagnostic:
    return source.report(
        "receiver-inactive",
        f"The {source.held} of the source {source.source_id!r} do not go to "
        f"{receiver.plugin_id!r}, which is not active in the session.",
        source.target_field,
        hint=f"Add it to the session: --with {receiver.plugin_id}",
    )
