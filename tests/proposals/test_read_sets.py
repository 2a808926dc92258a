"""Reads are recorded when something is looked at, and compared with what is stored later."""

import asyncio
import copy
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from covel_host.proposals.overlay import PluginDataView
from covel_host.proposals.read_sets import (
    CharacterRead,
    CharacterSchemaRead,
    DataRangeRead,
    DataRead,
    Read,
    ReadSet,
    RosterRead,
    reads_json,
)
from covel_host.proposals.staged import StagedProposal
from covel_host.proposals.stale_reads import stale_reads
from covel_host.proposals.stored_data import StoredPluginData
from covel_host.store.sessions import delete_session
from covel_host.store.store import Store
from tests.proposals.builders import commit, committed, note, provided, staged, with_session
from tests.proposals.worlds import HP, schema_set, upsert, with_world, world_of


def data_view(
    store: Store, upstream: Sequence[StagedProposal] = (), *, reads: ReadSet | None = None
) -> PluginDataView:
    source = StoredPluginData(store, session_id="s1", plugin_id="echo-demo")
    return PluginDataView(source, plugin_id="echo-demo", upstream=upstream, reads=reads)


def stale(store: Store, reads: ReadSet) -> list[str]:
    found = store.read_now(lambda reading: stale_reads(reading, "s1", reads.reads))
    return [read.kind for read in found]


def kinds(reads: ReadSet) -> list[str]:
    return [read.kind for read in reads.reads]


def data_read(key: str, version: int | None) -> DataRead:
    return DataRead(plugin_id="echo-demo", namespace="notes", key=key, version=version)


def range_read(
    count: int, newest: int, *, after: str = "", through: str | None = None
) -> DataRangeRead:
    return DataRangeRead(
        plugin_id="echo-demo",
        namespace="notes",
        after=after,
        through=through,
        count=count,
        newest=newest,
    )


def test_a_view_that_nobody_looks_at_records_nothing(store: Store) -> None:
    view = world_of(with_world(store))
    view.opened(lambda: None)
    view.stage([upsert(1, expectedVersion=1, fields={"hp": 9})])
    assert isinstance(view.dimensions, dict)
    assert view.world_record is None
    assert view.reads.reads == ()


def test_the_list_is_a_read_of_who_there_is_and_a_member_one_of_its_character(
    store: Store,
) -> None:
    view = world_of(with_world(store))
    listed = view.characters
    assert kinds(view.reads) == []
    assert [record["id"] for record in listed] == ["npc-mira", "npc-wren"]
    assert kinds(view.reads) == ["roster"]
    assert listed[1]["name"] == "Wren"
    assert view.reads.reads[1:] == (CharacterRead(character_id="npc-wren", revision=1),)


@pytest.mark.parametrize(
    "look",
    [
        lambda record: record.get("description"),
        lambda record: "fields" in record,
        lambda record: list(record),
        lambda record: len(record),
        lambda record: dict(record),
        lambda record: {**record},
        lambda record: record == {},
        lambda record: copy.deepcopy(record),
    ],
)
def test_every_way_to_a_member_is_a_read(store: Store, look: Callable[[Any], Any]) -> None:
    view = world_of(with_world(store))
    look(view.characters[0])
    assert view.reads.reads[1:] == (CharacterRead(character_id="npc-mira", revision=1),)


def test_the_schema_is_read_when_it_is_asked_for(store: Store) -> None:
    view = world_of(with_world(store))
    assert view.character_schema is view.character_schema
    assert view.reads.reads == (CharacterSchemaRead(revision=1),)


def test_characters_go_stale_when_what_was_read_of_them_changes(store: Store) -> None:
    view = world_of(with_world(store))
    assert view.characters[0]["name"] == "Mira"
    assert view.character_schema is not None
    assert stale(store, view.reads) == []
    committed(store, commit("t2", proposals=(upsert(1, id="npc-wren", name="Wren"),)))
    assert stale(store, view.reads) == []
    committed(store, commit("t3", proposals=(upsert(1, id="npc-new", name="New"),)))
    assert stale(store, view.reads) == ["roster"]
    committed(store, commit("t4", proposals=(upsert(1, expectedVersion=1, fields={"hp": 4}),)))
    assert stale(store, view.reads) == ["roster", "character"]
    committed(store, commit("t5", proposals=(schema_set(HP),)))
    assert stale(store, view.reads) == ["roster", "character", "character-schema"]


def test_a_replacement_with_an_old_version_number_is_noticed(store: Store) -> None:
    view = world_of(with_world(store))
    assert view.characters[0]["version"] == 1
    committed(store, commit("t2", proposals=(upsert(1, version=1),)))
    assert stale(store, view.reads) == ["character"]


def test_own_writes_make_no_read_stale(store: Store) -> None:
    view = world_of(with_world(store))
    view.stage(
        [
            upsert(1, expectedVersion=1, fields={"hp": 9}),
            upsert(2, id="npc-new", name="New"),
            schema_set(HP, types=("npc", "companion")),
        ]
    )
    assert [dict(record)["name"] for record in view.characters] == ["Mira", "New", "Wren"]
    assert view.character_schema is not None
    assert stale(store, view.reads) == []


def test_what_upstream_staged_is_known_by_its_content(store: Store) -> None:
    upstream = [
        upsert(1, expectedVersion=1, fields={"hp": 9}),
        upsert(2, id="npc-new", name="New"),
        schema_set(HP, types=("npc", "companion")),
    ]
    view = world_of(with_world(store), upstream)
    view.stage([upsert(3, expectedVersion=2, description="Own.")])
    assert [dict(record)["name"] for record in view.characters] == ["Mira", "New", "Wren"]
    assert view.character_schema is not None
    assert stale(store, view.reads) == ["roster", "character", "character", "character-schema"]
    committed(store, commit("t2", proposals=tuple(upstream)))
    assert stale(store, view.reads) == []
    committed(store, commit("t3", proposals=(upsert(1, expectedVersion=2, fields={"hp": 1}),)))
    assert stale(store, view.reads) == ["character"]


def test_a_record_is_read_with_its_version_and_an_absent_one_as_absent(store: Store) -> None:
    committed(store, commit("t1", proposals=(note("lamp", 1),)))
    reads = ReadSet()
    view = data_view(store, reads=reads)

    async def look() -> None:
        for _ in range(2):
            await view.get("notes", "lamp")
            await view.find("notes", "none")

    asyncio.run(look())
    assert reads.reads == (data_read("lamp", 1), data_read("none", None))
    assert stale(store, reads) == []
    committed(store, commit("t2", proposals=(note("lamp", 1), note("none", 2))))
    assert stale(store, reads) == ["data", "data"]


def test_staging_alone_is_no_read_and_reading_an_own_update_is_one_of_its_base(
    store: Store,
) -> None:
    committed(store, commit("t1", proposals=(note("lamp", {"n": 1}), note("b", 1))))
    reads = ReadSet()
    view = data_view(store, reads=reads)
    raised = staged(
        "plugin.data.update",
        namespace="notes",
        key="lamp",
        ops=[{"op": "increment", "path": "/n", "by": 1}],
    )

    async def scene() -> None:
        await view.stage([raised, note("b", 2)])
        assert reads.reads == ()
        assert await view.get("notes", "b") == 2
        assert reads.reads == ()
        assert await view.get("notes", "lamp") == {"n": 2}
        assert reads.reads == (data_read("lamp", 1),)

    asyncio.run(scene())


def test_a_listing_is_a_read_of_its_range(store: Store) -> None:
    keys = ("a", "c", "e", "g")
    committed(store, commit("t1", proposals=tuple(note(key, 1) for key in keys)))
    committed(store, commit("t2", proposals=(note("c", 2),)))
    reads = ReadSet()
    view = data_view(store, reads=reads)
    asyncio.run(view.list("notes", limit=2, after="a"))
    assert reads.reads == (range_read(2, 2, after="a", through="e"),)
    committed(store, commit("t3", proposals=(note("a", 3), note("f", 3))))
    assert stale(store, reads) == []
    committed(store, commit("t4", proposals=(note("d", 3),)))
    assert stale(store, reads) == ["data-range"]


@pytest.mark.parametrize("change", [note("a", None), note("b", 2), note("a", 1)])
def test_any_write_in_the_range_makes_a_listing_stale(store: Store, change: StagedProposal) -> None:
    committed(store, commit("t1", proposals=(note("a", 1), note("c", 1))))
    reads = ReadSet()
    asyncio.run(data_view(store, reads=reads).list("notes"))
    assert reads.reads == (range_read(2, 1),)
    committed(store, commit("t2", proposals=(change,)))
    assert stale(store, reads) == ["data-range"]


def test_pages_of_one_listing_are_one_read(store: Store) -> None:
    committed(store, commit("t1", proposals=tuple(note(key, 1) for key in "abcde")))
    reads = ReadSet()
    view = data_view(store, reads=reads)

    async def pages() -> None:
        for _ in range(2):
            for after in ("", "b", "d"):
                await view.list("notes", limit=2, after=after)

    asyncio.run(pages())
    assert reads.reads == (range_read(5, 1),)


def test_data_that_upstream_staged_is_known_by_its_content(store: Store) -> None:
    committed(store, commit("t1", proposals=(note("a", 1), note("c", 1))))
    upstream = [note("b", 2), note("c", None)]
    reads = ReadSet()
    view = data_view(store, upstream, reads=reads)

    async def look() -> None:
        await view.stage([note("a", "own")])
        assert [entry.key for entry in await view.list("notes")] == ["a", "b"]
        assert await view.get("notes", "b") == 2
        assert await view.get("notes", "c") is None

    asyncio.run(look())
    assert stale(store, reads) == ["data-range", "data", "data"]
    committed(store, commit("t2", proposals=tuple(upstream)))
    assert stale(store, reads) == []
    committed(store, commit("t3", proposals=(note("b", 3),)))
    assert stale(store, reads) == ["data-range", "data"]


_KEYS = st.sampled_from(["a", "b", "c", "ä"])
_NOTES = st.builds(note, _KEYS, st.sampled_from([None, 1, 2]))


@given(
    before=st.lists(_NOTES, max_size=4),
    upstream=st.lists(_NOTES, max_size=3),
    after=_KEYS | st.just(""),
    limit=st.integers(1, 5),
    later=st.lists(_NOTES, max_size=2),
)
@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_reads_that_hold_would_give_the_same_again(
    store: Store,
    before: list[StagedProposal],
    upstream: list[StagedProposal],
    after: str,
    limit: int,
    later: list[StagedProposal],
) -> None:
    store.transaction_now(lambda transaction: delete_session(transaction, "s1"))
    with_session(store)
    committed(store, commit("t1", proposals=tuple(before)))
    reads = ReadSet()
    view = data_view(store, upstream, reads=reads)

    async def look(view: PluginDataView) -> Any:
        listed = await view.list("notes", limit=limit, after=after)
        return listed, [await view.find("notes", key) for key in "abcä"]

    first = asyncio.run(look(view))
    committed(store, commit("t2", proposals=tuple(upstream)))
    assert stale(store, reads) == []
    committed(store, commit("t3", proposals=tuple(later)))
    if not stale(store, reads):
        assert asyncio.run(look(data_view(store))) == first


def test_reads_are_shown_with_what_they_rest_on() -> None:
    reads: tuple[Read, ...] = (
        CharacterRead(character_id="npc-mira", revision=3),
        RosterRead(seen="ab"),
        CharacterSchemaRead(revision=None, seen="cd"),
        data_read("lamp", 2),
        range_read(2, 5, through="e"),
    )
    place = {"pluginId": "echo-demo", "namespace": "notes"}
    assert reads_json(reads) == [
        {"kind": "character", "characterId": "npc-mira", "revision": 3},
        {"kind": "roster", "seen": "ab"},
        {"kind": "character-schema", "revision": None, "seen": "cd"},
        {"kind": "data", **place, "key": "lamp", "version": 2},
        {"kind": "data-range", **place, "after": "", "through": "e", "count": 2, "newest": 5},
    ]


def test_dimensions_are_never_recorded(store: Store) -> None:
    view = world_of(with_world(store))
    assert view.dimensions["tide"]["value"] == 2
    change = staged("dimension.update", updates=[{"id": "tide", "expectedVersion": 1, "value": 4}])
    committed(store, provided("t2", proposals=(change,)))
    assert stale(store, view.reads) == []
