"""JSON Schema files of a package, compiled from its sources."""

from pathlib import Path

from covel_host.base.json_text import JsonTextError, parse_json
from covel_host.base.paths import OutsideFolder, resolve_inside
from covel_host.catalog.sources import PackageSources
from covel_host.schemas.compiled import CompiledSchema, SchemaError, compile_schema


class SchemaFileUnusable(Exception):
    """A named schema file cannot be used; `name` is the diagnostic's, `message` says why."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name
        self.message = message


def compile_schema_file(
    sources: PackageSources, written: str, *, root: Path, base: Path
) -> CompiledSchema:
    """The compiled schema at the path `written`, which is relative to the folder `base`.

    `root` is the package's folder as the reading knows it. The content is that of `sources`: what
    was hashed and trusted is what is used.

    Raises:
        SchemaFileUnusable: outside the package, missing, not JSON, or no schema.
    """
    try:
        path = resolve_inside(root, written, base=base)
    except OutsideFolder:
        raise SchemaFileUnusable("path-outside-package", "the path leaves the package.") from None
    content = sources.documents.get(path.relative_to(sources.root).as_posix())
    if content is None:
        raise SchemaFileUnusable("schema-unusable", "the package has no such JSON file.")
    try:
        schema = parse_json(content)
        if not isinstance(schema, (dict, bool)):
            raise SchemaFileUnusable("schema-unusable", "a JSON Schema is an object.")
        return compile_schema(schema)
    except (JsonTextError, SchemaError) as error:
        raise SchemaFileUnusable("schema-unusable", f"{str(error).rstrip('.')}.") from None
