"""Labels written as a map of languages in a manifest or UI spec (spec/i18n.md 5).

The loader reads such maps, so the rules are for the validator alone (spec/decisions.md 5).
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from covel_host.manifest.frontmatter import Frontmatter
from covel_host.manifest.rules.label_files import LABELS, is_locale
from covel_host.manifest.rules.rule import Path, Problem, Rule, field, rule
from covel_host.manifest.rules.ui_specs import UiSpec

# Most manifests have no map in the place of a label, and one look at the text says so: the name of
# a label, then anything but a plain value. Escapes and explicit keys may hide a name.
_MAY_HOLD_MAP: Final = re.compile(
    rf"(?:{'|'.join(LABELS)})[\"']?[ \t]*:[ \t]*(?:[{{&*#!\r\n]|$)|\\|\?"
)
# Maps whose keys are names an author chose, so that a label's name there is no label.
_NAMED_BY_AUTHORS: Final = frozenset(
    ("contracts", "data", "datasets", "inputs", "outputs", "worldProjections")
)


@rule("i18n 5", "inline-locale-map", "Labels of a manifest are English texts.")
def in_manifest(manifest: Frontmatter) -> Iterator[Problem]:
    if _MAY_HOLD_MAP.search(manifest.source.text) is None:
        return
    for path, texts in _label_maps(manifest.fields or {}):
        holder = path[-2] if len(path) > 1 else ""
        if holder not in _NAMED_BY_AUTHORS and all(
            isinstance(text, str) for text in texts.values()
        ):
            yield Problem(
                path,
                f"{field(path)} is {_map_in_words(texts)}; labels of a manifest are English texts.",
                "Write the English text here, and each other one in `locales/<locale>.yaml` under "
                f"{manifest.file}.",
            )


@rule("i18n 5", "inline-locale-map", "Labels of a UI spec are English texts.")
def in_ui_spec(spec: UiSpec) -> Iterator[Problem]:
    for path, texts in _label_maps(spec.value):
        if texts and all(is_locale(str(name)) for name in texts):
            place = spec.reference.path
            yield Problem(
                place,
                f"{field(place)} is {spec.reference.written!r}, in which {field(path)} is "
                f"{_map_in_words(texts)}; labels are English texts.",
                "Write the English text there, and each other one in `locales/<locale>.yaml` under "
                "messages.",
            )


def _map_in_words(texts: Mapping[object, object]) -> str:
    return f"a map of {', '.join(map(str, texts))}" if texts else "an empty map"


def _label_maps(value: object) -> Iterator[tuple[Path, Mapping[object, object]]]:
    """Every map in the place of a label inside `value`, in the order of the text."""
    waiting: list[tuple[Path, object]] = [((), value)]
    while waiting:
        path, found = waiting.pop()
        if isinstance(found, dict):
            if path and path[-1] in LABELS:
                yield path, found
            inner = [((*path, str(name)), item) for name, item in found.items()]
        elif isinstance(found, list):
            inner = [((*path, index), item) for index, item in enumerate(found)]
        else:
            continue
        # Most values are plain, and only maps and lists hold labels.
        waiting.extend(pair for pair in reversed(inner) if isinstance(pair[1], dict | list))


MANIFEST_RULES: Final[tuple[Rule[Frontmatter], ...]] = (in_manifest,)
UI_RULES: Final[tuple[Rule[UiSpec], ...]] = (in_ui_spec,)
