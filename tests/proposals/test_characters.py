"""Characters and their schema: the view and the commit are one rule."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from covel_host.proposals.character_rules import CharacterState
from covel_host.proposals.errors import CommitRefused, ProposalRefused
from covel_host.store.character_schemas import get_character_schema
from covel_host.store.characters import every_character, get_character
from covel_host.store.sessions import delete_session, insert_session
from covel_host.store.store import Store
from covel_host.store.values import time_text
from plugin_sdk.rules.character_overlay import overlay_characters
from tests.proposals.builders import FINISHED, commit, committed, provided, refused, staged
from tests.store.builders import session

AT = time_text(FINISHED)


def upsert(number: int = 1, /, **payload: Any) -> Any:
    return staged("character.upsert", number, **{"id": "npc-mira", "name": "Mira", **payload})


def schema(*attributes: dict[str, Any], number: int = 1, types: Any = ("npc",)) -> Any:
    return staged("character.schema.set", number, types=list(types), attributes=list(attributes))


HP = {"id": "hp", "name": "HP", "type": "number", "min": 0, "max": 9}


def stored(store: Store, character_id: str = "npc-mira", **at: int) -> Any:
    return store.read_now(lambda reading: get_character(reading, "s1", character_id, **at))


def test_a_new_character_has_the_defaults_and_the_commit_s_time(store: Store) -> None:
    report = committed(store, commit(proposals=(upsert(),)))
    record = {
        "id": "npc-mira",
        "name": "Mira",
        "type": "npc",
        "version": 1,
        "createdAt": AT,
        "updatedAt": AT,
    }
    assert stored(store) == record
    assert [(event.type, event.payload) for event in report.events] == [
        ("character.upserted", {"character": record})
    ]


def test_a_given_creation_time_and_version_are_stored(store: Store) -> None:
    committed(store, commit(proposals=(upsert(version=7, createdAt="2031-05-09T00:00:00Z"),)))
    assert (stored(store)["version"], stored(store)["createdAt"]) == (7, "2031-05-09T00:00:00Z")


def test_two_patches_of_one_version_both_survive(store: Store) -> None:
    committed(store, commit("t1", proposals=(upsert(fields={"hp": 3, "mood": "calm"}),)))
    committed(
        store,
        commit(
            "t2",
            proposals=(
                upsert(1, expectedVersion=1, fields={"hp": 5}),
                upsert(2, expectedVersion=1, fields={"mood": "grim", "gold": None}),
            ),
        ),
    )
    assert stored(store)["fields"] == {"hp": 5, "mood": "grim", "gold": None}
    assert stored(store)["version"] == 3
    assert stored(store, revision=1)["fields"] == {"hp": 3, "mood": "calm"}
    assert stored(store, revision=0) is None


def test_the_same_field_is_the_later_commit_s(store: Store) -> None:
    committed(store, commit("t1", proposals=(upsert(fields={"hp": 3}),)))
    for number, hp in enumerate((5, 6), 2):
        proposal = upsert(expectedVersion=1, fields={"hp": hp})
        committed(store, commit(f"t{number}", proposals=(proposal,)))
    assert stored(store)["fields"] == {"hp": 6}


def test_a_write_without_a_version_replaces_the_record(store: Store) -> None:
    committed(store, commit("t1", proposals=(upsert(fields={"hp": 3}, description="Tall."),)))
    committed(store, commit("t2", proposals=(upsert(aliases=["the keeper"]),)))
    assert stored(store)["aliases"] == ["the keeper"]
    assert not {"fields", "description"} & set(stored(store))


def test_null_fields_clear_all_attributes(store: Store) -> None:
    committed(store, commit("t1", proposals=(upsert(fields={"hp": 3}),)))
    committed(store, commit("t2", proposals=(upsert(expectedVersion=1, fields=None),)))
    assert "fields" not in stored(store)


@pytest.mark.parametrize(
    ("payload", "code", "words"),
    [
        ({"expectedVersion": 1, "id": "npc-none"}, "not-found", "does not exist"),
        ({"type": "ghost"}, "proposal-invalid", "'ghost' is not declared"),
        ({"fields": {"hp": 10}}, "proposal-invalid", "hp"),
        ({"fields": {"hp": None}}, "proposal-invalid", "hp"),
        ({"id": "npc-b", "name": "the KEEPER"}, "proposal-invalid", "Wren"),
        ({"id": "npc-b", "name": "B", "aliases": ["wren"]}, "proposal-invalid", "Wren"),
        ({"name": " "}, "proposal-invalid", "empty"),
    ],
)
def test_what_the_session_does_not_allow_rolls_everything_back(
    store: Store, payload: dict[str, Any], code: str, words: str
) -> None:
    wren = upsert(2, id="npc-wren", name="Wren", aliases=["Keeper"])
    committed(store, commit("t1", proposals=(schema(HP), wren)))
    good = upsert(3, id="npc-good", name="Good")
    error = refused(store, commit("t2", proposals=(good, upsert(4, **payload))))
    assert (error.code, error.failed[-1].proposal_id) == (code, "proposal-4")
    assert words in error.message
    assert error.message.startswith("Plugin 'echo-demo': ")


def test_names_are_checked_against_what_the_same_execution_wrote(store: Store) -> None:
    first = upsert(1, aliases=["the keeper"])
    second = upsert(2, id="npc-b", name="Keeper")
    assert refused(store, commit(proposals=(first, second))).failed[-1].proposal_id == "proposal-2"


def test_a_schema_is_numbered_and_stamped_by_the_host(store: Store) -> None:
    committed(store, commit("t1", proposals=(schema(HP),)))
    report = committed(store, commit("t2", proposals=(schema(),)))
    expected = {"types": ["npc"], "attributes": [], "version": 2, "updatedAt": AT}
    assert report.events[0].payload == {"schema": expected}
    assert store.read_now(lambda reading: get_character_schema(reading, "s1")) == expected
    first = store.read_now(lambda reading: get_character_schema(reading, "s1", revision=1))
    assert first == {"types": ["npc"], "attributes": [HP], "version": 1, "updatedAt": AT}


def test_a_schema_takes_no_version(store: Store) -> None:
    with pytest.raises(ProposalRefused) as error:
        staged("character.schema.set", types=[], attributes=[], version=3)
    assert error.value.code == "proposal-invalid"


@pytest.mark.parametrize(
    ("types", "attributes", "words"),
    [((), (), "undeclared type 'npc'"), (("npc",), ({**HP, "max": 2},), "npc-mira.hp")],
)
def test_a_schema_must_fit_the_characters_there_are(
    store: Store, types: Any, attributes: Any, words: str
) -> None:
    committed(store, commit("t1", proposals=(upsert(fields={"hp": 3}),)))
    error = refused(store, commit("t2", proposals=(schema(*attributes, types=types),)))
    assert error.code == "proposal-invalid"
    assert words in error.message


# The view and the commit

names = st.sampled_from(["Mira", "Wren", "the Keeper", "KEEPER", ""])
fields = st.none() | st.dictionaries(
    st.sampled_from(["hp", "mood", "gold"]),
    st.integers(-3, 12) | st.sampled_from(["calm", None]),
    max_size=2,
)
upserts = st.fixed_dictionaries(
    {"id": st.sampled_from(["npc-a", "npc-b", "npc-c"]), "name": names.filter(bool)},
    optional={
        "type": st.sampled_from(["npc", "player", "ghost"]),
        "description": st.sampled_from(["", "Tall."]),
        "fields": fields,
        "aliases": st.lists(names, max_size=2),
        "removeAliases": st.lists(names, max_size=1),
        "expectedVersion": st.integers(1, 3),
    },
)
schemas = st.fixed_dictionaries(
    {
        "types": st.sampled_from([["npc"], ["npc", "ghost"], []]),
        "attributes": st.sampled_from([[], [HP], [{**HP, "max": 4}]]),
    }
)
writes = st.lists(
    st.tuples(st.just("character.upsert"), upserts)
    | st.tuples(st.just("character.schema.set"), schemas),
    max_size=8,
)


@given(executions=st.lists(writes, max_size=3))
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_the_view_shows_what_the_commit_stores(
    store: Store, executions: list[list[tuple[str, dict[str, Any]]]]
) -> None:
    def fresh(transaction: Any) -> None:
        delete_session(transaction, "s1")
        insert_session(transaction, session())

    store.transaction_now(fresh)
    for turn, staged_writes in enumerate(executions, 1):
        proposals = [
            staged(name, number, **payload)
            for number, (name, payload) in enumerate(staged_writes, 1)
        ]
        view = CharacterState(*state(store))
        accepted, overlaid = [], {record["id"]: record for record in state(store)[0]}
        for proposal in proposals:
            before = (view.characters, view.schema)
            code = refusal_code(view, proposal)
            if code is None:
                accepted.append(proposal)
                overlaid = overlay_characters([proposal.model], overlaid.values(), "s1", at=AT)
                continue
            # A refused write is not in the view, and refuses the whole commit.
            assert (view.characters, view.schema) == before
            with pytest.raises(CommitRefused) as error:
                committed(store, provided(f"x{turn}", proposals=(*accepted, proposal)))
            assert error.value.code == code
        committed(store, provided(f"t{turn}", proposals=tuple(accepted)))
        characters, stored_schema = state(store)
        assert sorted(view.characters, key=lambda record: record["id"]) == characters
        assert view.schema == stored_schema
        for record in overlaid.values():
            record.pop("sessionId", None)
        assert [overlaid[key] for key in sorted(overlaid)] == characters


def refusal_code(view: CharacterState, proposal: Any) -> str | None:
    try:
        view.write(proposal, at=AT)
    except ProposalRefused as refusal:
        return refusal.code
    return None


def state(store: Store) -> tuple[list[Any], Any]:
    return store.read_now(
        lambda reading: (every_character(reading, "s1"), get_character_schema(reading, "s1"))
    )
