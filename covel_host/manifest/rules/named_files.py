"""Every file a manifest names exists inside the package, and its JSON can be used
(spec/manifest.md 6.3, rules 11 and 12)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from covel_host.diagnostics.diagnostic import Diagnostic, Related, Span
from covel_host.diagnostics.near_names import nearest
from covel_host.manifest.rules.file_references import FileReference
from covel_host.manifest.rules.package_files import PackageFiles
from covel_host.manifest.rules.package_folder import PackageFile
from covel_host.manifest.rules.rule import Problem, Rule, field, found_by, rule

_JSON_USES: Final = ("schema", "example")


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A file reference, what was found there, and the files of its package."""

    reference: FileReference
    found: PackageFile
    files: PackageFiles


@rule("6.3.11", "file-not-found", "A file that a manifest names exists.")
def file_missing(named: NamedFile) -> Iterator[Problem]:
    reference = named.reference
    if named.found.state == "missing":
        yield Problem(
            reference.path,
            f"{field(reference.path)} is {reference.written!r}, and there is no such file.",
            _missing_hint(named),
        )


@rule("6.3.11", "path-outside-package", "A file that a manifest names lies in the package.")
def file_outside(named: NamedFile) -> Iterator[Problem]:
    reference = named.reference
    if named.found.state == "outside":
        yield Problem(
            reference.path,
            f"{field(reference.path)} is {reference.written!r}, which leads out of the package "
            "once symbolic links are followed.",
            "Copy the file into the package.",
        )


@rule("6.3.11", "file-unreadable", "A file that a manifest names can be read.")
def file_unreadable(named: NamedFile) -> Iterator[Problem]:
    reference, found = named.reference, named.found
    if found.state == "unreadable":
        yield Problem(
            reference.path,
            f"{field(reference.path)} is {reference.written!r}, which cannot be read: "
            f"{found.reason}.",
            "Check that it is a file and that its rights allow reading.",
        )


@rule("6.3.12", "json-syntax", "A JSON file that a manifest names is JSON.")
def json_syntax(named: NamedFile) -> Iterator[Problem]:
    reference, found = named.reference, named.found
    if not is_json(reference) or found.state != "file":
        return
    value = named.files.json(found)
    if value.problem == "json-syntax":
        place = Span(value.line, value.column, value.line, value.column)
        yield Problem(
            reference.path,
            f"{field(reference.path)} is {reference.written!r}, which is not JSON: "
            f"{value.message} (line {value.line}, column {value.column}).",
            "Correct the file; names and texts are in double quotes, and nothing follows the last "
            "item but its bracket.",
            related=(Related("the text goes wrong here", found.name, place),),
        )


@rule("6.3.12", "json-too-large", "A JSON file that a manifest names is of reasonable size.")
def json_too_large(named: NamedFile) -> Iterator[Problem]:
    reference, found = named.reference, named.found
    if not is_json(reference) or found.state != "file":
        return
    value = named.files.json(found)
    if value.problem == "json-too-large":
        yield Problem(
            reference.path,
            f"{field(reference.path)} is {reference.written!r}, which {value.message}.",
            "Split the file.",
        )


@rule("6.3.12", "schema-unusable", "A schema that a manifest names can be compiled.")
def schema_unusable(named: NamedFile) -> Iterator[Problem]:
    reference, found = named.reference, named.found
    if reference.use != "schema" or found.state != "file" or named.files.json(found).problem:
        return
    schema = named.files.schema(found)
    if isinstance(schema, str):
        yield Problem(
            reference.path,
            f"{field(reference.path)} is {reference.written!r}, which is no usable JSON Schema: "
            f"{schema}.",
            "Values could not be checked with it, so it has to be corrected.",
            related=(Related("the schema", found.name, None),),
        )


def is_json(reference: FileReference) -> bool:
    """Whether the file has to be JSON."""
    return reference.use in _JSON_USES or reference.written.endswith(".json")


def named_file_problems(
    references: Iterable[FileReference], files: PackageFiles
) -> Iterator[Diagnostic]:
    """The breaches of all rules on named files."""
    for reference in references:
        found = files.found(reference)
        if _in_order(reference, found, files):
            continue
        named = NamedFile(reference, found, files)
        yield from found_by(RULES, named, reference.frontmatter)


def _in_order(reference: FileReference, found: PackageFile, files: PackageFiles) -> bool:
    """Whether one look says that no rule has anything to report, as for most files."""
    if found.state != "file":
        return False
    if not is_json(reference):
        return True
    return not files.json(found).problem and (
        reference.use != "schema" or not isinstance(files.schema(found), str)
    )


def _missing_hint(named: NamedFile) -> str:
    reference = named.reference
    written = reference.written
    folder, _, name = written.rpartition("/")
    beside = named.files.folder.listing(reference.base, written)
    near = nearest(name, beside)
    if near is not None and near.lower() == name.lower() and near != name:
        return f"The file is called {near!r}; letter case counts."
    if near is not None:
        return f"The nearest file there is {near!r}."
    from_root = named.files.folder.file(named.files.folder.root, written).state == "file"
    if from_root and reference.base != named.files.folder.root:
        above = f"../../{PurePosixPath(written)}"
        return f"Paths of a runtime start from its own folder: write {above!r}."
    return f"Add the file to {folder}/, or correct the path." if folder else "Add the file."


RULES: Final[tuple[Rule[NamedFile], ...]] = (
    file_missing,
    file_outside,
    file_unreadable,
    json_syntax,
    json_too_large,
    schema_unusable,
)
