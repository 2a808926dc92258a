"""All rules on the files that a package names, run together."""

from collections.abc import Iterator, Sequence

from covel_host.diagnostics.diagnostic import Diagnostic
from covel_host.manifest.rules import named_files, record_schemas, ui_specs
from covel_host.manifest.rules.facts import PackageFacts
from covel_host.manifest.rules.file_references import FileReference
from covel_host.manifest.rules.package_files import PackageFiles
from covel_host.manifest.rules.rule import found_by


def file_problems(
    facts: PackageFacts, named: Sequence[FileReference], files: PackageFiles
) -> Iterator[Diagnostic]:
    """The problems of the files `named` by a package; each file is read once."""
    yield from named_files.named_file_problems(named, files)
    root = facts.root
    if root is not None and (root.contributes.data or root.contributes.datasets):
        data = record_schemas.DataFacts(root, files)
        yield from found_by(record_schemas.RULES, data, root.frontmatter)
    for spec in ui_specs.ui_specs(named, files):
        yield from found_by(ui_specs.RULES, spec, spec.reference.frontmatter)
