"""The files of a pack: found inside it, read once, translations beside them."""

from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Final

from covel_host.base.json_text import JsonTextError, parse_json
from covel_host.base.paths import OutsideFolder, resolve_inside
from covel_host.diagnostics.codes import report
from covel_host.diagnostics.diagnostic import Diagnostic, Span
from covel_host.diagnostics.file_text import MAX_FILE_BYTES, read_text
from covel_host.diagnostics.near_names import nearest
from covel_host.diagnostics.source import SourceText
from covel_host.diagnostics.yaml_document import YamlDocument, read_yaml
from covel_host.diagnostics.yaml_places import yaml_diagnostic
from covel_host.worlds.models import is_locale
from covel_host.worlds.pack_file import MAX_NODES, PackFile
from covel_host.worlds.value_sizes import holds_more, text_size
from plugin_sdk.values import JsonValue

_JSON: Final = ".json"
_SURELY_TOO_MANY: Final = 4 * MAX_NODES
_TEXTS: Final = (".md", ".txt")


class PathProblem(ValueError):
    """A file that a pack names cannot be taken; `name` is the diagnostic's."""

    def __init__(self, name: str, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.name = name
        self.hint = hint


class PackFiles:
    """The files below `root`; `found` takes the problems of those that are read.

    Each is read and parsed once. Symbolic links are followed as long as they stay inside.
    """

    def __init__(self, root: Path, *, world_id: str, found: list[Diagnostic]) -> None:
        self.root = root
        self.world_id = world_id
        self._found = found
        self._files: dict[str, PackFile] = {}
        self._names: dict[str, tuple[str, ...]] = {}
        self._outside: set[str] = set()

    @property
    def problems(self) -> tuple[Diagnostic, ...]:
        """What `found` holds by now: the problems of every file that was read."""
        return tuple(self._found)

    @property
    def texts(self) -> Mapping[str, SourceText]:
        """The texts of the files that were read, by path."""
        return {name: file.source for name, file in self._files.items()}

    def named(self, relative: str) -> PackFile:
        """The file at `relative`, read by its ending: JSON, text, or else YAML.

        Raises:
            PathProblem: it leads out of the pack, or there is no such file.
        """
        known = self._files.get(relative)
        if known is None:
            path = self.path(relative)
            if not _is_file(path):
                raise self._missing(relative)
            known = self._files[relative] = self._read(path, relative)
        return known

    def path(self, relative: str) -> Path:
        """The real path of `relative`, which need not exist.

        Raises:
            PathProblem: it leads out of the pack.
        """
        try:
            return resolve_inside(self.root, relative)
        except (OutsideFolder, OSError, RuntimeError):
            raise PathProblem(
                "path-outside-package",
                f"{relative!r} leads out of the world pack",
                hint="Copy the file into the pack and name it there.",
            ) from None

    def optional(self, relative: str) -> PackFile | None:
        """The file at `relative`; `None` where there is none.

        A link that leads out of the pack is a problem, told once, and no file.
        """
        try:
            return self.named(relative)
        except PathProblem as problem:
            if problem.name != "file-not-found" and relative not in self._outside:
                self._outside.add(relative)
                message = f"{problem}."
                self._found.append(
                    report(
                        problem.name,
                        message,
                        plugin=self.world_id,
                        file=relative,
                        hint=problem.hint,
                    )
                )
            return None

    def translations(self, relative: str) -> dict[str, str]:
        """Paths of the translations of a file by locale: `data/lore.zh.yaml` of `data/lore.yaml`.

        What stands between the dots must be a language tag; for `world.data.yaml` it is none.
        """
        folder, _, name = relative.rpartition("/")
        stem, _, ending = name.rpartition(".")
        prefix, suffix = f"{stem}.", f".{ending}"
        found = {}
        for entry in self._in_folder(folder):
            tag = entry.removeprefix(prefix).removesuffix(suffix)
            if entry == f"{prefix}{tag}{suffix}" and is_locale(tag):
                found[tag] = f"{folder}/{entry}" if folder else entry
        return found

    def unread_translations(self, relative: str) -> list[str]:
        """Files named like a translation of `relative` whose middle part is no language tag."""
        folder, _, name = relative.rpartition("/")
        stem, _, ending = name.rpartition(".")
        found = []
        for entry in self._in_folder(folder):
            tag = entry.removeprefix(f"{stem}.").removesuffix(f".{ending}")
            if entry == f"{stem}.{tag}.{ending}" and "." not in tag and not is_locale(tag):
                found.append(f"{folder}/{entry}" if folder else entry)
        return found

    def digest(self, *relatives: str) -> str:
        """The SHA-256 over the texts of files that were read, as hexadecimal digits."""
        digest = sha256()
        for relative in relatives:
            text = self._files[relative].source.text.encode("utf-8", "surrogatepass")
            digest.update(b"%d:%b:%d:" % (len(relative), relative.encode(), len(text)))
            digest.update(text)
        return digest.hexdigest()

    def _in_folder(self, folder: str) -> tuple[str, ...]:
        names = self._names.get(folder)
        if names is None:
            try:
                names = tuple(sorted(entry.name for entry in (self.root / folder).iterdir()))
            except OSError:
                names = ()
            self._names[folder] = names
        return names

    def _missing(self, relative: str) -> PathProblem:
        folder, _, name = relative.rpartition("/")
        near = nearest(name, self._in_folder(folder))
        place = f"{folder}/{near}" if folder else near
        hint = f"The nearest file is {place!r}." if near else "Add the file, or correct the path."
        return PathProblem("file-not-found", f"the world pack has no file {relative!r}", hint=hint)

    def _read(self, path: Path, relative: str) -> PackFile:
        read = read_text(path, plugin=self.world_id, file=relative)
        source = SourceText(read.text)
        if read.problem is not None:
            self._found.append(read.problem)
            return PackFile(self.world_id, relative, source, None, YamlDocument(None))
        if relative.endswith(_TEXTS):
            return PackFile(self.world_id, relative, source, read.text.removeprefix("\ufeff"))
        if relative.endswith(_JSON):
            return PackFile(self.world_id, relative, source, self._json(source, relative))
        offset = 1 if read.text.startswith("\ufeff") else 0
        document = read_yaml(read.text[offset:], max_nodes=MAX_NODES)
        self._found += [
            # Fixes are made in packages alone.
            replace(yaml_diagnostic(problem, source, offset, self.world_id, relative), fix=None)
            for problem in document.problems
        ]
        value: JsonValue = document.value  # type: ignore[assignment]  # YAML values are JSON
        if "*" in read.text and text_size(value, limit=MAX_FILE_BYTES) > MAX_FILE_BYTES:
            message = f"{relative} holds more than 10 MB of text once aliases are written out."
            self._found.append(self._too_large(relative, message))
            return PackFile(self.world_id, relative, source, None, YamlDocument(None))
        return PackFile(self.world_id, relative, source, value, document)

    def _too_large(self, relative: str, message: str) -> Diagnostic:
        return report("file-too-large", message, plugin=self.world_id, file=relative)

    def _json(self, source: SourceText, relative: str) -> JsonValue:
        text = source.text.removeprefix("\ufeff")
        # No value stands without a comma or a bracket before it, though texts hold some as well.
        most = 1 + text.count(",") + text.count("[") + text.count("{")
        try:
            value = None if most > _SURELY_TOO_MANY else parse_json(text)
            if value is None or (most > MAX_NODES and holds_more(value, MAX_NODES)):
                if most > MAX_NODES:
                    message = f"{relative} has more than {MAX_NODES:,} values."
                    self._found.append(self._too_large(relative, message))
                return None
            return value
        except JsonTextError as error:
            place = Span(error.line, error.column, error.line, error.column)
            self._found.append(
                report(
                    "json-syntax",
                    f"{relative} is no JSON: {error.message}.",
                    plugin=self.world_id,
                    file=relative,
                    span=place,
                )
            )
            return None


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        # Such as a name longer than the file system takes.
        return False
