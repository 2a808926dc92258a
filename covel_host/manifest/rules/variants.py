"""Chinese variants of manifests (spec/manifest.md 3.2; spec/i18n.md 5)."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from covel_host.manifest.frontmatter import Frontmatter
from covel_host.manifest.reading import PackageReading, RuntimeReading
from covel_host.manifest.rules.facts import RuntimeFacts
from covel_host.manifest.rules.rule import FileProblem, Path, Problem, Rule, field, rule
from covel_host.manifest.rules.tool_names import offered_names

_WORD: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*")
# In backquotes, in a tag, or as a member: `story`, <story>, runtime-inputs.story.
_MARKED_WORD: Final = re.compile(r"[`</.]([A-Za-z0-9_][A-Za-z0-9_-]*)")
_SEGMENTS: Final = ("contributes", "prompt")
_SIMPLIFIED: Final = ("zh-cn", "zh-hans", "zh-sg", "zh-hans-cn")


@dataclass(frozen=True, slots=True)
class Variant:
    """A variant that was read, and the English file whose structure counts."""

    frontmatter: Frontmatter
    canonical: Frontmatter


@dataclass(frozen=True, slots=True)
class TwoBodies:
    """An agent with an English and a Chinese body."""

    runtime: RuntimeFacts
    variant: Frontmatter


def variants(package: PackageReading) -> Iterator[Variant]:
    """The variants of `package` whose English file could be read as well."""
    for name, read in package.files.items():
        canonical = package.files.get(name.replace(".zh.md", ".md"))
        if name.endswith(".zh.md") and canonical is not None and canonical.fields is not None:
            yield Variant(read, canonical)


def two_bodies(runtime: RuntimeFacts, package: PackageReading) -> TwoBodies | None:
    """Both bodies of an agent, `None` without a variant."""
    reading: RuntimeReading = runtime.reading
    variant = package.files.get(reading.file.replace(".md", ".zh.md"))
    if variant is None or reading.body_zh is None or runtime.is_function:
        return None
    return TwoBodies(runtime, variant)


@rule("3.2", "variant-structure", "A variant holds a body and contents of prompt segments.")
def structure(variant: Variant) -> Iterator[Problem]:
    canonical = variant.canonical.fields or {}
    for path, value in _written(variant.frontmatter.fields or {}):
        there = _segment_at(path, variant.frontmatter.fields or {}, canonical)
        if path[:2] == _SEGMENTS and len(path) == 4:
            if path[3] == "id" and there is not None:
                continue
            if path[3] == "content" and there is not None:
                continue
            if there is not None and there.get(str(path[3])) == value:
                continue
        elif _value_at(path, canonical) == value:
            continue
        yield Problem(
            path,
            f"{field(path)} differs from {variant.canonical.file}, whose structure counts; it is "
            "ignored here.",
            "Remove it; a variant holds the body and, for static prompts, 'id' and 'content' of "
            "segments.",
            at_key=True,
        )


@rule("3.2", "variant-not-read", "Variants exist in Simplified Chinese alone.")
def not_read(package: PackageReading) -> Iterator[FileProblem]:
    for file in package.unread_variants:
        name = file.rpartition("/")[2]
        right = f"{name.partition('.')[0]}.zh.md"
        chinese = name.split(".")[1].lower().replace("_", "-") in _SIMPLIFIED
        yield FileProblem(
            file,
            None,
            f"{file} is not read; prompts have an English file and {right}.",
            f"Rename it to {right}."
            if chinese
            else "Remove it. The model writes in the language of the session by itself, and "
            "labels are translated in `locales/<locale>.yaml`.",
        )


@rule("i18n 5", "variant-names-differ", "Both bodies name the same tools, inputs and tags.")
def names_differ(bodies: TwoBodies) -> Iterator[Problem]:
    runtime = bodies.runtime
    names = {*(offered_names(runtime) or ()), *runtime.io.inputs}
    names |= {item.tag for item in runtime.io.self_data}
    english = _mentioned(names, runtime.reading.body)
    chinese = _mentioned(names, bodies.variant.body)
    for name in sorted(english ^ chinese):
        with_it, without = runtime.reading.file, bodies.variant.file
        if name in chinese:
            with_it, without = without, with_it
        yield Problem(
            (),
            f"{name!r} is named in the body of {with_it} and not in that of {without}.",
            "Name it in both, or in neither.",
        )


def _mentioned(names: Iterable[str], body: str) -> set[str]:
    """Which of `names` the `body` means; a name that is a plain word counts where it is marked."""
    words, marked = set(_WORD.findall(body)), set(_MARKED_WORD.findall(body))
    return {name for name in names if name in (marked if name.isalpha() else words)}


def _written(fields: Mapping[str, object]) -> Iterator[tuple[Path, object]]:
    """What a variant writes: each top-level field, each field of `contributes`, and each field of
    each prompt segment."""
    for name, value in fields.items():
        if name != "contributes" or not isinstance(value, dict):
            yield (name,), value
            continue
        for member, inner in value.items():
            if member != "prompt" or not isinstance(inner, list):
                yield (name, member), inner
                continue
            for index, segment in enumerate(inner):
                items = segment.items() if isinstance(segment, dict) else ()
                for key, text in items:
                    yield (name, member, index, key), text


def _segment_at(
    path: Path, fields: Mapping[str, object], canonical: Mapping[str, object]
) -> Mapping[str, object] | None:
    """The canonical segment with the ID of the one at `path`."""
    segment = _value_at(path[:3], fields)
    wanted = segment.get("id") if isinstance(segment, dict) else None
    known = _value_at(_SEGMENTS, canonical)
    for found in known if isinstance(known, list) else ():
        if isinstance(found, dict) and found.get("id") == wanted:
            return found
    return None


def _value_at(path: Path, fields: object) -> object:
    found = fields
    for part in path:
        if isinstance(found, dict):
            found = found.get(part)
        elif isinstance(found, list) and isinstance(part, int) and part < len(found):
            found = found[part]
        else:
            return None
    return found


VARIANT_RULES: Final[tuple[Rule[Variant], ...]] = (structure,)
PACKAGE_RULES: Final[tuple[Rule[PackageReading], ...]] = (not_read,)
BODY_RULES: Final[tuple[Rule[TwoBodies], ...]] = (names_differ,)
