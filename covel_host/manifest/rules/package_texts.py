"""All rules on translations and variants of a package, run together."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from covel_host.diagnostics.diagnostic import Diagnostic
from covel_host.diagnostics.source import SourceText
from covel_host.manifest.reading import PackageReading
from covel_host.manifest.rules import (
    inline_texts,
    label_files,
    messages,
    template_variables,
    ui_specs,
    variants,
)
from covel_host.manifest.rules.facts import PackageFacts
from covel_host.manifest.rules.file_references import FileReference
from covel_host.manifest.rules.label_files import LabelFile
from covel_host.manifest.rules.messages import PackageTexts
from covel_host.manifest.rules.package_files import PackageFiles
from covel_host.manifest.rules.rule import found_by


def text_problems(
    facts: PackageFacts,
    named: Iterable[FileReference],
    files: PackageFiles,
    sources: dict[str, SourceText],
) -> Iterator[Diagnostic]:
    """The problems of labels, messages and prompt bodies; `sources` gets the label files."""
    for name, read in facts.package.files.items():
        if not name.endswith(".zh.md"):
            yield from found_by(inline_texts.MANIFEST_RULES, read, read)
    for spec in ui_specs.ui_specs(named, files):
        yield from found_by(inline_texts.UI_RULES, spec, spec.reference.frontmatter)
    yield from _label_problems(facts.package, sources)
    yield from _variant_problems(facts)
    for runtime in facts.runtimes:
        for body in template_variables.prompt_bodies(runtime):
            yield from found_by(template_variables.RULES, body, body.frontmatter)


def _label_problems(
    package: PackageReading, sources: dict[str, SourceText]
) -> Iterator[Diagnostic]:
    texts: PackageTexts | None = None
    for file in label_files.read_label_files(package):
        sources[file.frontmatter.file] = file.frontmatter.source
        for found in file.frontmatter.diagnostics:
            # A broken label file costs its translations, never the package.
            yield replace(found, blocks_loading=False)
        yield from found_by(label_files.RULES, file, file.frontmatter)
        if file.messages:
            texts = messages.package_texts(package) if texts is None else texts
            yield from _message_problems(file, texts)


def _message_problems(file: LabelFile, texts: PackageTexts | None) -> Iterator[Diagnostic]:
    if texts is not None:
        found = messages.MessageFile(file, texts)
        yield from found_by(messages.RULES, found, file.frontmatter)


def _variant_problems(facts: PackageFacts) -> Iterator[Diagnostic]:
    package = facts.package
    if facts.root is not None:
        top = facts.root.frontmatter
        yield from found_by(label_files.PACKAGE_RULES, package, top)
        yield from found_by(variants.PACKAGE_RULES, package, top)
    if not any(name.endswith(".zh.md") for name in package.files):
        return
    for variant in variants.variants(package):
        yield from found_by(variants.VARIANT_RULES, variant, variant.frontmatter)
    for runtime in facts.runtimes:
        bodies = variants.two_bodies(runtime, package)
        if bodies is not None:
            yield from found_by(variants.BODY_RULES, bodies, bodies.variant)
