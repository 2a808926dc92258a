"""The lorebooks of the sessions in play, read once and then kept current by what changed.

A lorebook may hold thousands of entries while a turn changes a few of them, so a run reads the
changes since the revision that the shelf knows, in the transaction that tells the newest one.
"""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field

from covel_host.runtime.prompt_inputs import Depth, LoreEntry, LorePlace
from covel_host.runtime.prompt_lore import Lorebook
from covel_host.store.lorebook import lorebook_removed_since, lorebook_since
from covel_host.store.records import LorebookOwner, LorebookRecord, SessionRecord
from covel_host.store.sessions import require_session
from covel_host.store.store import Store
from covel_host.store.transaction import Reading

SESSIONS_KEPT = 8
"""Sessions whose lorebooks stay in memory; the one that was used longest ago goes first."""

_BEFORE_ALL = -1
_Key = tuple[LorebookOwner, str]


@dataclass(slots=True)
class _Kept:
    """One session's lorebook as of `revision`."""

    incarnation: str
    revision: int = _BEFORE_ALL
    entries: dict[_Key, LoreEntry] = field(default_factory=dict)
    book: Lorebook = field(default_factory=lambda: Lorebook(()))
    reading: asyncio.Lock = field(default_factory=asyncio.Lock)


@dataclass(frozen=True, slots=True)
class _Changes:
    revision: int
    removed: tuple[_Key, ...]
    written: tuple[tuple[_Key, LoreEntry], ...]


class LoreShelf:
    """Gives lorebooks of one store; many runs may ask at once."""

    def __init__(self, store: Store, *, sessions_kept: int = SESSIONS_KEPT) -> None:
        self._store = store
        self._sessions_kept = sessions_kept
        self._kept: OrderedDict[str, _Kept] = OrderedDict()

    async def of(self, session: SessionRecord) -> Lorebook:
        """The session's lorebook as its newest revision has it.

        Raises:
            StoreError: the session is gone, or the store cannot be read.
        """
        kept = self._place(session)
        async with kept.reading:
            changes = await self._store.read(
                lambda reading: _changes(reading, session, since=kept.revision)
            )
            _apply(kept, changes)
        return kept.book

    def _place(self, session: SessionRecord) -> _Kept:
        kept = self._kept.get(session.session_id)
        if kept is None or kept.incarnation != session.incarnation:
            kept = self._kept[session.session_id] = _Kept(session.incarnation)
        self._kept.move_to_end(session.session_id)
        while len(self._kept) > self._sessions_kept:
            self._kept.popitem(last=False)
        return kept


def _changes(reading: Reading, session: SessionRecord, *, since: int) -> _Changes:
    session_id = session.session_id
    revision = require_session(reading, session_id, incarnation=session.incarnation).revision
    if revision == since:
        return _Changes(revision, (), ())
    removed = lorebook_removed_since(reading, session_id, revision=since)
    written = lorebook_since(reading, session_id, revision=since)
    return _Changes(
        revision,
        tuple(removed),
        tuple(((record.owner, record.entry_id), lore_entry(record)) for _, record in written),
    )


def _apply(kept: _Kept, changes: _Changes) -> None:
    kept.revision = changes.revision
    # An entry that was removed and written again is among the written ones.
    for key in changes.removed:
        kept.entries.pop(key, None)
    kept.entries.update(changes.written)
    if changes.removed or changes.written:
        kept.book = Lorebook(kept.entries.values())


def lore_entry(record: LorebookRecord) -> LoreEntry:
    """A stored entry as prompts take it (spec/world.md 4)."""
    entry = record.entry
    keys, order = entry.get("keys"), entry.get("insertionOrder")
    return LoreEntry(
        entry_id=record.entry_id,
        content=str(entry["content"]),
        keys=tuple(map(str, keys)) if isinstance(keys, list) else (),
        is_constant=entry.get("strategy") != "selective",
        position=_position(entry.get("position")),
        insertion_order=order if isinstance(order, (int, float)) else 0,
        is_enabled=entry.get("enabled") is not False,
        is_of_world=record.owner.kind == "world",
    )


def _position(position: object) -> LorePlace | Depth:
    """A number is a depth; a place that this host does not know is the usual one."""
    if isinstance(position, int):
        return Depth(max(0, position))
    return "before_plugin" if position == "before_plugin" else "after_plugin"
