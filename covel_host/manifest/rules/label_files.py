"""Label files `locales/<locale>.yaml` (spec/i18n.md 5; spec/manifest.md 3.3).

A missing or wrong translation never keeps a package from being loaded, so nothing here does.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from covel_host.diagnostics.near_names import nearest
from covel_host.diagnostics.values_shown import kind_in_words, shown
from covel_host.manifest.frontmatter import Frontmatter, read_yaml_file, refused_file
from covel_host.manifest.layout import outside_problem, printable
from covel_host.manifest.reading import PackageReading
from covel_host.manifest.rules.rule import FileProblem, Path, Problem, Rule, field, rule

LOCALES_FOLDER: Final = "locales"
MESSAGES: Final = "messages"
LABELS: Final = ("displayName", "description", "label", "title", "summary", "about")
# What lists are aligned by; a list of links has none of them and is aligned by order.
_ALIGNED_BY: Final = ("id", "name", "key", "topic", "value")
_LOCALE: Final = re.compile(
    r"[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?(-[a-z0-9]{5,8})*(-[a-wyz](-[a-z0-9]{2,8})+)*"
)
_PLACEHOLDER: Final = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


@dataclass(frozen=True, slots=True)
class LabelFile:
    """One label file that could be read, and the package it belongs to."""

    locale: str
    frontmatter: Frontmatter
    package: PackageReading

    @property
    def sections(self) -> Iterator[tuple[str, object]]:
        """Names and contents of the sections, `messages` left out."""
        fields = self.frontmatter.fields or {}
        return ((name, value) for name, value in fields.items() if name != MESSAGES)

    @property
    def messages(self) -> Mapping[object, object]:
        """The translations of texts in code and UI specs, by English text."""
        found = (self.frontmatter.fields or {}).get(MESSAGES)
        return found if isinstance(found, dict) else {}


@dataclass(frozen=True, slots=True)
class _Pair:
    """A value of a label file and the one of the manifest it translates."""

    path: Path
    label: object
    source: object


def read_label_files(package: PackageReading) -> Iterator[LabelFile]:
    """The label files of `package`, in order of their names."""
    for name in _names(package):
        if name.endswith(".yaml"):
            locale = printable(name).removesuffix(".yaml")
            yield LabelFile(locale, _read(package, f"{LOCALES_FOLDER}/{name}"), package)


def _names(package: PackageReading) -> list[str]:
    try:
        return sorted(os.listdir(package.root / LOCALES_FOLDER))
    except OSError:
        return []


def _read(package: PackageReading, relative: str) -> Frontmatter:
    plugin, file = package.plugin_id, printable(relative)
    outside = outside_problem(package.root, relative, plugin=plugin, file=file)
    if outside is not None:
        return refused_file(outside)
    return read_yaml_file(package.root / relative, plugin=plugin, file=file)


@rule("i18n 5", "locale-file-name", "A label file ends with `.yaml`.")
def other_ending(package: PackageReading) -> Iterator[FileProblem]:
    for name in map(printable, _names(package)):
        stem, dot, ending = name.rpartition(".")
        if dot and ending.lower() in ("yml", "yaml") and ending != "yaml":
            yield FileProblem(
                f"{LOCALES_FOLDER}/{name}",
                None,
                f"{LOCALES_FOLDER}/{name} is not read; label files end with '.yaml'.",
                f"Rename it to {stem}.yaml.",
            )


@rule("i18n 1", "locale-file-name", "A label file is named after its locale.")
def locale_name(file: LabelFile) -> Iterator[Problem]:
    if not is_locale(file.locale):
        right = _canonical(file.locale)
        yield Problem(
            (),
            f"{file.frontmatter.file} is named {file.locale!r}; expected a locale such as 'de', "
            "'pt-BR' or 'zh-Hant-TW'.",
            f"Rename it to {right}.yaml." if is_locale(right) else None,
        )


@rule("i18n 5", "label-not-translatable", "A label file translates labels only.")
def not_translatable(file: LabelFile) -> Iterator[Problem]:
    for pair in _leaves(file):
        name = next((part for part in reversed(pair.path) if isinstance(part, str)), "")
        if name not in LABELS:
            near = nearest(name, LABELS)
            yield Problem(
                pair.path,
                f"{field(pair.path)} is no label; a label file translates {', '.join(LABELS)}.",
                f"The nearest label is {near!r}." if near is not None else "Remove it.",
                at_key=True,
            )
        elif not isinstance(pair.label, str):
            yield Problem(
                pair.path,
                f"{field(pair.path)} is {kind_in_words(pair.label)}; a label is a text.",
            )


@rule("i18n 5", "label-not-translatable", "Messages are a map of texts.")
def messages_not_texts(file: LabelFile) -> Iterator[Problem]:
    found = (file.frontmatter.fields or {}).get(MESSAGES)
    if found is not None and not isinstance(found, dict):
        path: Path = (MESSAGES,)
        yield Problem(
            path,
            f"{field(path)} is {shown(found)}; expected a map from English texts to translations.",
            "Write each message as 'English text: translation'.",
        )
    for text, translation in file.messages.items():
        if not isinstance(translation, str):
            yield Problem(
                (MESSAGES, str(text)),
                f"The translation of {str(text)!r} is {kind_in_words(translation)}; expected a "
                "text.",
                "Put it in quotes." if isinstance(translation, bool | int | float) else None,
            )


@rule("i18n 5", "label-without-source", "A label file translates what the manifest has.")
def without_source(file: LabelFile) -> Iterator[Problem]:
    known = _manifest_files(file.package)
    for section, _ in file.sections:
        if section not in known:
            near = nearest(section, [*known, MESSAGES])
            yield Problem(
                (section,),
                f"`{section}` is no manifest of the package; sections are named "
                f"{', '.join(map(repr, (*known, MESSAGES)))}.",
                f"The nearest one is {near!r}." if near is not None else None,
                at_key=True,
            )
    for pair in _leaves(file):
        name = next((part for part in reversed(pair.path) if isinstance(part, str)), "")
        if pair.source is None and name in LABELS:
            yield Problem(
                pair.path,
                f"{field(pair.path)} translates something that {pair.path[0]} does not have.",
                "Remove it, or correct the name that the list is aligned by.",
                at_key=True,
            )


@rule("i18n 5", "message-unfit", "A translation keeps the placeholders of its message.")
def placeholders(file: LabelFile) -> Iterator[Problem]:
    for text, translation in file.messages.items():
        if not isinstance(translation, str):
            continue
        path: Path = (MESSAGES, str(text))
        wanted = set(_PLACEHOLDER.findall(str(text)))
        written = set(_PLACEHOLDER.findall(translation))
        if wanted != written:
            names = ", ".join(f"{{{name}}}" for name in sorted(wanted ^ written))
            yield Problem(
                path,
                f"The translation of {str(text)!r} differs from it in the placeholders {names}.",
                "Use the same placeholders in both.",
            )


def _manifest_files(package: PackageReading) -> dict[str, Frontmatter]:
    return {name: read for name, read in package.files.items() if not name.endswith(".zh.md")}


def _leaves(file: LabelFile) -> Iterator[_Pair]:
    """Every translation with its source, `None` where the manifest has none; no recursion."""
    manifests = _manifest_files(file.package)
    waiting = [
        _Pair((section,), label, manifests[section].fields)
        for section, label in file.sections
        if section in manifests and manifests[section].fields is not None
    ]
    while waiting:
        pair = waiting.pop()
        inner = _inner(pair)
        if inner is None:
            yield pair
        else:
            waiting.extend(inner)


def _inner(pair: _Pair) -> list[_Pair] | None:
    """The members of a map or list, `None` for what is a translation or stands in its place."""
    if isinstance(pair.source, str) or (pair.source is None and pair.path[-1] in LABELS):
        return None
    if isinstance(pair.label, dict):
        source = pair.source if isinstance(pair.source, dict) else {}
        aligned = _aligned_by(pair.label) if isinstance(pair.path[-1], int) else None
        return [
            _Pair((*pair.path, str(name)), value, source.get(name))
            for name, value in pair.label.items()
            if name != aligned
        ]
    if isinstance(pair.label, list):
        return [
            _Pair((*pair.path, index), item, _counterpart(item, index, pair.source))
            for index, item in enumerate(pair.label)
        ]
    return None


def _counterpart(item: object, index: int, source: object) -> object:
    """The item of the list `source` that `item` translates: by ID, name or key, else by order."""
    items = source if isinstance(source, list) else []
    aligned = _aligned_by(item) if isinstance(item, dict) else None
    if aligned is None or not isinstance(item, dict):
        return items[index] if index < len(items) else None
    return next(
        (
            found
            for found in items
            if isinstance(found, dict) and found.get(aligned) == item[aligned]
        ),
        None,
    )


def label_for(source: object, index: int, labels: Sequence[object]) -> object:
    """The item of the list `labels` that translates `source`, item `index` of its own list."""
    for place, label in enumerate(labels):
        aligned = _aligned_by(label) if isinstance(label, dict) else None
        if aligned is None or not isinstance(label, dict):
            if place == index:
                return label
        elif isinstance(source, Mapping) and source.get(aligned) == label[aligned]:
            return label
    return None


def _aligned_by(item: Mapping[object, object]) -> str | None:
    return next((name for name in _ALIGNED_BY if name in item), None)


def is_locale(name: str) -> bool:
    """Whether `name` is a locale in canonical form."""
    return _LOCALE.fullmatch(name) is not None


def _canonical(written: str) -> str:
    """`written` in the letter case and with the hyphens of a locale, as far as it is one."""
    first, *rest = written.replace("_", "-").split("-")
    sizes = {2: str.upper, 4: str.title}
    return "-".join([first.lower(), *(sizes.get(len(part), str.lower)(part) for part in rest)])


PACKAGE_RULES: Final[tuple[Rule[PackageReading], ...]] = (other_ending,)
RULES: Final[tuple[Rule[LabelFile], ...]] = (
    locale_name,
    not_translatable,
    messages_not_texts,
    without_source,
    placeholders,
)
