"""What a package's manifest contributes, with the place of each declaration."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from covel_host.manifest.layout import ROOT_MANIFEST
from covel_host.manifest.reading import PackageReading

Place: TypeAlias = tuple[str, int | None]
"""A file of the package and a line in it, from 1."""


@dataclass(frozen=True, slots=True)
class Declared:
    """One thing that `contributes` lists; `group` is spelled as in the manifest."""

    group: str
    name: str
    place: Place | None


def declared_names(reading: PackageReading) -> dict[str, list[str]]:
    """What the manifest lists, by group, in the spelling of the manifest."""
    names: dict[str, list[str]] = {}
    for found in declarations(reading):
        names.setdefault(found.group, []).append(found.name)
    return names


def declarations(reading: PackageReading) -> list[Declared]:
    """Everything that `contributes` lists, in the order of the manifest's groups."""
    manifest = reading.manifest
    if manifest is None:
        return []
    written = manifest.contributes.model_dump(by_alias=True, exclude_unset=True, mode="json")
    return [
        Declared(group, name, _declared_at(reading, group, key))
        for group, items in written.items()
        for key, name in _named(items)
    ]


def place_text(place: Place | None) -> str:
    """`file:line`, for people."""
    if place is None:
        return "-"
    file, line = place
    return file if line is None else f"{file}:{line}"


def _named(items: Any) -> Iterator[tuple[str | int, str]]:
    """The key of each item in the manifest, and its name."""
    if isinstance(items, dict):
        yield from ((key, key) for key in items)
    elif isinstance(items, list):
        yield from enumerate(_names(items))


def _names(items: Iterable[Any]) -> Iterator[str]:
    return (item if isinstance(item, str) else _name(item) for item in items)


def _name(item: Mapping[str, Any]) -> str:
    if isinstance(item.get("point"), str) and isinstance(item.get("id"), str):
        return f"{item['point']}/{item['id']}"
    for key in ("name", "id", "key", "topic", "event"):
        if isinstance(item.get(key), str):
            return str(item[key])
    return "(unnamed)"


def _declared_at(reading: PackageReading, group: str, key: str | int) -> Place | None:
    top = reading.files.get(ROOT_MANIFEST)
    if top is None:
        return None
    place = top.place(("contributes", group, key), of_key=isinstance(key, str))
    return None if place is None else (ROOT_MANIFEST, top.source.position(place[0])[0])
