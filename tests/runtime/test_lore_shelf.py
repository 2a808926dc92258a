"""Lorebooks that stay in memory, kept current by what changed."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from covel_host.runtime import lore_shelf
from covel_host.runtime.lore_shelf import LoreShelf
from covel_host.runtime.prompt_lore import Lorebook
from covel_host.store.errors import StoreError
from covel_host.store.lorebook import put_lorebook_entry
from covel_host.store.records import LorebookOwner, LorebookRecord, SessionRecord
from covel_host.store.sessions import advance_session, delete_session, insert_session
from covel_host.store.store import Store
from tests.store.builders import START, options, session

WORLD = LorebookOwner(kind="world")


def written(store: Store, given: SessionRecord, *ids: str, **fields: Any) -> SessionRecord:
    """Entries of the next revision of a session."""

    def body(transaction: Any) -> SessionRecord:
        for entry_id in ids:
            record = LorebookRecord(
                session_id=given.session_id,
                owner=WORLD,
                entry_id=entry_id,
                entry={"id": entry_id, "content": f"Of {entry_id}.", **fields},
                created_at=START,
                updated_at=START,
            )
            put_lorebook_entry(transaction, record, revision=given.revision + 1)
        return advance_session(transaction, given, turn_id=None, at=START)

    return store.transaction_now(body)


def shelved(
    folder: Path, body: Callable[[Store, LoreShelf], Awaitable[None]], kept: int = 8
) -> None:
    async def main() -> None:
        store = Store.open(options(folder))
        try:
            await body(store, LoreShelf(store, sessions_kept=kept))
        finally:
            store.close()

    asyncio.run(main())


def begun(store: Store, session_id: str = "s1") -> SessionRecord:
    given = session(session_id)
    store.transaction_now(lambda transaction: insert_session(transaction, given))
    return given


def ids(book: Lorebook) -> Sequence[str]:
    return [entry.entry_id for entry in book.entries]


def test_a_lorebook_is_what_the_newest_revision_has(tmp_path: Path) -> None:
    async def body(store: Store, shelf: LoreShelf) -> None:
        given = begun(store)
        assert ids(await shelf.of(given)) == []
        given = written(store, given, "b", "a")
        first = await shelf.of(given)
        assert ids(first) == ["a", "b"]
        assert await shelf.of(given) is first
        given = written(store, given, "b", content="Changed.", insertionOrder=-1)
        changed = await shelf.of(given)
        assert [(one.entry_id, one.content) for one in changed.entries] == [
            ("b", "Changed."),
            ("a", "Of a."),
        ]
        written(store, given, "b", enabled=False)
        assert ids(await shelf.of(given)) == ["a"]

    shelved(tmp_path, body)


def test_only_what_changed_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    whole = lore_shelf.lore_entry
    monkeypatch.setattr(
        lore_shelf, "lore_entry", lambda record: read.append(record.entry_id) or whole(record)
    )

    async def body(store: Store, shelf: LoreShelf) -> None:
        given = written(store, begun(store), *map(str, range(50)))
        await shelf.of(given)
        read.clear()
        given = written(store, given, "7")
        books = await asyncio.gather(*(shelf.of(given) for _ in range(5)))
        assert read == ["7"]
        assert all(book is books[0] for book in books)

    shelved(tmp_path, body)


def test_the_session_used_longest_ago_is_forgotten_first(tmp_path: Path) -> None:
    async def body(store: Store, shelf: LoreShelf) -> None:
        made = [written(store, begun(store, name), "x") for name in ("s1", "s2", "s3")]
        first = await shelf.of(made[0])
        second = await shelf.of(made[1])
        assert await shelf.of(made[0]) is first
        await shelf.of(made[2])
        assert await shelf.of(made[0]) is first
        assert await shelf.of(made[1]) is not second

    shelved(tmp_path, body, kept=2)


def test_a_session_made_anew_under_its_id_has_its_own_lorebook(tmp_path: Path) -> None:
    async def body(store: Store, shelf: LoreShelf) -> None:
        await shelf.of(written(store, begun(store), "x"))
        store.transaction_now(lambda transaction: delete_session(transaction, "s1"))
        again = replace(session("s1"), incarnation="other")
        store.transaction_now(lambda transaction: insert_session(transaction, again))
        assert ids(await shelf.of(again)) == []
        with pytest.raises(StoreError):
            await shelf.of(session("s1"))

    shelved(tmp_path, body)
