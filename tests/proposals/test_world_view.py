"""What a run sees of the world is what the commit of the same proposals makes."""

import copy
import json
import pickle
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from covel_host.base.json_text import dump_json, json_copy
from covel_host.proposals import world_snapshot
from covel_host.proposals.errors import ProposalRefused
from covel_host.proposals.staged import StagedProposal
from covel_host.proposals.world_snapshot import WorldSnapshot
from covel_host.proposals.world_view import WorldView
from covel_host.store.character_schemas import get_character_schema
from covel_host.store.characters import every_character
from covel_host.store.dimensions import every_dimension
from covel_host.store.read_versions import RevisedText
from covel_host.store.sessions import delete_session
from covel_host.store.store import Store
from plugin_sdk.errors import ToolError
from plugin_sdk.proposals import CharacterUpsert
from plugin_sdk.rules.character_overlay import overlay_characters
from plugin_sdk.rules.characters import get_character, list_characters
from tests.proposals.builders import commit, committed, provided, staged, with_session
from tests.proposals.worlds import (
    HP,
    accepted_by,
    schema_set,
    snapshot_of,
    upsert,
    with_world,
    world_of,
)
from tests.support.work import calls_of

TIMES = {"createdAt", "updatedAt"}

upserts = st.builds(
    lambda who, version, rest: upsert(
        1, **{**who, **rest, **({} if version is None else {"expectedVersion": version})}
    ),
    st.sampled_from(
        [
            {"id": "npc-mira", "name": "Mira"},
            {"id": "npc-wren", "name": "Wren"},
            {"id": "npc-\U00010000", "name": "Ada"},
            {"id": "npc-\uffff", "name": "The Keeper"},
        ]
    ),
    st.sampled_from([None, 1, 7]),
    st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["npc", "companion", "ghost"]),
            "description": st.sampled_from(["", "Tall.", "灯"]),
            "fields": st.sampled_from(
                [None, {"hp": 4}, {"hp": 40}, {"bag": {"rope": None}}, {"mood": None}, "plain", [1]]
            ),
            "aliases": st.sampled_from([[], ["keeper"], ["the light", "Ada"]]),
            "removeAliases": st.sampled_from([["Keeper"], ["nobody"]]),
            "version": st.sampled_from([1, 5]),
            "createdAt": st.just("2031-05-09T00:00:00Z"),
        },
    ),
)
schemas = st.sampled_from(
    [
        schema_set(HP, types=("npc", "companion")),
        schema_set(types=("npc",)),
        schema_set({**HP, "min": 4}, types=("npc", "companion")),
    ]
)
writes = st.lists(upserts | schemas | st.just(staged("event.emit", topic="rain")), max_size=6)


def timeless(record: Any) -> Any:
    return {key: value for key, value in dict(record).items() if key not in TIMES}


def view_contents(view: WorldView) -> Any:
    schema = view.character_schema
    return [timeless(record) for record in view.characters], schema and timeless(schema)


def stored_contents(store: Store) -> Any:
    characters = store.read_now(lambda reading: every_character(reading, "s1"))
    schema = store.read_now(lambda reading: get_character_schema(reading, "s1"))
    return [timeless(record) for record in characters], schema and timeless(schema)


@given(before=writes, upstream=writes, own=writes)
@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_the_view_is_what_the_commit_stores(
    store: Store,
    before: list[StagedProposal],
    upstream: list[StagedProposal],
    own: list[StagedProposal],
) -> None:
    store.transaction_now(lambda transaction: delete_session(transaction, "s1"))
    with_session(store)
    committed(store, commit("t1", proposals=tuple(accepted_by(world_of(store), before))))
    fitting = accepted_by(world_of(store), upstream)
    view = world_of(store, fitting)
    staged_own = accepted_by(view, own)
    seen = view_contents(view)
    committed(store, commit("t2", proposals=(*fitting, *staged_own)))
    assert seen == stored_contents(store)
    assert view_contents(world_of(store)) == seen


@given(upstream=writes)
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_upstream_proposals_that_do_not_fit_together_are_left_out(
    store: Store, upstream: list[StagedProposal]
) -> None:
    assert view_contents(world_of(store, upstream)) == view_contents(
        world_of(store, accepted_by(world_of(store), upstream))
    )


def test_a_refused_group_leaves_the_view_as_it_was(store: Store) -> None:
    view = world_of(with_world(store))
    before, seen = view.characters, view_contents(view)
    with pytest.raises(ProposalRefused) as refused:
        view.stage([upsert(1, expectedVersion=1, fields={"hp": 5}), upsert(2, type="ghost")])
    assert refused.value.code == "proposal-invalid"
    assert view_contents(view) == seen
    assert view.characters is before


def test_siblings_do_not_see_each_other(store: Store) -> None:
    snapshot = snapshot_of(with_world(store))
    first, second = WorldView(snapshot), WorldView(snapshot)
    untouched = view_contents(second)
    first.stage([upsert(1, expectedVersion=1, fields={"hp": 9}), schema_set(HP)])
    assert view_contents(second) == untouched
    second.stage([upsert(2, expectedVersion=1, fields={"hp": 1})])
    assert [view.characters[0]["fields"]["hp"] for view in (first, second)] == [9, 1]
    assert view_contents(WorldView(snapshot)) == untouched


def test_one_list_serves_until_the_next_write(store: Store) -> None:
    view = world_of(with_world(store))
    listed, record = view.characters, view.characters[0]
    assert view.characters is listed
    assert listed[0] is record
    view.stage([staged("narrative.append", content="Once.")])
    assert view.characters is listed
    view.stage([upsert(1, expectedVersion=1, fields={"hp": 9})])
    assert view.characters is not listed
    assert (record["fields"]["hp"], view.characters[0]["fields"]["hp"]) == (3, 9)
    # What was not written is not made anew.
    assert dict(view.characters[1])["aliases"] is dict(listed[1])["aliases"]


def test_dimensions_are_the_frozen_snapshot(store: Store) -> None:
    view = world_of(with_world(store))
    dimensions = view.dimensions
    stored = store.read_now(lambda reading: every_dimension(reading, "s1"))
    assert dimensions == {"tide": stored[0].public()}
    assert set(dimensions["tide"]) == {"name", "schema", "value", "version"}
    change = staged("dimension.update", updates=[{"id": "tide", "expectedVersion": 1, "value": 4}])
    view.stage([change])
    assert view.dimensions is dimensions
    committed(store, provided("t2", proposals=(change,)))
    assert view.dimensions["tide"]["value"] == 2
    assert world_of(store).dimensions["tide"]["value"] == 4


def test_an_empty_world_has_nothing() -> None:
    view = WorldView()
    assert (view.world_record, view.character_schema) == (None, None)
    assert (list(view.characters), view.dimensions) == ([], {})
    record = {"id": "w", "tags": ["sea"]}
    assert WorldView(WorldSnapshot(world=RevisedText(0, dump_json(record)))).world_record == record


@pytest.mark.parametrize(
    "change",
    [
        lambda view: view.characters[0].__setitem__("name", "X"),
        lambda view: view.characters.append({}),
        lambda view: view.characters[0]["fields"].__setitem__("hp", 9),
        lambda view: view.characters[0]["fields"]["bag"].update(rope=1),
        lambda view: view.characters[0]["fields"]["bag"]["rope"].append(3),
        lambda view: view.character_schema.pop("types"),
        lambda view: view.character_schema["types"].sort(),
        lambda view: view.dimensions.clear(),
        lambda view: view.dimensions["tide"].setdefault("value", 3),
        lambda view: view.dimensions["tide"]["schema"].__delitem__("type"),
    ],
)
def test_nothing_that_is_given_can_be_changed(store: Store, change: Any) -> None:
    view = world_of(with_world(store))
    seen = view_contents(view)
    with pytest.raises((TypeError, AttributeError)):
        change(view)
    assert view_contents(view) == seen


def test_what_is_given_equals_plain_json_and_copies_to_it(store: Store) -> None:
    view = world_of(with_world(store))
    plain = store.read_now(lambda reading: every_character(reading, "s1"))
    assert list(view.characters) == plain
    assert view.characters == plain
    assert view.characters != plain[:1]
    for copied in (
        json_copy(view.characters),
        copy.deepcopy(view.characters),
        pickle.loads(pickle.dumps(view.characters)),
        [copy.deepcopy(record) for record in view.characters],
        json.loads(dump_json(view.characters)),
    ):
        assert copied == plain
        assert type(copied) is list
        assert type(copied[0]) is dict
        assert type(copied[0]["fields"]["bag"]["rope"]) is list
        copied[0]["fields"]["bag"]["rope"].append(3)
    assert list(view.characters) == plain
    assert json.dumps(view.dimensions) == json.dumps(json_copy(view.dimensions))


def test_the_rules_of_the_sdk_take_what_is_given(store: Store) -> None:
    characters = world_of(with_world(store)).characters
    found = get_character(characters, name="keeper").content
    assert found["character"]["id"] == "npc-wren"  # type: ignore[index,call-overload]
    assert list_characters(characters).content["count"] == 2  # type: ignore[index,call-overload]
    overlaid = overlay_characters([], characters, "s1")
    assert overlaid["npc-mira"]["name"] == "Mira"
    fields = characters[0]["fields"]
    again = CharacterUpsert(id="npc-mira", name="Mira", fields=fields)
    assert again.payload()["fields"] == fields


def test_a_handle_dies_with_its_call(store: Store) -> None:
    view = world_of(with_world(store))
    ended = []

    def check() -> None:
        if ended:
            raise ToolError("unavailable", "The call has ended.")

    handle = view.opened(check)
    characters, record = handle.characters, handle.characters[0]
    values = record["fields"]
    recorded = view.reads.reads
    ended.append(True)
    for look in (
        lambda: handle.world_record,
        lambda: handle.character_schema,
        lambda: handle.characters,
        lambda: handle.dimensions,
        lambda: len(characters),
        lambda: list(characters),
        lambda: characters[1],
        lambda: record["id"],
        lambda: dict(record),
        lambda: copy.deepcopy(record),
    ):
        with pytest.raises(ToolError, match="has ended"):
            look()
    assert view.reads.reads == recorded
    assert values == {"hp": 3, "bag": {"rope": [1, 2]}}
    assert len(view.opened(lambda: None).characters) == 2


def test_the_host_reads_what_a_call_returned_and_records_it(store: Store) -> None:
    view = world_of(with_world(store))

    def ended() -> None:
        raise ToolError("unavailable", "The call has ended.")

    alive = True
    handle = view.opened(lambda: None if alive else ended())
    listed, record = handle.characters, handle.characters[1]
    alive = False
    plain = store.read_now(lambda reading: every_character(reading, "s1"))
    assert json_copy({"one": record}) == {"one": plain[1]}
    assert [read.kind for read in view.reads.reads] == ["roster", "character"]
    assert json_copy(listed) == plain
    assert [read.kind for read in view.reads.reads] == ["roster", "character", "character"]


def test_a_thousand_characters_cost_a_call_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {
        f"npc-{number:04}": RevisedText(
            1, json.dumps({"id": f"npc-{number:04}", "name": f"N{number}", "fields": {"hp": 1}})
        )
        for number in range(1_000)
    }
    parsed: list[str] = []
    original = world_snapshot.parsed_object

    def counted(text: str) -> Any:
        parsed.append(text)
        return original(text)

    monkeypatch.setattr(world_snapshot, "parsed_object", counted)
    world_snapshot._kept_record.cache_clear()
    snapshot = WorldSnapshot(characters=texts)
    views = [WorldView(snapshot) for _ in range(50)]
    assert views[0].dimensions == {}
    assert parsed == []
    assert [view.characters[7]["name"] for view in views] == ["N7"] * 50
    assert len(parsed) == 1_000
    # An execution later they are the same, and not parsed again.
    assert WorldView(WorldSnapshot(characters=texts)).characters[7]["name"] == "N7"
    assert len(parsed) == 1_000

    # What one function is given costs what it looks at, not how many characters there are.
    def look() -> None:
        assert views[0].opened(lambda: None).characters[-1]["name"] == "N999"

    assert calls_of(look) < 100


@pytest.mark.parametrize("index", [0, -1])
def test_a_character_that_is_not_in_the_list_is_told_so(index: int) -> None:
    with pytest.raises(IndexError, match=f"no character {index}: the list has 0"):
        WorldView().characters[index]
