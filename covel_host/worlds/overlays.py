"""A translation laid over the value it translates (spec/world.md 7.5).

Only text that is there may be translated: everything else of a translation is passed over and
told. Pure: no files, no clock.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from covel_host.diagnostics.near_names import nearest
from covel_host.diagnostics.values_shown import shown
from covel_host.diagnostics.yaml_nodes import Path
from plugin_sdk.values import JsonValue

IDENTITY: Final = ("key", "id")
"""Fields that say which item of a list is meant, before those that a source adds."""

STRUCTURAL: Final = frozenset(
    {"id", "key", "kind", "type", "strategy", "position", "schemaVersion", "status"}
)
"""Fields of records whose text is structure, wherever they stand."""

MayTranslate: TypeAlias = Callable[[Path], bool]
"""Whether the text at a path of the main value may be translated."""


@dataclass(frozen=True, slots=True)
class OverlayProblem:
    """Something of a translation that is not used; `path` is where it stands there."""

    path: Path
    message: str
    hint: str | None = None


@dataclass(slots=True)
class Overlay:
    """One translation; `problems` fill as `laid_over` goes."""

    may_translate: MayTranslate
    identity: Sequence[str] = IDENTITY
    problems: list[OverlayProblem] = field(default_factory=list)

    def laid_over(
        self, main: JsonValue, translation: JsonValue, path: Path = (), at: Path = ()
    ) -> JsonValue:
        """`main` with the texts of `translation`; neither is changed.

        `path` is the place in the main value, `at` that in the translation.
        """
        if translation is None or translation == main:
            return main
        if isinstance(main, dict) and isinstance(translation, dict):
            return self._object(main, translation, path, at)
        if isinstance(main, list) and isinstance(translation, list):
            return self._list(main, translation, path, at)
        if isinstance(main, str) and isinstance(translation, str):
            if self.may_translate(path):
                return translation
            message = f"{shown(translation)} stands for {shown(main)}, which is no text for readers"
            self._passed_over(at, message)
            return main
        self._passed_over(at, f"the main file has {shown(main)} here, not {shown(translation)}")
        return main

    def _object(
        self, main: dict[str, JsonValue], over: dict[str, JsonValue], path: Path, at: Path
    ) -> JsonValue:
        merged = dict(main)
        for key, value in over.items():
            if key in main:
                merged[key] = self.laid_over(main[key], value, (*path, key), (*at, key))
                continue
            near = nearest(key, list(main))
            hint = f"The nearest key of the main file is {near!r}." if near else None
            self._passed_over((*at, key), f"the main file has no {shown(key)} here", hint)
        return merged

    def _list(
        self, main: list[JsonValue], over: list[JsonValue], path: Path, at: Path
    ) -> JsonValue:
        if _are_texts(main) and all(item is None or isinstance(item, str) for item in over):
            return self._texts(main, over, path, at)
        merged = list(main)
        name = self._identity_of(main)
        places = {
            item[name]: index
            for index, item in enumerate(main)
            if name is not None and isinstance(item, dict)
        }
        for index, value in enumerate(over):
            place = index
            if name is not None and isinstance(value, dict) and name in value:
                found = places.get(value[name]) if isinstance(value[name], str) else None
                if found is None:
                    message = f"the main file has no item with {name!r} {shown(value[name])}"
                    self._passed_over((*at, index), message)
                    continue
                place = found
            if place >= len(main):
                self._passed_over((*at, index), f"the main file has {len(main):,} items here")
                continue
            merged[place] = self.laid_over(main[place], value, (*path, place), (*at, index))
        return merged

    def _texts(
        self, main: list[JsonValue], over: list[JsonValue], path: Path, at: Path
    ) -> JsonValue:
        """A pure list of texts is replaced as a whole; a null keeps the item of the main list."""
        if not self.may_translate(path):
            self._passed_over(at, "the list is structure and no text for readers")
            return main
        kept = [main[i] if item is None and i < len(main) else item for i, item in enumerate(over)]
        return [item for item in kept if item is not None]

    def _identity_of(self, main: list[JsonValue]) -> str | None:
        """The field by which the items of `main` are told apart."""
        objects = [item for item in main if isinstance(item, dict)]
        if not objects or len(objects) != len(main):
            return None
        return next(
            (
                name
                for name in self.identity
                if all(isinstance(item.get(name), str) for item in objects)
            ),
            None,
        )

    def _passed_over(self, at: Path, message: str, hint: str | None = None) -> None:
        self.problems.append(OverlayProblem(at, message, hint))


def with_locale_maps(
    main: JsonValue,
    translated: Mapping[str, JsonValue],
    texts: Collection[Path],
    *,
    default_locale: str,
) -> JsonValue:
    """`main` with one text per language at each of `texts` that some translation has.

    `translated` holds values that `Overlay.laid_over` made of `main`, by locale.
    """

    def joined(value: JsonValue, others: Mapping[str, JsonValue], path: Path) -> JsonValue:
        if isinstance(value, dict):
            return {
                key: joined(item, _at(others, key), (*path, key)) for key, item in value.items()
            }
        if isinstance(value, list):
            return [
                joined(item, _at(others, index), (*path, index)) for index, item in enumerate(value)
            ]
        if not isinstance(value, str) or path not in texts:
            return value
        found = {name: text for name, text in others.items() if text != value}
        return {default_locale: value, **found} if found else value

    return joined(main, translated, ())


def texts_in(value: JsonValue, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """Every text of `value` with its place."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from texts_in(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from texts_in(item, (*path, index))


def is_record_text(path: Path) -> bool:
    """Whether the text at `path` of a record is for readers, as far as its field says."""
    names = [part for part in path if isinstance(part, str)]
    return not names or names[-1] not in STRUCTURAL


def _at(values: Mapping[str, JsonValue], part: str | int) -> dict[str, JsonValue]:
    found: dict[str, JsonValue] = {}
    for name, value in values.items():
        if (isinstance(value, dict) and isinstance(part, str) and part in value) or (
            isinstance(value, list) and isinstance(part, int) and part < len(value)
        ):
            found[name] = value[part]  # type: ignore[index]  # checked just above
    return found


def _are_texts(items: list[JsonValue]) -> bool:
    return bool(items) and all(isinstance(item, str) for item in items)
