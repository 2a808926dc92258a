"""The files that manifests name, as values and compiled schemas, each read once."""

from typing import TYPE_CHECKING

from covel_host.diagnostics.source import SourceText
from covel_host.manifest.rules.file_references import FileReference
from covel_host.manifest.rules.json_values import JsonFile, read_json_value
from covel_host.manifest.rules.package_folder import PackageFile, PackageFolder
from covel_host.manifest.rules.schemas import compiled_or_reason

if TYPE_CHECKING:
    from covel_host.schemas.compiled import CompiledSchema


class PackageFiles:
    """The files of one package as values, schemas and problems; each file is read once."""

    def __init__(self, folder: PackageFolder) -> None:
        self.folder = folder
        self._json: dict[str, JsonFile] = {}
        self._schemas: dict[str, CompiledSchema | str] = {}
        self.broken: dict[str, SourceText] = {}
        """The texts of the JSON files that could not be parsed, for excerpts."""

    def found(self, reference: FileReference) -> PackageFile:
        """The file that `reference` names."""
        return self.folder.file(reference.base, reference.written)

    def json(self, file: PackageFile) -> JsonFile:
        """The value of a JSON file."""
        known = self._json.get(file.name)
        if known is None:
            known = self._json[file.name] = read_json_value(file.content)
            if known.problem == "json-syntax":
                self.broken[file.name] = SourceText(file.content.decode("utf-8", "replace"))
        return known

    def schema(self, file: PackageFile) -> "CompiledSchema | str":
        """The compiled schema of a JSON file that could be read, or why there is none."""
        known = self._schemas.get(file.name)
        if known is None:
            known = self._schemas[file.name] = compiled_or_reason(
                self.json(file).value, may_have_patterns=_may_have_patterns(file.content)
            )
        return known

    def usable_schema(self, file: PackageFile) -> "CompiledSchema | None":
        """The compiled schema of a file, `None` when anything is wrong with it."""
        if file.state != "file" or self.json(file).problem:
            return None
        schema = self.schema(file)
        return None if isinstance(schema, str) else schema


def _may_have_patterns(content: bytes) -> bool:
    """Whether a look at the values is needed; an escape may hide the word."""
    return b"pattern" in content or b"\\u" in content
