"""The three kinds of lasting records that archival search covers, read from the store."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from covel_host.memory.hits import HitKind
from covel_host.memory.namespaces import SearchableNamespace
from covel_host.memory.texts import (
    character_text,
    data_text,
    lore_content,
    lore_name,
    lore_text,
    readable,
)
from covel_host.store.characters import characters_removed_since, characters_since, get_character
from covel_host.store.lorebook import (
    get_lorebook_entry,
    lorebook_removed_since,
    lorebook_since,
)
from covel_host.store.plugin_data import DataKey, data_removed_since, data_since, get_data
from covel_host.store.records import LorebookOwner
from covel_host.store.transaction import Reading

RecordKey = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Written:
    """A record as it is now; without `text` it is not to be found."""

    revision: int
    key: RecordKey
    text: str | None


@dataclass(frozen=True, slots=True)
class Shown:
    """What a hit of a record shows: the text to cut an excerpt from, and a name.

    `found_by` is the text that it is found by.
    """

    text: str
    name: str | None
    found_by: str


class ArchivalSource(Protocol):
    """The records of one kind in a session."""

    kind: HitKind

    def written(self, reading: Reading, session_id: str, *, since: int) -> Iterator[Written]:
        """What later revisions wrote, by revision."""
        ...

    def removed(self, reading: Reading, session_id: str, *, since: int) -> Sequence[RecordKey]:
        """What later revisions deleted; a key that was written again is among `written`."""
        ...

    def shown(self, reading: Reading, session_id: str, key: RecordKey) -> Shown | None:
        """The record of a hit as it is now, None when it is not there or not to be found."""
        ...


class LorebookSource:
    """The lorebook entries of all owners that are switched on."""

    kind: HitKind = "lorebook"

    def written(self, reading: Reading, session_id: str, *, since: int) -> Iterator[Written]:
        for revision, record in lorebook_since(reading, session_id, revision=since):
            key = _lore_key(record.owner, record.entry_id)
            yield Written(revision, key, lore_text(record.entry))

    def removed(self, reading: Reading, session_id: str, *, since: int) -> Sequence[RecordKey]:
        gone = lorebook_removed_since(reading, session_id, revision=since)
        return [_lore_key(owner, entry_id) for owner, entry_id in gone]

    def shown(self, reading: Reading, session_id: str, key: RecordKey) -> Shown | None:
        kind, plugin_id, entry_id = key
        owner = LorebookOwner.of(kind, plugin_id)
        record = get_lorebook_entry(reading, session_id, owner, entry_id)
        found_by = None if record is None else lore_text(record.entry)
        if record is None or found_by is None:
            return None
        return Shown(lore_content(record.entry), lore_name(entry_id, record.entry), found_by)


class CharacterSource:
    """The characters, whatever the lorebook says."""

    kind: HitKind = "character"

    def written(self, reading: Reading, session_id: str, *, since: int) -> Iterator[Written]:
        for revision, record in characters_since(reading, session_id, revision=since):
            yield Written(revision, (str(record["id"]),), character_text(record))

    def removed(self, reading: Reading, session_id: str, *, since: int) -> Sequence[RecordKey]:
        gone = characters_removed_since(reading, session_id, revision=since)
        return [(character_id,) for character_id in gone]

    def shown(self, reading: Reading, session_id: str, key: RecordKey) -> Shown | None:
        record = get_character(reading, session_id, *key)
        if record is None:
            return None
        text = character_text(record)
        return Shown(text, readable(str(record["name"])), text)


class DataSource:
    """The records of one searchable namespace."""

    kind: HitKind = "data"

    def __init__(self, place: SearchableNamespace) -> None:
        self._place = place

    def written(self, reading: Reading, session_id: str, *, since: int) -> Iterator[Written]:
        place = self._place
        records = data_since(reading, session_id, place.plugin_id, place.namespace, revision=since)
        for record in records:
            text = data_text(record.value, place.text_field)
            yield Written(record.version, (record.key,), text)

    def removed(self, reading: Reading, session_id: str, *, since: int) -> Sequence[RecordKey]:
        place = self._place
        gone = data_removed_since(
            reading, session_id, place.plugin_id, place.namespace, revision=since
        )
        return [(key,) for key in gone]

    def shown(self, reading: Reading, session_id: str, key: RecordKey) -> Shown | None:
        place, (name,) = self._place, key
        address = DataKey(
            session_id=session_id, plugin_id=place.plugin_id, namespace=place.namespace, key=name
        )
        record = get_data(reading, address)
        text = None if record is None else data_text(record.value, place.text_field)
        return None if text is None else Shown(text, readable(name), text)


def archival_sources(places: Sequence[SearchableNamespace]) -> tuple[ArchivalSource, ...]:
    """The sources of a session whose packages declare `places`."""
    return (LorebookSource(), CharacterSource(), *map(DataSource, places))


def _lore_key(owner: LorebookOwner, entry_id: str) -> RecordKey:
    return (owner.kind, owner.plugin_id or "", entry_id)
