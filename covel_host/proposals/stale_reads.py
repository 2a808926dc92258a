"""Which reads of a run no longer hold, by the store's current rows (spec/transactions.md 5.1)."""

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from covel_host.proposals.read_sets import (
    CharacterRead,
    CharacterSchemaRead,
    DataRangeRead,
    DataRead,
    Read,
    RosterRead,
    range_digest,
    record_digest,
    roster_digest,
    seen_digest,
)
from covel_host.store.character_schemas import character_schema_text
from covel_host.store.characters import character_texts
from covel_host.store.limits import MAX_LIMIT
from covel_host.store.plugin_data import DataKey, get_data, list_data
from covel_host.store.read_versions import RangeVersion, RevisedText, data_range_version
from covel_host.store.transaction import Reading
from plugin_sdk.values import JsonValue

_Characters: TypeAlias = Callable[[], Mapping[str, RevisedText]]


def stale_reads(reading: Reading, session_id: str, reads: Iterable[Read]) -> tuple[Read, ...]:
    """Those of the reads that would give something else now, in their order.

    A read of what upstream runs had staged holds once their proposals are committed as they were,
    and is stale while they are not.
    """
    found: Mapping[str, RevisedText] | None = None

    def characters() -> Mapping[str, RevisedText]:
        nonlocal found
        found = character_texts(reading, session_id) if found is None else found
        return found

    return tuple(read for read in reads if not _holds(reading, session_id, read, characters))


def _holds(reading: Reading, session_id: str, read: Read, characters: _Characters) -> bool:
    match read:
        case CharacterRead():
            return _is_same(characters().get(read.character_id), read)
        case RosterRead():
            return roster_digest(characters()) == read.seen
        case CharacterSchemaRead():
            return _is_same(character_schema_text(reading, session_id), read)
        case DataRead():
            return _is_same_record(reading, session_id, read)
        case DataRangeRead():
            return _is_same_range(reading, session_id, read)


def _is_same(current: RevisedText | None, read: CharacterRead | CharacterSchemaRead) -> bool:
    if read.seen is not None:
        return current is not None and record_digest(current.parsed()) == read.seen
    return (None if current is None else current.revision) == read.revision


def _is_same_record(reading: Reading, session_id: str, read: DataRead) -> bool:
    key = DataKey(
        session_id=session_id,
        plugin_id=read.plugin_id,
        namespace=read.namespace,
        key=read.key,
    )
    current = get_data(reading, key)
    if read.seen is not None:
        return seen_digest(None if current is None else current.value) == read.seen
    return (None if current is None else current.version) == read.version


def _is_same_range(reading: Reading, session_id: str, read: DataRangeRead) -> bool:
    if read.seen is not None:
        return range_digest(_values(reading, session_id, read)) == read.seen
    current = data_range_version(
        reading,
        session_id,
        read.plugin_id,
        read.namespace,
        after=read.after,
        through=read.through,
    )
    return current == RangeVersion(count=read.count, newest=read.newest)


def _values(reading: Reading, session_id: str, read: DataRangeRead) -> dict[str, JsonValue]:
    values: dict[str, JsonValue] = {}
    after, is_complete = read.after, False
    while not is_complete:
        page = list_data(
            reading, session_id, read.plugin_id, read.namespace, limit=MAX_LIMIT, after=after
        )
        for record in page:
            if read.through is None or record.key <= read.through:
                values[record.key] = record.value
        after = page[-1].key if page else after
        is_complete = len(page) < MAX_LIMIT or (read.through is not None and after >= read.through)
    return values
