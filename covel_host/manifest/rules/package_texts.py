"""All rules on translations and variants of a package, run together."""

from collections.abc import Iterator
from dataclasses import replace

from covel_host.diagnostics.diagnostic import Diagnostic
from covel_host.diagnostics.source import SourceText
from covel_host.manifest.reading import PackageReading
from covel_host.manifest.rules import inline_texts, label_files, messages, ui_specs, variants
from covel_host.manifest.rules.facts import root_facts, runtime_facts
from covel_host.manifest.rules.label_files import LabelFile
from covel_host.manifest.rules.package_files import PackageFiles
from covel_host.manifest.rules.referenced_files import references


def text_problems(
    package: PackageReading, files: PackageFiles, sources: dict[str, SourceText]
) -> Iterator[Diagnostic]:
    """The problems of labels, messages and prompt bodies; `sources` gets the label files."""
    for name, read in package.files.items():
        if not name.endswith(".zh.md"):
            for manifest_rule in inline_texts.MANIFEST_RULES:
                yield from manifest_rule.found_in(read, read)
    for spec in ui_specs.ui_specs(references(package), files):
        for ui_rule in inline_texts.UI_RULES:
            yield from ui_rule.found_in(spec, spec.reference.frontmatter)
    yield from _label_problems(package, sources)
    yield from _variant_problems(package)


def _label_problems(
    package: PackageReading, sources: dict[str, SourceText]
) -> Iterator[Diagnostic]:
    texts: str | None = None
    for file in label_files.read_label_files(package):
        sources[file.frontmatter.file] = file.frontmatter.source
        for found in file.frontmatter.diagnostics:
            # A broken label file costs its translations, never the package.
            yield replace(found, blocks_loading=False)
        for label_rule in label_files.RULES:
            yield from label_rule.found_in(file, file.frontmatter)
        if file.messages:
            texts = messages.package_texts(package) if texts is None else texts
            yield from _message_problems(file, texts)


def _message_problems(file: LabelFile, texts: str | None) -> Iterator[Diagnostic]:
    if texts is not None:
        found = messages.MessageFile(file, texts)
        for message_rule in messages.RULES:
            yield from message_rule.found_in(found, file.frontmatter)


def _variant_problems(package: PackageReading) -> Iterator[Diagnostic]:
    root = root_facts(package)
    if root is not None:
        for package_rule in variants.PACKAGE_RULES:
            yield from package_rule.found_in(package, root.frontmatter)
    for variant in variants.variants(package):
        for variant_rule in variants.VARIANT_RULES:
            yield from variant_rule.found_in(variant, variant.frontmatter)
    if not any(name.endswith(".zh.md") for name in package.files):
        return
    for runtime in runtime_facts(package, root):
        bodies = variants.two_bodies(runtime, package)
        if bodies is not None:
            for body_rule in variants.BODY_RULES:
                yield from body_rule.found_in(bodies, bodies.variant)
