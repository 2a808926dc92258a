"""The files that manifests name (spec/manifest.md 2.5 and 6.3 rule 11)."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Final, Literal, TypeAlias

from covel_host.manifest.frontmatter import Frontmatter
from covel_host.manifest.rules.facts import PackageFacts, RootFacts, RuntimeFacts
from covel_host.manifest.rules.rule import Path

Use: TypeAlias = Literal["schema", "example", "panel", "ui", "handler", "guard", "projection"]
CONTRACT_PREFIX: Final = "contract:"


@dataclass(frozen=True, slots=True)
class FileReference:
    """A file that a manifest names: where, from which folder its path starts, and what for."""

    use: Use
    written: str
    base: FilePath
    path: Path
    frontmatter: Frontmatter


def file_references(facts: PackageFacts) -> list[FileReference]:
    """Every file that the manifests of a package name; schemas of contracts are no files.

    `entry` is left out: reading looked at it already, since it decides where the code begins.
    """
    found: list[FileReference] = []
    if facts.root is not None:
        base, frontmatter = facts.package.root, facts.root.frontmatter
        for use, written, path in _root_paths(facts.root):
            found.append(FileReference(use, written, base, path, frontmatter))
    for runtime in facts.runtimes:
        base, frontmatter = runtime.reading.folder, runtime.reading.frontmatter
        for use, named, path in _runtime_paths(runtime):
            if named is not None and not named.startswith(CONTRACT_PREFIX):
                found.append(FileReference(use, named, base, path, frontmatter))
    return found


def _root_paths(root: RootFacts) -> Iterator[tuple[Use, str, Path]]:
    contributes = root.contributes
    for contract, public in root.manifest.contracts.items():
        yield "schema", public.schema_path, ("contracts", contract, "schema")
    for name, namespace in contributes.data.items():
        path: Path = ("contributes", "data", name)
        yield "schema", namespace.schema_path, (*path, "schema")
        if namespace.authoring is not None and namespace.authoring.example is not None:
            yield "example", namespace.authoring.example, (*path, "authoring", "example")
    for name, dataset in contributes.datasets.items():
        if dataset.schema_path is not None:
            yield "schema", dataset.schema_path, ("contributes", "datasets", name, "schema")
    for index, event in enumerate(contributes.events):
        yield "schema", event.schema_path, ("contributes", "events", index, "schema")
    for place in ("right", "message", "left"):
        use: Use = "panel" if place == "right" else "ui"
        for index, written in enumerate(getattr(contributes.ui, place)):
            yield use, written, ("contributes", "ui", place, index)
    for name, projection in (contributes.world_projections or {}).items():
        yield (
            "projection",
            projection.handler,
            ("contributes", "worldProjections", name, "handler"),
        )


def _runtime_paths(runtime: RuntimeFacts) -> Iterator[tuple[Use, str | None, Path]]:
    io, function = runtime.io, runtime.manifest.function
    if function is not None:
        yield "handler", function.handler, runtime.at("function", "handler")
    yield "guard", runtime.manifest.guard, runtime.at("guard")
    yield "schema", io.output.schema_path, runtime.at("io", "output", "schema")
    yield "schema", io.payload_schema, runtime.at("io", "payloadSchema")
    for name, wanted in io.inputs.items():
        yield "schema", wanted.accepts, runtime.at("io", "inputs", name, "accepts")
