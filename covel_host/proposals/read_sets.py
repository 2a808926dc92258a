"""What a run read, told by the versions it read, and which of it is stale by now.

Recorded is what was looked at, when it was looked at: copying a view is no read (seed:
读到的是哪一份数据; spec/transactions.md 5.1). Dimensions are a frozen snapshot and never recorded.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from plugin_sdk.values import JsonObject, JsonValue

_STAMPS = ("createdAt", "updatedAt")


@dataclass(frozen=True, slots=True, kw_only=True)
class CharacterRead:
    """One character: the revision that wrote the record, None when there was none.

    Here and below, `seen` is the digest of what was read where proposals of upstream runs stood in
    it: their own commit gives it a new revision, so only its content can tell.
    """

    character_id: str
    revision: int | None
    seen: str | None = None
    kind: Literal["character"] = "character"


@dataclass(frozen=True, slots=True, kw_only=True)
class RosterRead:
    """Which characters there are, told by the digest of their IDs."""

    seen: str
    kind: Literal["roster"] = "roster"


@dataclass(frozen=True, slots=True, kw_only=True)
class CharacterSchemaRead:
    """The character schema: the revision that wrote it, None when there was none."""

    revision: int | None
    seen: str | None = None
    kind: Literal["character-schema"] = "character-schema"


@dataclass(frozen=True, slots=True, kw_only=True)
class DataRead:
    """One record of plugin data: its version, None when there was none."""

    plugin_id: str
    namespace: str
    key: str
    version: int | None
    seen: str | None = None
    kind: Literal["data"] = "data"


@dataclass(frozen=True, slots=True, kw_only=True)
class DataRangeRead:
    """A listing: the stored records with keys after `after` up to `through`, None for the end.

    Every write in the range changes `count` or `newest`, the newest version in it.
    """

    plugin_id: str
    namespace: str
    after: str
    through: str | None
    count: int
    newest: int
    seen: str | None = None
    kind: Literal["data-range"] = "data-range"


Read: TypeAlias = CharacterRead | RosterRead | CharacterSchemaRead | DataRead | DataRangeRead

_Address: TypeAlias = tuple[str | None, ...]


class ReadSet:
    """The reads of one run, each once, in the order in which they were first made.

    A plain tool records from a thread of its own; one call of `record` is one step.
    """

    def __init__(self) -> None:
        self._reads: dict[_Address, Read] = {}
        self._ends: dict[_Address, DataRangeRead] = {}

    @property
    def reads(self) -> tuple[Read, ...]:
        """What was read so far."""
        return tuple(self._reads.values())

    def record(self, read: Read) -> None:
        """Keep the read; the first of several of one thing counts, and pages become one range."""
        if isinstance(read, DataRangeRead) and read.seen is None:
            read = self._joined(read)
        self._reads.setdefault(_address(read), read)

    def _joined(self, page: DataRangeRead) -> DataRangeRead:
        """The page, with the one that ends where it begins; together they are one listing."""
        before = self._ends.pop((page.plugin_id, page.namespace, page.after), None)
        if before is not None:
            self._reads.pop(_address(before), None)
            count, newest = before.count + page.count, max(before.newest, page.newest)
            page = replace(page, after=before.after, count=count, newest=newest)
        if page.through is not None:
            self._ends[(page.plugin_id, page.namespace, page.through)] = page
        return page


def reads_json(reads: Iterable[Read]) -> list[JsonValue]:
    """The reads as they are shown with a run's result."""
    return [_shown(read) for read in reads]


def seen_digest(value: JsonValue) -> str:
    """A short digest by which equal JSON values are known."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:32]


def record_digest(record: JsonObject) -> str:
    """The digest of a character or schema without its times, which only a commit knows."""
    return seen_digest({key: value for key, value in record.items() if key not in _STAMPS})


def roster_digest(character_ids: Iterable[str]) -> str:
    """The digest of the IDs of all characters, whatever their order."""
    ids: list[JsonValue] = [*sorted(character_ids)]
    return seen_digest(ids)


def range_digest(values: Mapping[str, JsonValue]) -> str:
    """The digest of the records of a range, by key."""
    return seen_digest(dict(values))


def _address(read: Read) -> _Address:
    match read:
        case CharacterRead():
            return (read.kind, read.character_id)
        case DataRead():
            return (read.kind, read.plugin_id, read.namespace, read.key)
        case DataRangeRead():
            return (read.kind, read.plugin_id, read.namespace, read.after, read.through)
        case _:
            return (read.kind,)


def _shown(read: Read) -> JsonObject:
    match read:
        case CharacterRead():
            shown: JsonObject = {"characterId": read.character_id, "revision": read.revision}
        case CharacterSchemaRead():
            shown = {"revision": read.revision}
        case RosterRead():
            shown = {}
        case DataRead():
            shown = {**_place(read), "key": read.key, "version": read.version}
        case DataRangeRead():
            shown = {**_place(read), "after": read.after, "through": read.through}
            shown |= {"count": read.count, "newest": read.newest}
    seen: JsonObject = {} if read.seen is None else {"seen": read.seen}
    return {"kind": read.kind, **shown, **seen}


def _place(read: DataRead | DataRangeRead) -> JsonObject:
    return {"pluginId": read.plugin_id, "namespace": read.namespace}
