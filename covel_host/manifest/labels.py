"""The labels of a manifest in another language: the sections of `locales/<locale>.yaml`."""

from collections.abc import Mapping

from covel_host.manifest.commands import Command
from covel_host.manifest.layout import ROOT_MANIFEST
from covel_host.manifest.reading import PackageReading
from covel_host.manifest.rules.label_files import (
    LABELS,
    LabelFile,
    is_locale,
    label_for,
    read_label_files,
)
from plugin_sdk.rules.i18n import matching_locale


def labelled_commands(package: PackageReading, locale: str) -> tuple[Command, ...]:
    """The package's commands with their texts for a reader of `locale`, read from disk.

    A text without a label stays as the manifest has it. What is wrong with a label file costs the
    label and nothing else (spec/i18n.md 5).
    """
    if package.manifest is None:
        return ()
    commands = package.manifest.contributes.commands
    if not commands:
        return ()
    labels = _member(_member(_section(package, locale), "contributes"), "commands")
    if not isinstance(labels, list):
        return commands
    written = [command.model_dump(by_alias=True, exclude_unset=True) for command in commands]
    shown = _labelled(written, labels)
    assert isinstance(shown, list)
    return tuple(Command.model_validate(command) for command in shown)


def _section(package: PackageReading, locale: str) -> object:
    files = {file.locale: file for file in read_label_files(package) if is_locale(file.locale)}
    found = matching_locale(files, locale)
    return None if found is None else _sections(files[found]).get(ROOT_MANIFEST)


def _sections(file: LabelFile) -> dict[str, object]:
    return dict(file.sections)


def _labelled(source: object, label: object) -> object:
    """`source` with the labels that `label` has for it."""
    if isinstance(source, dict) and isinstance(label, dict):
        return {name: _of_member(name, value, label.get(name)) for name, value in source.items()}
    if isinstance(source, list | tuple) and isinstance(label, list):
        return [_labelled(item, label_for(item, index, label)) for index, item in enumerate(source)]
    return source


def _of_member(name: str, value: object, label: object) -> object:
    if name in LABELS and isinstance(value, str):
        return label if isinstance(label, str) and label else value
    return _labelled(value, label)


def _member(value: object, name: str) -> object:
    return value.get(name) if isinstance(value, Mapping) else None
