"""Characters: look-up, batches, field rules, overlay (vectors: characters.json, keys.json)."""

import copy
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugin_sdk.errors import (
    CharacterFieldValidationError,
    ToolError,
    ToolValidationError,
)
from plugin_sdk.proposals import parse_proposal
from plugin_sdk.rules.character_batches import plan_character_batch
from plugin_sdk.rules.character_fields import (
    assert_character_fields,
    assert_schema_fits_characters,
    describe_character_fields,
    merge_schema_defaults,
)
from plugin_sdk.rules.character_names import (
    CharacterDirectory,
    character_label,
    character_name_key,
    resolve_character,
    same_character_name,
)
from plugin_sdk.rules.character_overlay import (
    assert_character_write,
    materialize_character,
    overlay_characters,
)
from plugin_sdk.rules.characters import get_character, list_characters

YSOLDE = {
    "id": "npc-keeper-ysolde",
    "name": "守灯人伊索德",
    "type": "npc",
    "aliases": ["伊索德", "守灯人"],
    "version": 1,
}
SCHEMA: dict[str, Any] = {
    "types": ["npc", "companion"],
    "attributes": [
        {"id": "hp", "name": "HP", "type": "number", "category": "stats", "min": 0, "max": 100},
        {
            "id": "status",
            "name": "Status",
            "type": "enum",
            "category": "stats",
            "options": ["alive", "wounded"],
            "defaultValue": "alive",
        },
    ],
}


def upserts(payloads: list[Any]) -> list[dict[str, Any]]:
    return [{"type": "character.upsert", "payload": payload} for payload in payloads]


# Names


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("「『守灯人』」", "守灯人"),
        ("约翰 · 史密斯", "约翰‧史密斯"),
        ("‘O’Neil’", "O'Neil"),
        ("ｔｈｅ　Keeper", "keeper"),
        ("Straße", "STRASSE"),
        ("苏 婉", "苏婉"),
    ],
)
def test_names_that_are_one(first: str, second: str) -> None:
    assert same_character_name(first, second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("“Red” and “Blue”", "Red” and “Blue"),
        ("", ""),
        ("  ", "  "),
        ("The", ""),
        ("Lin Yao", "LinYao"),
    ],
)
def test_names_that_are_not_one(first: str, second: str) -> None:
    assert not same_character_name(first, second)


@given(st.text())
def test_any_text_has_a_key_that_survives_case_and_white_space(name: str) -> None:
    key = character_name_key(name)
    assert character_name_key(f"  {name}\t") == key
    assert key == " ".join(key.split())


@given(st.text(max_size=30), st.lists(st.text(max_size=8), max_size=6), st.booleans())
def test_a_look_up_never_raises_and_an_exact_id_always_wins(
    query: str, names: list[str], partial: bool
) -> None:
    characters = [{"id": f"c-{index}", "name": name} for index, name in enumerate(names)]
    assert resolve_character(query, characters, partial=partial).outcome in (
        "found",
        "ambiguous",
        "missing",
    )
    for character in characters:
        answer = resolve_character(character["id"], characters, partial=partial)
        assert answer.outcome == "found"
        assert answer.character is character


def test_a_partial_look_up_with_several_hits_is_ambiguous() -> None:
    people = [{"id": "a", "name": "Lin Yao"}, {"id": "b", "name": "Lin Qing"}]
    assert resolve_character("lin", people, partial=True).outcome == "ambiguous"


def test_an_alias_of_two_characters_is_ambiguous() -> None:
    people = [
        {"id": "a", "name": "A", "aliases": ["Twin"]},
        {"id": "b", "name": "B", "aliases": ["twin"]},
    ]
    assert resolve_character("twin", people).outcome == "ambiguous"


def test_at_most_five_similar_characters_are_named() -> None:
    people = [{"id": str(index), "name": f"Guard {index}"} for index in range(9)]
    answer = resolve_character("Guard 10", people)
    assert answer.outcome == "missing"
    assert len(answer.closest) == 5
    assert answer.closest[0]["name"] == "Guard 1"


def test_a_directory_forgets_the_names_of_a_replaced_record() -> None:
    directory = CharacterDirectory([{"id": "a", "name": "Wren", "aliases": ["Bird"]}])
    directory.put({"id": "a", "name": "Robin"})
    assert directory.resolve("Wren").outcome == "missing"
    assert directory.resolve("Bird").outcome == "missing"
    assert directory.resolve("robin").outcome == "found"


def test_a_copied_directory_is_changed_apart() -> None:
    directory = CharacterDirectory([{"id": "a", "name": "Wren", "aliases": ["Bird"]}])
    twin = directory.copy()
    twin.put({"id": "a", "name": "Robin"})
    twin.put({"id": "b", "name": "Wren", "aliases": ["Bird"]})
    assert [twin.resolve(name).outcome for name in ("Robin", "Bird")] == ["found", "found"]
    assert directory.resolve("Robin").outcome == "missing"
    assert list(directory.characters) == ["a"]
    assert [character["id"] for character in directory.aliased("bird")] == ["a"]


# Fields


def test_a_default_that_breaks_its_own_attribute_is_not_written() -> None:
    schema = {"attributes": [{"id": "hp", "type": "number", "max": 5, "defaultValue": 9}]}
    assert merge_schema_defaults(schema, {}) == {}


def test_merged_defaults_share_nothing_with_the_schema() -> None:
    schema: Any = {"attributes": [{"id": "bag", "type": "array", "defaultValue": []}]}
    merge_schema_defaults(schema, None)["bag"].append("oar")  # type: ignore[union-attr]
    assert schema["attributes"][0]["defaultValue"] == []


@pytest.mark.parametrize("value", [float("nan"), float("inf"), None, True, "9", [9], 10**400])
def test_only_a_finite_number_within_its_bounds_is_one(value: Any) -> None:
    with pytest.raises(CharacterFieldValidationError):
        assert_character_fields({"hp": value}, SCHEMA)


def test_a_field_error_names_the_value_and_what_fits() -> None:
    with pytest.raises(CharacterFieldValidationError) as caught:
        assert_character_fields({"hp": "80", "status": "asleep"}, SCHEMA)
    assert caught.value.message == (
        'hp: Expected a number from 0 to 100, got "80".\n'
        'status: Expected one of "alive", "wounded", got "asleep".'
    )


def test_an_enum_without_options_takes_any_text() -> None:
    schema = {"attributes": [{"id": "mood", "type": "enum", "options": []}]}
    assert assert_character_fields({"mood": "calm"}, schema) == ()


def test_the_constraints_are_one_line_per_attribute() -> None:
    schema = {
        "attributes": [
            *SCHEMA["attributes"],
            {"id": "bag", "type": "array"},
            {"id": "bonds", "type": "map", "valueType": "number"},
            {"id": "gear", "type": "object", "subSchema": [{"id": "left", "type": "string"}]},
        ]
    }
    assert describe_character_fields(schema).splitlines() == [
        "- hp: a number from 0 to 100",
        '- status: one of "alive", "wounded"',
        "- bag: array of string",
        "- bonds: map of text to number",
        "- gear: object {left: string}",
    ]


def test_a_schema_that_existing_characters_break_is_refused() -> None:
    people = [{"id": "a", "name": "A", "type": "ghost", "fields": {"hp": -1}}]
    with pytest.raises(ToolValidationError) as caught:
        assert_schema_fits_characters(SCHEMA, people)
    assert [problem.path for problem in caught.value.details] == ["a", "a.hp"]
    assert_schema_fits_characters(SCHEMA, [{"id": "p", "name": "P", "type": "player"}])


# Batches


def plan(call: Any, *people: Any) -> Any:
    return plan_character_batch(call, characters=people, schema=SCHEMA)


def test_a_create_is_summed_up_and_gets_a_word_id() -> None:
    batch = plan({"creates": [{"name": "Lin Yao", "type": "npc", "description": "A courier."}]})
    assert batch.summary == 'Created npc "Lin Yao" as npc-lin-yao. — A courier.'
    assert batch.content["created"] == [
        {"characterId": "npc-lin-yao", "name": "Lin Yao", "type": "npc"}
    ]
    assert batch.proposals == (
        {
            "type": "character.upsert",
            "payload": {
                "id": "npc-lin-yao",
                "name": "Lin Yao",
                "type": "npc",
                "description": "A courier.",
                "fields": {"status": "alive"},
                "version": 1,
            },
        },
    )


def test_a_repeated_create_is_summed_up_as_existing() -> None:
    people = {"id": "char-abc123", "name": "苏婉", "type": "npc", "version": 1}
    batch = plan({"creates": [{"name": "苏婉", "type": "npc"}]}, people)
    assert batch.summary == (
        'Character "苏婉" (npc) already exists as char-abc123. No new record created. '
        "Use sync-characters updates to modify it."
    )
    assert batch.proposals == ()


def test_an_update_is_summed_up_by_what_changed() -> None:
    people = {
        "id": "char-abc123",
        "name": "苏婉",
        "type": "npc",
        "fields": {"hp": 100, "status": "alive", "home": "pier"},
        "version": 1,
    }
    update = {"id": "苏婉", "fields": {"hp": 60, "status": "wounded", "home": "pier"}}
    batch = plan({"updates": [update]}, people)
    assert batch.summary == (
        'Updated npc "苏婉" (char-abc123) → v2.\n  hp: 100 → 60\n  status: alive → wounded\n'
        "  Warning: The world's schema does not declare home. The values are kept."
    )
    assert batch.content["updated"][0]["warning"]
    assert batch.proposals[0]["payload"]["expectedVersion"] == 1


def test_a_taken_alias_says_whose_it_is_and_what_to_do() -> None:
    create = {"name": "老妇人", "type": "npc", "aliases": ["守灯人"]}
    with pytest.raises(ToolValidationError) as caught:
        plan({"creates": [create]}, YSOLDE)
    assert caught.value.message == (
        'creates[0]: "守灯人" is already a name of 守灯人伊索德 (aka 伊索德, 守灯人) '
        "[npc-keeper-ysolde]. If 老妇人 is that person, update npc-keeper-ysolde and create "
        "nothing. If the alias is wrong for 守灯人伊索德, remove it there first: update "
        "npc-keeper-ysolde with removeAliases. Otherwise leave this alias out."
    )


def test_removing_is_not_advised_where_the_alias_is_the_owners_name() -> None:
    with pytest.raises(ToolValidationError) as caught:
        plan({"creates": [{"name": "老妇人", "type": "npc", "aliases": ["守灯人伊索德"]}]}, YSOLDE)
    assert "removeAliases" not in caught.value.message


def test_an_unknown_target_names_similar_characters() -> None:
    with pytest.raises(ToolError) as caught:
        plan({"updates": [{"id": "伊索尔德", "fields": {}}]}, YSOLDE)
    assert caught.value.code == "not-found"
    assert caught.value.message == (
        'updates[0]: Character "伊索尔德" not found. Closest known names: 守灯人伊索德 '
        "(aka 伊索德, 守灯人). If it is one of them, use that name. Nothing was updated."
    )


def test_an_unknown_target_without_similar_names_lists_thirty_characters() -> None:
    people = [{"id": f"npc-{n}", "name": f"Guard {n}", "type": "npc"} for n in range(32)]
    with pytest.raises(ToolError) as caught:
        plan({"updates": [{"id": "伊索尔德"}]}, *people)
    assert caught.value.message.count("[npc-") == 30
    assert "and 2 more" in caught.value.message


def test_an_ambiguous_target_lists_the_ids() -> None:
    people = [
        {"id": "npc-a", "name": "Maud", "type": "npc"},
        {"id": "npc-b", "name": "maud", "type": "companion"},
    ]
    with pytest.raises(ToolError) as caught:
        plan({"updates": [{"id": "Maud"}]}, *people)
    assert caught.value.code == "ambiguous"
    assert caught.value.message == (
        'updates[0]: "Maud" names 2 characters: Maud [npc-a]; maud [npc-b]. '
        "Pass the id of the one you mean. Nothing was updated."
    )


def test_a_second_player_of_the_same_name_is_the_first() -> None:
    player = {"id": "pc-1", "name": "Wren", "type": "player", "aliases": ["Bird"], "version": 1}
    assert plan({"creates": [{"name": "wren", "type": "player"}]}, player).content["unchanged"]
    with pytest.raises(ToolValidationError, match="Ask the player for another name"):
        plan({"creates": [{"name": "Bird", "type": "player"}]}, player)


def test_an_update_names_the_type_so_that_no_default_replaces_it() -> None:
    friend = {"id": "c-1", "name": "Rook", "type": "companion", "version": 4}
    [proposal] = plan({"updates": [{"id": "c-1", "description": ""}]}, friend).proposals
    assert proposal["payload"]["type"] == "companion"
    assert proposal["payload"]["description"] == ""


@pytest.mark.parametrize(
    "call",
    [
        {"creates": "Wren"},
        {"creates": ["Wren"]},
        {"creates": [{"name": " ", "type": "npc"}]},
        {"creates": [{"name": "Wren"}]},
        {"creates": [{"name": "Wren", "type": "npc", "aliases": "Bird"}]},
        {"creates": [{"name": "Wren", "type": "npc", "aliases": [1]}]},
        {"creates": [{"name": "Wren", "type": "npc", "fields": [1]}]},
        {"creates": [{"name": "Wren", "type": "npc", "description": 1}]},
        {"updates": [{"fields": {}}]},
    ],
)
def test_a_malformed_entry_is_invalid_input(call: Any) -> None:
    with pytest.raises(ToolValidationError):
        plan(call)


def test_ids_of_a_type_in_another_script_begin_with_char() -> None:
    schema = {"types": ["同伴"], "attributes": []}
    call: Any = {"creates": [{"name": "Wren", "type": "同伴"}]}
    batch = plan_character_batch(call, characters=[], schema=schema)
    assert list(batch.characters) == ["char-wren"]


NAMES = st.sampled_from(["Wren", "wren", "Robin", "The Robin", "Maud", "林"])
CREATES = st.fixed_dictionaries(
    {"name": NAMES, "type": st.sampled_from(["npc", "companion", "player", "ghost"])},
    optional={
        "aliases": st.lists(NAMES, max_size=2),
        "fields": st.dictionaries(st.sampled_from(["hp", "home"]), st.integers(-1, 9)),
    },
)
UPDATES = st.fixed_dictionaries(
    {"id": NAMES},
    optional={
        "aliases": st.lists(NAMES, max_size=2),
        "removeAliases": st.lists(NAMES, max_size=2),
        "description": st.text(max_size=3),
        "fields": st.dictionaries(st.sampled_from(["hp", "home"]), st.integers(-1, 9)),
    },
)
CALLS = st.fixed_dictionaries(
    {"creates": st.lists(CREATES, max_size=3), "updates": st.lists(UPDATES, max_size=3)}
)


@given(CALLS)
def test_a_refused_batch_changes_nothing_and_an_accepted_one_equals_its_proposals(
    call: Any,
) -> None:
    stored: Any = [
        {"id": "npc-wren", "name": "Wren", "type": "npc", "aliases": ["Bird"], "version": 2}
    ]
    before = copy.deepcopy((call, stored))
    try:
        batch = plan_character_batch(call, characters=stored, schema=SCHEMA)
    except ToolError:
        assert (call, stored) == before
        return
    assert (call, stored) == before
    view = overlay_characters(batch.proposals, stored, "s-1")
    assert view == {
        character_id: {**record, "sessionId": "s-1"}
        for character_id, record in batch.characters.items()
    }
    for record in view.values():
        assert_character_write({}, record, CharacterDirectory(view.values()), SCHEMA)


# Overlay

PAYLOADS = st.lists(
    st.fixed_dictionaries(
        {"id": st.sampled_from(["a", "b"]), "name": NAMES},
        optional={
            "expectedVersion": st.integers(1, 3),
            "type": st.sampled_from(["npc", "companion"]),
            "description": st.text(max_size=3),
            "fields": st.none()
            | st.lists(st.integers(), max_size=1)
            | st.dictionaries(st.sampled_from("xyz"), st.none() | st.integers()),
            "aliases": st.lists(NAMES, max_size=2),
            "removeAliases": st.lists(NAMES, max_size=2),
        },
    ),
    max_size=5,
)


@given(PAYLOADS)
def test_proposals_one_by_one_equal_all_at_once(payloads: Any) -> None:
    stored: Any = [{"id": "a", "name": "A", "type": "npc", "fields": {"x": 1}, "version": 3}]
    at_once = overlay_characters(upserts(payloads), stored, "s-1")
    view = overlay_characters([], stored, "s-1")
    for proposal in upserts(payloads):
        view = overlay_characters([proposal], view.values(), "s-1")
    assert view == at_once


@given(PAYLOADS)
def test_the_view_shares_nothing_with_its_inputs(payloads: Any) -> None:
    stored: Any = [{"id": "a", "name": "A", "type": "npc", "fields": {"x": [1]}, "version": 3}]
    before = copy.deepcopy((payloads, stored))
    for record in overlay_characters(upserts(payloads), stored, "s-1").values():
        record.setdefault("aliases", []).append("changed")  # type: ignore[union-attr]
        if isinstance(record.get("fields"), dict):
            record["fields"]["x"] = "changed"  # type: ignore[index, call-overload]
    assert (payloads, stored) == before


def test_frozen_records_are_read_like_plain_ones() -> None:
    frozen = MappingProxyType({**YSOLDE, "aliases": ("守灯人",), "fields": MappingProxyType({})})
    payload = {"id": YSOLDE["id"], "name": "X", "expectedVersion": 1, "fields": {"hp": 1}}
    record = materialize_character(payload, frozen)
    assert record["fields"] == {"hp": 1}
    assert record["aliases"] == ["守灯人"]


def test_the_commit_stamps_times_and_keeps_the_creation_time() -> None:
    created = materialize_character({"id": "a", "name": "A"}, None, at="2026-01-01T00:00:00Z")
    assert created["createdAt"] == created["updatedAt"] == "2026-01-01T00:00:00Z"
    patch = {"id": "a", "name": "A", "expectedVersion": 1, "createdAt": "2030-01-01T00:00:00Z"}
    updated = materialize_character(patch, created, at="2026-01-02T00:00:00Z")
    assert updated["createdAt"] == "2026-01-01T00:00:00Z"
    assert updated["updatedAt"] == "2026-01-02T00:00:00Z"


def test_a_patch_of_nobody_is_left_out_of_the_view_and_refused_at_commit() -> None:
    patch = {"id": "a", "name": "A", "expectedVersion": 1}
    assert overlay_characters(upserts([patch]), [], "s-1") == {}
    with pytest.raises(ToolError) as caught:
        materialize_character(patch, None)
    assert caught.value.code == "not-found"


def test_planned_proposals_are_valid_and_lie_over_records_as_models_too() -> None:
    call: Any = {
        "creates": [{"name": "Wren", "type": "npc", "aliases": ["Bird"]}],
        "updates": [{"id": "Bird", "removeAliases": ["bird"], "description": "", "fields": {}}],
    }
    batch = plan_character_batch(call, characters=[YSOLDE], schema=SCHEMA)
    models = [parse_proposal(proposal) for proposal in batch.proposals]
    view = overlay_characters(models, [YSOLDE], "s-1")
    assert view == overlay_characters(batch.proposals, [YSOLDE], "s-1")
    assert view["npc-wren"]["version"] == 2


def test_other_proposals_and_other_sessions_are_passed_over() -> None:
    stored = [{"id": "a", "name": "A", "sessionId": "s-2", "version": 1}]
    assert overlay_characters([{"type": "plugin.data", "payload": {}}], stored, "s-1") == {}


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        ({"id": "b", "name": "守灯人", "type": "npc"}, "already a name"),
        ({"id": "b", "name": "B", "aliases": ["守灯人伊索德"], "type": "npc"}, "already a name"),
        ({"id": "b", "name": "B", "type": "ghost"}, "not declared"),
        ({"id": "b", "name": "  ", "type": "npc"}, "is empty"),
    ],
)
def test_a_write_that_takes_a_name_or_an_undeclared_type_is_refused(
    record: Any, problem: str
) -> None:
    with pytest.raises(ToolValidationError, match=problem):
        assert_character_write({}, record, CharacterDirectory([YSOLDE]), SCHEMA)


def test_two_characters_may_share_a_name() -> None:
    record = {"id": "b", "name": "守灯人伊索德", "type": "companion"}
    assert_character_write(record, record, CharacterDirectory([YSOLDE]), SCHEMA)


# Reads


def test_the_list_is_sorted_by_version_then_by_time() -> None:
    people = [
        {"id": "a", "name": "柳无痕", "type": "player", "version": 1, "updatedAt": "2026-01-01"},
        {"id": "b", "name": "苏婉", "type": "npc", "version": 3, "description": "外门弟子"},
        {"id": "c", "name": "柳娘", "type": "npc", "version": 1, "updatedAt": "2026-01-02"},
    ]
    assert list_characters(people).summary == (
        "Characters in session (3 total, sorted by frequency then recency):\n"
        "1. 苏婉 [npc] b (v3) — 外门弟子\n2. 柳娘 [npc] c (v1)\n3. 柳无痕 [player] a (v1)"
    )


def test_a_character_takes_one_line_of_the_list() -> None:
    ysolde = {**YSOLDE, "description": "Keeps the lamp.\n\nFears  the tide."}
    assert list_characters([ysolde]).summary.splitlines()[1].endswith("lamp. Fears the tide.")


def test_fifty_characters_are_listed_and_all_are_counted() -> None:
    people = [{"id": str(n), "name": f"N{n}", "type": "npc", "version": 1} for n in range(53)]
    reading = list_characters(people)
    assert reading.content["count"] == 53
    assert len(reading.content["characters"]) == 50  # type: ignore[arg-type]
    assert reading.summary.splitlines()[-1].startswith("3 more are not listed.")


def test_an_empty_filter_names_the_types_there_are() -> None:
    reading = list_characters([YSOLDE], character_type="all")
    assert reading.content == {"count": 0, "characters": []}
    assert reading.summary == 'No characters of type "all". Types in this session: npc.'


def test_a_reading_shows_all_fields() -> None:
    person = {
        "id": "char-abc123",
        "name": "苏婉",
        "type": "npc",
        "description": "冰灵根修士。",
        "version": 3,
        "fields": {"hp": 60, "lingGen": "冰灵根", "bag": ["oar"]},
    }
    reading = get_character([person], name="苏")
    assert reading.content == {"character": person}
    assert reading.summary == (
        "Character: 苏婉 [npc] char-abc123\nDescription: 冰灵根修士。\nVersion: 3\n\n"
        'Attributes:\n  hp: 60\n  lingGen: 冰灵根\n  bag: ["oar"]'
    )


def test_a_reading_of_nobody_or_of_several_is_an_error() -> None:
    people = [{"id": "a", "name": "Lin Yao"}, {"id": "b", "name": "Lin Qing"}]
    for query, code in (("Jonas", "not-found"), ("Lin", "ambiguous")):
        with pytest.raises(ToolError) as caught:
            get_character(iter(people), name=query)
        assert caught.value.code == code
    with pytest.raises(ToolValidationError):
        get_character(people)
    assert character_label(people[0]) == "Lin Yao"
