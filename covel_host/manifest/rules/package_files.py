"""The files that manifests name, as values and compiled schemas, each read once."""

from covel_host.manifest.rules.file_references import FileReference
from covel_host.manifest.rules.json_values import JsonFile, read_json_value
from covel_host.manifest.rules.package_folder import PackageFile, PackageFolder
from covel_host.manifest.rules.schemas import compiled_or_reason
from covel_host.schemas.compiled import CompiledSchema


class PackageFiles:
    """The files of one package as values, schemas and problems; each file is read once."""

    def __init__(self, folder: PackageFolder) -> None:
        self.folder = folder
        self._json: dict[str, JsonFile] = {}
        self._schemas: dict[str, CompiledSchema | str] = {}

    def found(self, reference: FileReference) -> PackageFile:
        """The file that `reference` names."""
        return self.folder.file(reference.base, reference.written)

    def json(self, file: PackageFile) -> JsonFile:
        """The value of a JSON file."""
        known = self._json.get(file.name)
        if known is None:
            known = self._json[file.name] = read_json_value(file.content)
        return known

    def schema(self, file: PackageFile) -> CompiledSchema | str:
        """The compiled schema of a JSON file that could be read, or why there is none."""
        known = self._schemas.get(file.name)
        if known is None:
            known = self._schemas[file.name] = compiled_or_reason(self.json(file).value)
        return known

    def usable_schema(self, file: PackageFile) -> CompiledSchema | None:
        """The compiled schema of a file, `None` when anything is wrong with it."""
        if file.state != "file" or self.json(file).problem:
            return None
        schema = self.schema(file)
        return None if isinstance(schema, str) else schema
