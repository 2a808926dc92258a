"""All rules on the files that a package names, run together."""

from collections.abc import Iterator
from itertools import chain
from typing import Final

from covel_host.diagnostics.diagnostic import Diagnostic
from covel_host.manifest.reading import PackageReading
from covel_host.manifest.rules import named_files, record_schemas, ui_specs
from covel_host.manifest.rules.facts import root_facts, runtime_facts
from covel_host.manifest.rules.file_references import (
    FileReference,
    references_of_root,
    references_of_runtime,
)
from covel_host.manifest.rules.package_files import PackageFiles

RULES: Final = (*named_files.RULES, *record_schemas.RULES, *ui_specs.RULES)


def references(package: PackageReading) -> list[FileReference]:
    """Every file that the manifests of `package` name, `entry` left out."""
    root = root_facts(package)
    named = chain.from_iterable(map(references_of_runtime, runtime_facts(package, root)))
    return [*(() if root is None else references_of_root(root)), *named]


def file_problems(package: PackageReading, files: PackageFiles) -> Iterator[Diagnostic]:
    """The problems of the files that `package` names; each file is read once."""
    named = references(package)
    yield from named_files.named_file_problems(named, files)
    root = root_facts(package)
    if root is not None and (root.contributes.data or root.contributes.datasets):
        data = record_schemas.DataFacts(root, files)
        for data_rule in record_schemas.RULES:
            yield from data_rule.found_in(data, root.frontmatter)
    for spec in ui_specs.ui_specs(named, files):
        for ui_rule in ui_specs.RULES:
            yield from ui_rule.found_in(spec, spec.reference.frontmatter)
