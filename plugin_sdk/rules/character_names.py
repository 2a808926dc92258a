"""When two names are one name, and whom a name means.

Seed: sync-characters (去重, `id` 怎么解析), get-character (宽松匹配); spec/world.md 2.6-2.8.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Literal, TypeAlias

from plugin_sdk.rules._json import JsonObject, is_array

MatchedBy: TypeAlias = Literal["id", "name", "alias", "partial"]
"""The step of the look-up that decided."""

CLOSEST_LIMIT = 5
"""How many similar characters a message names at most."""

_SIMILAR_FROM = 0.6
_APOSTROPHES = dict.fromkeys(map(ord, "’‘‛ʼʻ′´`＇"), "'")
_MIDDLE_DOTS = re.compile(r"\s*[\u00b7\u2022\u2027\u2219\u22c5\u30fb\u16eb\u2e31\u2e33\ua78f]\s*")
# Between Chinese or Japanese characters a space separates nothing.
_EAST_ASIAN = (
    "\u3005-\u3007\u3040-\u30fa\u30fc-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_EAST_ASIAN_SPACE = re.compile(f"(?<=[{_EAST_ASIAN}]) (?=[{_EAST_ASIAN}])")
# Opening mark to the marks that may close it.
_WRAPPERS = {
    '"': '"',
    "＂": "＂",
    "'": "'",
    "‘": "’",
    "‚": "‘’",
    "“": "”",
    "„": "“”",
    "‟": "”",
    "「": "」",
    "｢": "｣",
    "『": "』",
    "《": "》",
    "〈": "〉",
    "«": "»",
    "»": "«",
    "‹": "›",
    "〝": "〞〟",
}


@dataclass(frozen=True, slots=True)
class Found:
    """Exactly one character is meant."""

    character: JsonObject
    matched_by: MatchedBy
    outcome: Literal["found"] = "found"


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """Several characters carry the name: `candidates`, in the order given."""

    candidates: tuple[JsonObject, ...]
    matched_by: MatchedBy
    outcome: Literal["ambiguous"] = "ambiguous"


@dataclass(frozen=True, slots=True)
class Missing:
    """Nobody is meant; `closest` holds up to five similar characters, for messages only."""

    closest: tuple[JsonObject, ...]
    outcome: Literal["missing"] = "missing"


Resolution: TypeAlias = Found | Ambiguous | Missing


# Every view and every commit asks for the key of each name of a session, again and again.
@lru_cache(maxsize=16_384)
def character_name_key(name: str) -> str:
    """The key of `name`: two names are one name when their keys are equal and not empty.

    Folded are letter case, width (NFKC), white space at the ends, repeated, or between Chinese or
    Japanese characters, quotes or title marks around the whole name, the middle dots of
    transliterated names with the space around them, apostrophe variants, and a leading English
    "the". Titles, honorifics and spelling are not (seed: 去重; spec/world.md 2.6).
    """
    folded = " ".join(name.split())
    if folded.isascii() and folded[:1] not in _WRAPPERS and "`" not in folded:
        # Most names: of what is folded they hold case, space and the article alone.
        return folded.lower().removeprefix("the ")
    folded = _unwrap(folded).translate(_APOSTROPHES)
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", folded).casefold())
    folded = " ".join(_MIDDLE_DOTS.sub("·", folded).split())
    return _EAST_ASIAN_SPACE.sub("", folded).removeprefix("the ")


def same_character_name(first: str, second: str) -> bool:
    """Whether both texts are the same character name."""
    key = character_name_key(first)
    return bool(key) and key == character_name_key(second)


def resolve_character(
    query: str, characters: Iterable[JsonObject], *, partial: bool = False
) -> Resolution:
    """Whom `query` means: by exact ID, then by name, then by alias.

    Args:
        query: An ID, a name or an alias.
        characters: Records with `id`, `name` and optional `aliases`.
        partial: For reads only. When nothing fits exactly, a character also counts whose name or
            alias contains the query or is contained in it (seed: 宽松匹配).

    Returns:
        `Found`, `Ambiguous` when the deciding step fits more than one character, or `Missing`.
    """
    return CharacterDirectory(characters).resolve(query, partial=partial)


def character_aliases(character: JsonObject) -> list[str]:
    """The aliases of a record in their order; empty when it has none."""
    aliases = character.get("aliases")
    return [alias for alias in aliases if isinstance(alias, str)] if is_array(aliases) else []


def character_label(character: JsonObject) -> str:
    """The name, followed by its aliases when there are any: `Ysolde (aka The Keeper)`."""
    aliases = character_aliases(character)
    name = str(character.get("name", ""))
    return f"{name} (aka {', '.join(aliases)})" if aliases else name


def join_aliases(name: str, aliases: Iterable[str]) -> list[str]:
    """`aliases` in order, without blanks, repeats and `name` itself (spec/world.md 2.3)."""
    seen = {character_name_key(name), ""}
    kept = []
    for alias in aliases:
        key = character_name_key(alias)
        if key not in seen:
            seen.add(key)
            kept.append(alias.strip())
    return kept


class CharacterDirectory:
    """Characters found by ID, by name and by alias, kept current with `put`.

    Building costs one pass over all names; a look-up that succeeds exactly costs no further pass.
    """

    __slots__ = ("_aliases", "_names", "characters")

    def __init__(self, characters: Iterable[JsonObject] = ()) -> None:
        self.characters: dict[str, JsonObject] = {}
        # Key to the IDs that carry it, in the order in which they came: few carry one name. They
        # are never changed in place, so that copies share them.
        self._names: dict[str, tuple[str, ...]] = {}
        self._aliases: dict[str, tuple[str, ...]] = {}
        for character in characters:
            self.put(character)

    def copy(self) -> CharacterDirectory:
        """The same directory, to be changed apart from this one; the records are shared."""
        twin = CharacterDirectory()
        twin.take(self)
        return twin

    def take(self, other: CharacterDirectory) -> None:
        """Hold what `other` holds now, in place of what was here; the records are shared."""
        self.characters = dict(other.characters)
        self._names = dict(other._names)
        self._aliases = dict(other._aliases)

    def put(self, character: JsonObject) -> None:
        """Add `character`, or replace the record of its ID."""
        character_id = str(character.get("id", ""))
        if (known := self.characters.get(character_id)) is not None:
            for table, key in self._keys(known):
                table[key] = tuple(one for one in table.get(key, ()) if one != character_id)
        self.characters[character_id] = character
        # Written out, because a view of many characters begins with one `put` for each.
        name = character_name_key(str(character.get("name", "")))
        self._names[name] = (*self._names.get(name, ()), character_id)
        for alias in character_aliases(character):
            key = character_name_key(alias)
            carriers = self._aliases.get(key, ())
            if character_id not in carriers:
                self._aliases[key] = (*carriers, character_id)

    def resolve(self, query: str, *, partial: bool = False) -> Resolution:
        """Whom `query` means; see `resolve_character`."""
        if (exact := self.characters.get(query)) is not None:
            return Found(exact, "id")
        key = character_name_key(query)
        if matches := self.named(key):
            return _decide(matches, "name")
        if matches := self.aliased(key):
            return _decide(matches, "alias")
        if partial and key and (matches := self._overlapping(key)):
            return _decide(matches, "partial")
        return Missing(self.closest(query))

    def named(self, key: str) -> tuple[JsonObject, ...]:
        """The characters whose name has the key `key`."""
        return self._records(self._names, key)

    def aliased(self, key: str) -> tuple[JsonObject, ...]:
        """The characters of which one alias has the key `key`."""
        return self._records(self._aliases, key)

    def owner(self, name: str, *, other_than: str | None = None) -> JsonObject | None:
        """The first character that carries `name` as name or alias, the ID `other_than` apart."""
        key = character_name_key(name)
        for character in (*self.named(key), *self.aliased(key)):
            if character.get("id") != other_than:
                return character
        return None

    def closest(self, query: str, *, limit: int = CLOSEST_LIMIT) -> tuple[JsonObject, ...]:
        """Up to `limit` characters with a name or alias like `query`, most similar first."""
        key = character_name_key(query)
        scored = [
            (max(_similarity(key, name) for name in _name_keys(character)), character)
            for character in self.characters.values()
        ]
        similar = [entry for entry in scored if entry[0] >= _SIMILAR_FROM]
        similar.sort(key=lambda entry: -entry[0])
        return tuple(character for _, character in similar[:limit])

    def _records(self, table: Mapping[str, tuple[str, ...]], key: str) -> tuple[JsonObject, ...]:
        ids = table.get(key, ()) if key else ()
        return tuple(self.characters[character_id] for character_id in ids)

    def _overlapping(self, key: str) -> tuple[JsonObject, ...]:
        return tuple(
            character
            for character in self.characters.values()
            if any(name and (key in name or name in key) for name in _name_keys(character))
        )

    def _keys(self, character: JsonObject) -> Iterator[tuple[dict[str, tuple[str, ...]], str]]:
        yield self._names, character_name_key(str(character.get("name", "")))
        for alias in character_aliases(character):
            yield self._aliases, character_name_key(alias)


def _decide(matches: tuple[JsonObject, ...], matched_by: MatchedBy) -> Found | Ambiguous:
    if len(matches) == 1:
        return Found(matches[0], matched_by)
    return Ambiguous(matches, matched_by)


def _name_keys(character: JsonObject) -> list[str]:
    names = [str(character.get("name", "")), *character_aliases(character)]
    return [character_name_key(name) for name in names]


def _similarity(query: str, name: str) -> float:
    """0 to 1; two texts of which one holds the other count as similar whatever their lengths."""
    if not query or not name:
        return 0.0
    matcher = SequenceMatcher(None, query, name, autojunk=False)
    if query in name or name in query:
        return _SIMILAR_FROM + (1 - _SIMILAR_FROM) * matcher.ratio()
    # Upper bounds first: a text of another length or other letters costs no comparison.
    if matcher.real_quick_ratio() < _SIMILAR_FROM or matcher.quick_ratio() < _SIMILAR_FROM:
        return 0.0
    return matcher.ratio()


def _unwrap(name: str) -> str:
    while len(name) > 2 and _is_wrapped(name):
        name = name[1:-1].strip()
    return name


def _is_wrapped(name: str) -> bool:
    """Whether one pair of marks holds the whole name, as in `“Wren”` but not in `“A” and “B”`."""
    opening, closing = name[0], name[-1]
    if closing not in _WRAPPERS.get(opening, ""):
        return False
    inner = name[1:-1]
    return not any(
        mark in (opening, closing) and not _is_apostrophe(inner, at)
        for at, mark in enumerate(inner)
    )


def _is_apostrophe(text: str, at: int) -> bool:
    """Whether the mark at `at` stands inside a word, as in `O’Neil`."""
    inside = 0 < at < len(text) - 1 and text[at - 1].isalnum() and text[at + 1].isalnum()
    return inside and text[at] in "'‘’"
