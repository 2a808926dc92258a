"""The JSON Schema files that runtimes name, compiled when a generation is made."""

from pathlib import Path
from typing import Final

from covel_host.catalog.generation import RuntimeSchemas
from covel_host.catalog.schema_files import SchemaFileUnusable, compile_schema_file
from covel_host.catalog.sources import PackageSources
from covel_host.diagnostics.diagnostic import Diagnostic, dotted
from covel_host.manifest.layout import ROOT_MANIFEST
from covel_host.manifest.reading import PackageReading, RuntimeReading
from covel_host.manifest.runtime_manifest import RuntimeManifest
from covel_host.schemas.compiled import CompiledSchema

_CONTRACT: Final = "contract:"


def compile_schemas(
    reading: PackageReading, sources: PackageSources
) -> tuple[dict[str, RuntimeSchemas], list[Diagnostic]]:
    """The schemas of every runtime by its ID, and what is wrong with the files."""
    compiler = _Compiler(reading.root, sources)
    contracts = compiler.contracts(reading)
    schemas = {
        runtime.runtime_id: RuntimeSchemas(
            payload=compiler.compile(
                runtime, ("io", "payloadSchema"), runtime.manifest.io.payload_schema
            ),
            output=compiler.compile(
                runtime, ("io", "output", "schema"), runtime.manifest.io.output.schema_path
            ),
            contract=contracts.get(runtime.manifest.io.output.contract or ""),
            inputs=compiler.accepts(runtime, runtime.manifest),
        )
        for runtime in reading.runtimes
        if runtime.manifest is not None
    }
    return schemas, compiler.diagnostics


class _Compiler:
    def __init__(self, root: Path, sources: PackageSources) -> None:
        self._root = root
        self._sources = sources
        self.diagnostics: list[Diagnostic] = []

    def contracts(self, reading: PackageReading) -> dict[str, CompiledSchema]:
        """What the package publishes for contracts, by their IDs."""
        top, manifest = reading.files.get(ROOT_MANIFEST), reading.manifest
        compiled: dict[str, CompiledSchema] = {}
        if top is None or manifest is None:
            return compiled
        for contract, public in manifest.contracts.items():
            path, written = ("contracts", contract, "schema"), public.schema_path
            try:
                compiled[contract] = compile_schema_file(
                    self._sources, written, root=self._root, base=reading.root
                )
            except SchemaFileUnusable as problem:
                message = f"`{dotted(path)}` is {written!r}: {problem.message}"
                self.diagnostics.append(top.report(problem.name, message, path=path))
        return compiled

    def accepts(
        self, runtime: RuntimeReading, manifest: RuntimeManifest
    ) -> dict[str, CompiledSchema]:
        """What the inputs of a runtime accept, by slot."""
        compiled = {
            slot: self.compile(runtime, ("io", "inputs", slot, "accepts"), wanted.accepts)
            for slot, wanted in manifest.io.inputs.items()
        }
        return {slot: schema for slot, schema in compiled.items() if schema is not None}

    def compile(
        self, runtime: RuntimeReading, field: tuple[str, ...], written: str | None
    ) -> CompiledSchema | None:
        if written is None:
            return None
        try:
            return self._compiled(runtime, written)
        except SchemaFileUnusable as problem:
            path = (*runtime.field_prefix, *field)
            self.diagnostics.append(
                runtime.frontmatter.report(
                    problem.name, f"`{dotted(path)}` is {written!r}: {problem.message}", path=path
                )
            )
            return None

    def _compiled(self, runtime: RuntimeReading, written: str) -> CompiledSchema:
        if written.startswith(_CONTRACT):
            raise SchemaFileUnusable(
                "not-supported-yet",
                "this version of the host does not serve the schemas of contracts yet.",
            )
        return compile_schema_file(self._sources, written, root=self._root, base=runtime.folder)
