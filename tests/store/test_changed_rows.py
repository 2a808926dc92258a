"""What changed since a revision: found by index, deletions included whatever is pruned."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from covel_host.store import changed_rows
from covel_host.store.changed_rows import ChangedRows, is_any_removed
from covel_host.store.characters import characters_removed_since, characters_since, put_character
from covel_host.store.lorebook import lorebook_since, put_lorebook_entry
from covel_host.store.messages import append_messages, newest_messages_after
from covel_host.store.plugin_data import (
    DataKey,
    data_removed_since,
    data_since,
    delete_data,
    put_data,
)
from covel_host.store.records import LorebookOwner, LorebookRecord
from covel_host.store.sessions import insert_session
from covel_host.store.store import Store
from covel_host.store.tables import PLUGIN_DATA
from tests.store.builders import START, message, options, session


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store.open(options(tmp_path))
    made.transaction_now(lambda transaction: insert_session(transaction, session()))
    yield made
    made.close()


def put(store: Store, key: DataKey, revision: int) -> None:
    store.transaction_now(lambda t: put_data(t, key, value_text="1", revision=revision, at=START))


def key(name: str, *, plugin_id: str = "demo", namespace: str = "notes") -> DataKey:
    return DataKey(session_id="s1", plugin_id=plugin_id, namespace=namespace, key=name)


def changed(store: Store, since: int) -> list[tuple[int, str]]:
    return store.read_now(
        lambda reading: [
            (record.version, record.key)
            for record in data_since(reading, "s1", "demo", "notes", revision=since)
        ]
    )


def test_written_rows_come_by_revision_and_key(store: Store) -> None:
    for name, revision in (("b", 1), ("a", 1), ("c", 2), ("a", 3)):
        put(store, key(name), revision)
    put(store, key("x", namespace="other"), 3)
    put(store, key("x", plugin_id="other"), 3)
    assert changed(store, -1) == [(1, "b"), (2, "c"), (3, "a")]
    assert changed(store, 1) == [(2, "c"), (3, "a")]
    assert changed(store, 3) == []


def test_pages_join_without_gap_or_double(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changed_rows, "MAX_LIMIT", 2)
    names = ["a", "b", "c", "d", "e"]
    for place, name in enumerate(names):
        put(store, key(name), place // 3)
    rows = ChangedRows(PLUGIN_DATA, within=("plugin_id", "namespace"), written="version")
    found = store.read_now(
        lambda reading: [row[3] for row in rows.written(reading, "s1", "demo", "notes", since=-1)]
    )
    assert found == names


def test_a_deleted_row_is_told_even_when_it_was_never_kept(store: Store) -> None:
    put(store, key("a"), 1)
    put(store, key("b", namespace="other"), 1)
    assert not store.read_now(lambda reading: is_any_removed(reading, "s1", since=-1))
    for one in (key("a"), key("b", namespace="other"), key("gone")):
        store.transaction_now(lambda t, one=one: delete_data(t, one, revision=2))

    def removed(since: int) -> list[str]:
        return store.read_now(
            lambda reading: data_removed_since(reading, "s1", "demo", "notes", revision=since)
        )

    assert (removed(-1), removed(1), removed(2)) == (["a"], ["a"], [])
    assert store.read_now(lambda reading: is_any_removed(reading, "s1", since=1))
    assert not store.read_now(lambda reading: is_any_removed(reading, "s1", since=2))


def test_a_key_that_was_written_again_is_among_the_changed(store: Store) -> None:
    put(store, key("a"), 1)
    store.transaction_now(lambda t: delete_data(t, key("a"), revision=2))
    put(store, key("a"), 3)
    assert changed(store, 2) == [(3, "a")]


def test_characters_and_lore_come_with_their_revision(store: Store) -> None:
    record = {"id": "npc-mira", "name": "Mira", "type": "npc", "version": 1}
    entry = LorebookRecord(
        session_id="s1",
        owner=LorebookOwner(kind="world"),
        entry_id="pier",
        entry={"content": "Salt."},
        created_at=START,
        updated_at=START,
    )
    other = replace(entry, owner=LorebookOwner(kind="plugin", plugin_id="demo"))

    store.transaction_now(lambda t: put_character(t, "s1", record, revision=4))
    for one in (entry, other):
        store.transaction_now(lambda t, one=one: put_lorebook_entry(t, one, revision=5))
    assert store.read_now(lambda r: list(characters_since(r, "s1", revision=3))) == [(4, record)]
    assert store.read_now(lambda r: list(characters_since(r, "s1", revision=4))) == []
    assert store.read_now(lambda r: characters_removed_since(r, "s1", revision=-1)) == []
    found = store.read_now(lambda r: list(lorebook_since(r, "s1", revision=4)))
    assert [(revision, one.owner.kind) for revision, one in found] == [(5, "plugin"), (5, "world")]


def test_messages_behind_a_sequence_are_the_newest_ones_oldest_first(store: Store) -> None:
    rows = [message(f"m{number}") for number in range(1, 6)]
    store.transaction_now(lambda transaction: append_messages(transaction, rows))

    def after(sequence: int, limit: int) -> list[str]:
        found = store.read_now(lambda r: newest_messages_after(r, "s1", sequence, limit=limit))
        return [one.message_id for one in found]

    assert after(3, 10) == ["m4", "m5"]
    assert after(0, 2) == ["m4", "m5"]
    assert after(5, 10) == []
