"""The JSON Schema files that runtimes name, compiled when a generation is made."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from covel_host.base.json_text import JsonTextError, parse_json
from covel_host.base.paths import OutsideFolder, resolve_inside
from covel_host.catalog.generation import RuntimeSchemas
from covel_host.catalog.sources import PackageSources
from covel_host.diagnostics.diagnostic import Diagnostic, dotted
from covel_host.manifest.reading import PackageReading, RuntimeReading
from covel_host.schemas.compiled import CompiledSchema, SchemaError, compile_schema

_CONTRACT: Final = "contract:"


def compile_schemas(
    reading: PackageReading, sources: PackageSources
) -> tuple[dict[str, RuntimeSchemas], list[Diagnostic]]:
    """The schemas of every runtime by its ID, and what is wrong with the files."""
    compiler = _Compiler(reading.root, sources)
    schemas = {
        runtime.runtime_id: RuntimeSchemas(
            payload=compiler.compile(
                runtime, ("io", "payloadSchema"), runtime.manifest.io.payload_schema
            ),
            output=compiler.compile(
                runtime, ("io", "output", "schema"), runtime.manifest.io.output.schema_path
            ),
        )
        for runtime in reading.runtimes
        if runtime.manifest is not None
    }
    return schemas, compiler.diagnostics


class _Compiler:
    def __init__(self, root: Path, sources: PackageSources) -> None:
        self._root = root
        self._documents: Mapping[str, bytes] = sources.documents
        self._real_root = sources.root
        self.diagnostics: list[Diagnostic] = []

    def compile(
        self, runtime: RuntimeReading, field: tuple[str, ...], written: str | None
    ) -> CompiledSchema | None:
        if written is None:
            return None
        try:
            return self._compiled(runtime, written)
        except _Unusable as problem:
            path = (*runtime.field_prefix, *field)
            self.diagnostics.append(
                runtime.frontmatter.report(
                    problem.name, f"`{dotted(path)}` is {written!r}: {problem.message}", path=path
                )
            )
            return None

    def _compiled(self, runtime: RuntimeReading, written: str) -> CompiledSchema:
        if written.startswith(_CONTRACT):
            raise _Unusable(
                "not-supported-yet",
                "this version of the host does not serve the schemas of contracts yet.",
            )
        try:
            path = resolve_inside(self._root, written, base=runtime.folder)
        except OutsideFolder:
            raise _Unusable("path-outside-package", "the path leaves the package.") from None
        content = self._documents.get(path.relative_to(self._real_root).as_posix())
        if content is None:
            raise _Unusable("schema-unusable", "the package has no such JSON file.")
        try:
            schema = parse_json(content)
            if not isinstance(schema, (dict, bool)):
                raise _Unusable("schema-unusable", "a JSON Schema is an object.")
            return compile_schema(schema)
        except (JsonTextError, SchemaError) as error:
            raise _Unusable("schema-unusable", f"{str(error).rstrip('.')}.") from None


class _Unusable(Exception):
    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name
        self.message = message
