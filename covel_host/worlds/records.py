"""The records of one source in one language, each with its key and its place."""

from dataclasses import dataclass
from typing import Final

from covel_host.diagnostics.diagnostic import Diagnostic, dotted
from covel_host.diagnostics.values_shown import kind_in_words, shown
from covel_host.diagnostics.yaml_nodes import Path
from covel_host.worlds.overlays import is_record_text
from covel_host.worlds.pack_file import PackFile
from covel_host.worlds.pack_files import PathProblem
from covel_host.worlds.reading import PackReading
from covel_host.worlds.sources import Source
from covel_host.worlds.translations import Translated
from plugin_sdk.values import JsonValue

MAX_KEY_UNITS: Final = 256
_TEXT_KINDS: Final = ("markdown", "text")


@dataclass(frozen=True, slots=True)
class Record:
    """One record; it stands at `path` of the main file."""

    key: str
    value: JsonValue
    file: PackFile
    path: Path

    def report(
        self, name: str, message: str, inside: str = "", *, hint: str | None = None
    ) -> Diagnostic:
        """A problem of what rules name `inside` the record, a dotted path."""
        path = self.file.inner(self.path, inside)
        return self.file.report(name, message, path=path, hint=hint)


@dataclass(frozen=True, slots=True)
class SourceRecords:
    """What one source holds; `digest` changes with the files it came from."""

    source: Source
    records: tuple[Record, ...]
    digest: str
    problems: tuple[Diagnostic, ...] = ()


def read_records(source: Source, reading: PackReading, locale: str) -> SourceRecords:
    """The records of `source` in the language `locale`, and what keeps others from being read."""
    entry = source.entry
    try:
        main = reading.files.named(entry.path)
    except PathProblem as problem:
        message = f"The source {source.source_id!r}: {problem}."
        told = source.report(problem.name, message, "path", hint=problem.hint)
        return SourceRecords(source, (), "", (told,))
    if main.value is None:
        return SourceRecords(source, (), "")
    if entry.kind in _TEXT_KINDS:
        return _one_text(source, main, reading, locale)
    key = _key_field(source)
    translated = reading.translations.in_locale(
        main,
        locale,
        may_translate=lambda path: is_record_text(path) and path[-1] != key,
        identity=(key, *entry.locale_array_keys),
    )
    return _records(source, main, translated, reading)


def _key_field(source: Source) -> str:
    if source.target.kind in ("characters", "lorebook"):
        return "id"
    return source.entry.key or "id"


def _one_text(source: Source, main: PackFile, reading: PackReading, locale: str) -> SourceRecords:
    found = reading.translations.text(source.entry.path, locale) or main
    assert source.entry.key is not None
    value: JsonValue = found.value
    if source.target.kind == "lorebook":
        value = {"id": source.entry.key, "content": found.value}
    record = Record(source.entry.key, value, found, ())
    return SourceRecords(source, (record,), reading.files.digest(found.file))


def _records(
    source: Source, main: PackFile, translated: Translated, reading: PackReading
) -> SourceRecords:
    key = _key_field(source)
    value = translated.value
    listed = isinstance(value, list)
    if not listed and not (isinstance(value, dict) and key in value):
        return SourceRecords(source, (), "", (_shape_problem(source, main, key),))
    items: list[JsonValue] = value if isinstance(value, list) else [value]
    records: list[Record] = []
    problems: list[Diagnostic] = []
    seen: dict[str, Path] = {}
    for index, item in enumerate(items):
        path: Path = (index,) if listed else ()
        found = item.get(key) if isinstance(item, dict) else None
        if not isinstance(found, str) or not found.strip():
            problems.append(_key_problem(main, item, key, path))
        elif len(found.encode("utf-16-le")) > 2 * MAX_KEY_UNITS:
            message = f"`{dotted((*path, key))}` has more than {MAX_KEY_UNITS} characters."
            problems.append(main.report("world-data-shape", message, path=(*path, key)))
        elif found in seen:
            message = f"Two records of {main.file} have the {key} {shown(found)}."
            problems.append(main.report("world-record-duplicate", message, path=(*path, key)))
        else:
            seen[found] = path
            records.append(Record(found, item, main, path))
    digest = reading.files.digest(*translated.files)
    return SourceRecords(source, tuple(records), digest, tuple(problems))


def _shape_problem(source: Source, file: PackFile, key: str) -> Diagnostic:
    return file.report(
        "world-data-shape",
        f"{file.file} is {kind_in_words(file.value)}; the source {source.source_id!r} takes a list "
        f"of records, or one record with the field {key!r}.",
        path=(),
        hint=f"Begin each record with '- {key}: …'.",
    )


def _key_problem(file: PackFile, item: JsonValue, key: str, path: Path) -> Diagnostic:
    if not isinstance(item, dict):
        message = f"`{dotted(path)}` is {shown(item)}; expected a record, written as fields."
        return file.report("world-data-shape", message, path=path)
    if key not in item:
        message = f"`{dotted((*path, key))}` is missing; it is the key of the record."
        return file.report("world-data-shape", message, path=path, hint=f"Add {key!r}.")
    message = f"`{dotted((*path, key))}` is {shown(item[key])}; the key of a record is a text."
    return file.report("world-data-shape", message, path=(*path, key))
