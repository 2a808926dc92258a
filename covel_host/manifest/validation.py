"""Everything that can be found wrong with a package without running it, in one call."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from covel_host.diagnostics.diagnostic import Diagnostic, in_order
from covel_host.diagnostics.source import SourceText
from covel_host.manifest.package import read_package
from covel_host.manifest.reading import PackageReading
from covel_host.manifest.rules.facts import package_facts
from covel_host.manifest.rules.file_references import file_references
from covel_host.manifest.rules.package_code import code_problems, named_code_problems
from covel_host.manifest.rules.package_files import PackageFiles
from covel_host.manifest.rules.package_folder import PackageFolder
from covel_host.manifest.rules.package_texts import text_problems
from covel_host.manifest.rules.referenced_files import file_problems


@dataclass(frozen=True, slots=True)
class Validation:
    """A package as it was read, and every problem that its files show, in order of place.

    `sources` holds the texts that problems lie in, beside the manifests of the reading.
    """

    reading: PackageReading
    diagnostics: tuple[Diagnostic, ...]
    sources: Mapping[str, SourceText] = field(repr=False)

    def source(self, file: str) -> SourceText | None:
        """The text of a file of the package, for excerpts."""
        return self.reading.source(file) or self.sources.get(file)


def validate_folder(root: Path, *, plugin_id: str | None = None) -> Validation:
    """`validate_package` of the package in the folder `root`, read first."""
    return validate_package(read_package(root, plugin_id=plugin_id))


def validate_package(package: PackageReading) -> Validation:
    """All problems of `package`: those of reading, of the files it names, of its code and texts.

    Each file is read and parsed once; no code of the package runs, and nothing is raised for what
    its files hold. What only loading can know is not here (spec/manifest.md 7).
    """
    facts = package_facts(package)
    named = file_references(facts)
    files = PackageFiles(PackageFolder(package.root))
    sources: dict[str, SourceText] = {}
    found = [
        *package.diagnostics,
        *file_problems(facts, named, files),
        *code_problems(facts, named, files.folder, sources),
        *text_problems(facts, named, files, sources),
    ]
    return Validation(package, in_order(found), sources | files.broken)


def problems_of_loading(package: PackageReading) -> tuple[Diagnostic, ...]:
    """What keeps the package from being loaded, in the files it names and before code runs.

    The problems of reading are in `package.diagnostics`; these are the blocking ones of its
    schemas, UI specs, handlers and guards. The entry is not looked at: loading runs it.
    """
    facts = package_facts(package)
    named = file_references(facts)
    files = PackageFiles(PackageFolder(package.root))
    found = [*file_problems(facts, named, files), *named_code_problems(named, files.folder)]
    return in_order(problem for problem in found if problem.blocks_loading)
