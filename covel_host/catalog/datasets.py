"""The data sets of a generation: their schemas compiled, from a file or from a record model."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pydantic import BaseModel

from covel_host.catalog.schema_files import SchemaFileUnusable, compile_schema_file
from covel_host.catalog.sources import PackageSources
from covel_host.diagnostics.diagnostic import Diagnostic
from covel_host.manifest.contributed_data import Dataset
from covel_host.manifest.layout import ROOT_MANIFEST
from covel_host.manifest.reading import PackageReading
from covel_host.schemas.compiled import CompiledSchema, SchemaError, compile_schema
from plugin_sdk.datasets import DataSet
from plugin_sdk.rules.data_ops import DATA_OP_NAMES
from plugin_sdk.rules.dataset_writes import MAX_SCHEMA_PROBLEMS, DatasetRules
from plugin_sdk.rules.i18n import resolve_i18n_text
from plugin_sdk.rules.keys import DatasetToolKind, dataset_tool_kinds
from plugin_sdk.values import JsonObject, JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedDataset:
    """One declared data set, ready for use; it is also the namespace of its name.

    `schema` is the JSON Schema of a record as its author wrote it, `compiled` the same as a
    checker. `rules` allow what the declaration allows and offer `tools`; `description` ends the
    descriptions of its tools and may be empty. `model` is the registered record model, if any.
    """

    name: str
    rules: DatasetRules
    schema: JsonObject
    compiled: CompiledSchema
    tools: tuple[DatasetToolKind, ...]
    description: str = ""
    model: type[BaseModel] | None = None


def compile_datasets(
    reading: PackageReading, sources: PackageSources, models: Mapping[str, DataSet]
) -> tuple[dict[str, LoadedDataset], list[Diagnostic]]:
    """The declared data sets of a package by name, and what is wrong with their schemas.

    `models` are the record models that the entry registered, for data sets without a schema file
    (spec/decisions.md 2). One that has neither, or both, is told of where registrations are
    compared with declarations; here it is left out.
    """
    top = reading.files.get(ROOT_MANIFEST)
    if reading.manifest is None or top is None:
        return {}, []
    datasets: dict[str, LoadedDataset] = {}
    problems: list[Diagnostic] = []
    for name, declared in reading.manifest.contributes.datasets.items():
        try:
            compiled = _compiled(name, declared, reading, sources, models)
            if compiled is not None:
                datasets[name] = loaded_dataset(name, declared, compiled, model=models.get(name))
        except SchemaFileUnusable as problem:
            path = ("contributes", "datasets", name, "schema")
            known = path if declared.schema_path is not None else path[:-1]
            problems.append(
                top.report(problem.name, f"The data set {name!r}: {problem.message}", path=known)
            )
    return datasets, problems


def _compiled(
    name: str,
    declared: Dataset,
    reading: PackageReading,
    sources: PackageSources,
    models: Mapping[str, DataSet],
) -> CompiledSchema | None:
    if declared.schema_path is None:
        return _of_model(models[name]) if name in models else None
    return compile_schema_file(sources, declared.schema_path, root=reading.root, base=reading.root)


def _of_model(model: DataSet) -> CompiledSchema:
    try:
        return compile_schema(model.json_schema)
    except SchemaError as error:
        raise SchemaFileUnusable(
            "schema-unusable",
            f"the JSON Schema of the record model {model.model.__name__!r} cannot be used: "
            f"{error}.",
        ) from None


def loaded_dataset(
    name: str, declared: Dataset, compiled: CompiledSchema, *, model: DataSet | None = None
) -> LoadedDataset:
    """The data set `name` as declared, with its compiled record schema.

    Raises:
        SchemaFileUnusable: the schema is `true` or `false`.
    """
    schema = compiled.schema
    if isinstance(schema, bool):
        raise SchemaFileUnusable(
            "schema-unusable",
            f"its schema is {str(schema).lower()}; the schema of a record is an object, such as "
            '{"type": "object"}.',
        )
    tools = dataset_tool_kinds(ops=declared.ops, tools=declared.tools)
    rules = DatasetRules(
        name=name,
        schema_problems=_checker(compiled),
        key_field=declared.key,
        ops=DATA_OP_NAMES if declared.ops is None else declared.ops,
        offered=tools,
    )
    return LoadedDataset(
        name=name,
        rules=rules,
        schema=dict(schema),
        compiled=compiled,
        tools=tools,
        # A model reads English; a map of languages is what the loader still takes.
        description=resolve_i18n_text(declared.description or "", "en").strip(),
        model=None if model is None else model.model,
    )


def _checker(schema: CompiledSchema) -> Callable[[JsonValue], list[str]]:
    def problems(record: JsonValue) -> list[str]:
        if schema.accepts(record):
            return []
        return [str(found) for found in schema.problems(record, limit=MAX_SCHEMA_PROBLEMS)]

    return problems
