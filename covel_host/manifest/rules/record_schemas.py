"""What the schemas of data must allow for the data to work (spec/manifest.md 4.10, 11.4)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from covel_host.manifest.rules.facts import RootFacts
from covel_host.manifest.rules.package_files import PackageFiles
from covel_host.manifest.rules.rule import Path, Problem, Rule, field, first_place, rule
from covel_host.manifest.rules.schemas import text_field_problem
from plugin_sdk.values import JsonValue

if TYPE_CHECKING:
    from covel_host.schemas.compiled import CompiledSchema


@dataclass(frozen=True, slots=True)
class DataFacts:
    """The root manifest and the files it names."""

    root: RootFacts
    files: PackageFiles

    def schema(self, written: str | None) -> "CompiledSchema | None":
        """The compiled schema at a path of the root manifest, `None` without a usable one."""
        if written is None:
            return None
        file = self.files.folder.file(self.root.package.root, written)
        return self.files.usable_schema(file)


@rule("11.4", "dataset-key-unfit", "The key of a data set is a text field of its records.")
def key_unfit(data: DataFacts) -> Iterator[Problem]:
    for name, dataset in data.root.contributes.datasets.items():
        schema = data.schema(dataset.schema_path)
        if dataset.key is None or schema is None:
            continue
        why = text_field_problem(schema.schema, dataset.key)
        if why is not None:
            path: Path = ("contributes", "datasets", name, "key")
            yield Problem(
                path,
                f"{field(path)} is {dataset.key!r}, and no record can have a text there: {why}.",
                "Name a top-level text field of the record.",
            )


@rule("4.10", "search-field-unfit", "Archival search reads a text field of the records.")
def search_unfit(data: DataFacts) -> Iterator[Problem]:
    contributes = data.root.contributes
    for member in ("data", "datasets"):
        for name, declared in getattr(contributes, member).items():
            schema = data.schema(declared.schema_path)
            if declared.search is None or schema is None:
                continue
            why = text_field_problem(schema.schema, declared.search.text)
            if why is not None:
                path: Path = ("contributes", member, name, "search", "text")
                yield Problem(
                    path,
                    f"{field(path)} is {declared.search.text!r}, and no record can have a text "
                    f"there: {why}.",
                    "Name a top-level text field of the record.",
                )


@rule("4.10", "example-unfit", "The example for world authors fits the schema of its namespace.")
def example_unfit(data: DataFacts) -> Iterator[Problem]:
    for name, namespace in data.root.contributes.data.items():
        schema = data.schema(namespace.schema_path)
        authoring = namespace.authoring
        if schema is None or authoring is None or authoring.example is None:
            continue
        file = data.files.folder.file(data.root.package.root, authoring.example)
        example = data.files.json(file) if file.state == "file" else None
        if example is None or example.problem:
            continue
        why = _unfit(schema, example.value)
        if why is not None:
            path: Path = ("contributes", "data", name, "authoring", "example")
            yield Problem(
                path,
                f"{field(path)} is {authoring.example!r}, which does not fit the schema of the "
                f"namespace: {why}",
                "Correct the example, or the schema.",
            )


@rule("4.10", "contract-schema-ambiguous", "One contract has one public schema.")
def contract_schema_ambiguous(data: DataFacts) -> Iterator[Problem]:
    first: dict[str, tuple[Path, str]] = {}
    for name, namespace in data.root.contributes.data.items():
        for index, contract in enumerate(namespace.accepts):
            path: Path = ("contributes", "data", name, "accepts", index)
            known_path, known_schema = first.setdefault(contract, (path, namespace.schema_path))
            if contract in data.root.manifest.contracts or not data.root.sound("contracts"):
                continue
            if _differ(data, known_schema, namespace.schema_path):
                yield Problem(
                    path,
                    f"{field(path)} is {contract!r}, which {field(known_path)} accepts with "
                    "another schema.",
                    f"State the public schema: contracts: {{ {contract}: {{ schema: … }} }}.",
                    related=first_place(data.root.frontmatter, known_path),
                )


def _differ(data: DataFacts, one: str, other: str) -> bool:
    if one == other:
        return False
    first, second = data.schema(one), data.schema(other)
    return first is not None and second is not None and first.schema != second.schema


def _unfit(schema: "CompiledSchema", example: JsonValue) -> str | None:
    """Why `example` is no example: a record, a list of records, or a map from key to record."""
    by_key = list(example.values()) if isinstance(example, dict) else []
    if by_key and not schema.accepts(example) and all(map(schema.accepts, by_key)):
        return None
    records = example if isinstance(example, list) else [example]
    for index, record in enumerate(records):
        problems = schema.problems(record, limit=1)
        if problems:
            where = f"record {index + 1}: " if isinstance(example, list) else ""
            return f"{where}{problems[0]}"
    return None


RULES: Final[tuple[Rule[DataFacts], ...]] = (
    key_unfit,
    search_unfit,
    example_unfit,
    contract_schema_ambiguous,
)
