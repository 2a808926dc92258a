"""`sync-characters`: what a model is told of a session's characters, and what one call stages."""

import json
from typing import Any

import pytest

from covel_host.proposals.read_sets import CharacterRead, CharacterSchemaRead, RosterRead
from covel_host.proposals.world_view import WorldView
from covel_host.tools.builtin.installed import builtin_tools
from covel_host.tools.calls import ToolCallResult
from covel_host.tools.character_offer import FIELD_RULE_LIMIT, FIELD_RULES_LIMIT
from tests.support.tool_calls import ToolBench
from tests.support.worlds import YSOLDE, world_of
from tests.tools.builtin.calling import answer, called, error

MARA = {"id": "npc-mara", "name": "Mara", "type": "npc", "version": 1}
SCHEMA = {
    "types": ["npc", "smith"],
    "attributes": [
        {"id": "hp", "name": "HP", "type": "number", "min": 0, "max": 100, "defaultValue": 10},
        {"id": "mood", "name": {"en": "Mood"}, "type": "enum", "options": ["calm", "grim"]},
        {"id": "bag", "name": "Bag", "type": "array", "description": "What they carry."},
    ],
}


def sync(world: WorldView, /, **call: Any) -> ToolCallResult:
    return called("sync-characters", call, bench_of(world))


def bench_of(world: WorldView) -> ToolBench:
    return ToolBench(builtins=builtin_tools(world=world), world=world)


def offered(world: WorldView) -> tuple[str, Any]:
    tool = builtin_tools(world=world)["sync-characters"]
    return tool.description, tool.input_schema["properties"]


# --- the definition --------------------------------------------------------------------------


def test_the_definition_lists_the_types_and_field_rules_of_the_session() -> None:
    description, groups = offered(world_of(schema=SCHEMA))
    assert groups["creates"]["items"]["properties"]["type"]["enum"] == ["player", "npc", "smith"]
    assert (groups["creates"]["maxItems"], groups["updates"]["maxItems"]) == (5, 10)
    rules = description.split("\n")[-3:]
    assert rules == [
        "- hp: a number from 0 to 100",
        '- mood: one of "calm", "grim"',
        "- bag: array of string",
    ]


def test_without_a_schema_the_default_types_are_listed_and_no_rules() -> None:
    description, groups = offered(world_of())
    assert groups["creates"]["items"]["properties"]["type"]["enum"] == [
        "player",
        "npc",
        "companion",
    ]
    assert description.endswith("This world declares no fields; whatever you give is kept.")


def test_field_rules_keep_within_their_limits() -> None:
    attributes = [{"id": f"trait{n}", "type": "string"} for n in range(1_000)]
    wide = {"id": "wide", "type": "enum", "options": [f"option {n}" for n in range(500)]}
    description, _groups = offered(
        world_of(schema={"types": ["npc"], "attributes": [wide, *attributes]})
    )
    [first, *rules, last] = description.split("rence:\n")[1].split("\n")
    assert len(first) == FIELD_RULE_LIMIT
    assert sum(len(rule) + 1 for rule in (first, *rules)) <= FIELD_RULES_LIMIT
    assert last.startswith(f"- … and {1_001 - len(rules) - 1} more;")


def test_making_the_definition_is_no_read() -> None:
    world = world_of([YSOLDE], schema=SCHEMA)
    offered(world)
    assert world.reads.reads == ()


# --- one call --------------------------------------------------------------------------------


def test_a_batch_stages_one_upsert_per_entry_that_writes() -> None:
    result = sync(
        world_of([YSOLDE, MARA], schema=SCHEMA),
        creates=[
            {"name": "Tobin", "type": "smith", "description": "A smith.", "fields": {"bag": []}},
            {"name": "MARA", "type": "npc"},
        ],
        updates=[{"id": "the keeper", "fields": {"hp": 60}, "aliases": ["Lamp Mother"]}],
    )
    assert result.content == {
        "created": [{"characterId": "smith-tobin", "name": "Tobin", "type": "smith"}],
        "updated": [{"characterId": "npc-ysolde", "version": 4}],
        "unchanged": [{"characterId": "npc-mara", "name": "Mara", "type": "npc"}],
    }
    assert [(one.type, one.payload["id"]) for one in result.proposals] == [
        ("character.upsert", "smith-tobin"),
        ("character.upsert", "npc-ysolde"),
    ]
    created, updated = (one.payload for one in result.proposals)
    assert created["fields"] == {"hp": 10, "bag": []}
    assert (updated["expectedVersion"], updated["fields"]) == (3, {"hp": 60})
    read = answer(result)
    assert read["summary"] == (
        'Created smith "Tobin" as smith-tobin. — A smith.\n'
        'Character "Mara" (npc) already exists as npc-mara. No new record created. '
        "Use sync-characters updates to modify it.\n"
        'Updated npc "Ysolde" (npc-ysolde) → v4.\n'
        "  hp: 40 → 60\n"
        "  aliases: The Keeper → The Keeper, Lamp Mother"
    )
    assert (read["staged"]["count"], read["staged"]["kinds"]) == (2, ["character.upsert"])
    assert "data" not in read


@pytest.mark.parametrize("call", [{}, {"creates": []}, {"creates": None, "updates": []}])
def test_an_empty_batch_succeeds_stages_nothing_and_reads_nobody(call: Any) -> None:
    world = world_of([YSOLDE], schema=SCHEMA)
    result = sync(world, **call)
    assert result.content == {"created": [], "updated": [], "unchanged": []}
    assert result.proposals == ()
    assert answer(result) == {"summary": "No character changes."}
    assert world.reads.reads == ()


def test_a_later_call_of_the_run_sees_what_an_earlier_one_staged() -> None:
    world = world_of([YSOLDE], schema=SCHEMA)
    bench = bench_of(world)
    bench.executor.close = _stay_open  # type: ignore[method-assign]
    called("sync-characters", {"creates": [{"name": "Tobin", "type": "npc"}]}, bench)
    second = called("sync-characters", {"updates": [{"id": "tobin", "fields": {"hp": 1}}]}, bench)
    assert second.content["updated"] == [{"characterId": "npc-tobin", "version": 2}]  # type: ignore[index,call-overload]
    listed = called("list-characters", {"type": "npc"}, bench)
    assert answer(listed)["summary"].split("\n")[1:] == [
        "1. Ysolde (aka The Keeper) [npc] npc-ysolde (v3) — Keeps the lamp.",
        "2. Tobin [npc] npc-tobin (v2)",
    ]


@pytest.mark.parametrize(
    ("call", "code", "start"),
    [
        (
            {"creates": [{"name": "Tobin", "type": "npc"}, {"name": "Nan", "type": "ghost"}]},
            "invalid-input",
            "creates[1]: Character type 'ghost' is not declared. Use one of: player, npc, smith.",
        ),
        ({"creates": [{"type": "npc"}]}, "invalid-input", "creates[0]: name is missing or empty"),
        ({"creates": ["Tobin"]}, "invalid-input", "creates.0: Expected an object"),
        ({"creates": {}}, "invalid-input", "creates: Expected an array, got {}."),
        ({"updates": [{"id": "npc-mara", "aliases": [7]}]}, "invalid-input", "updates[0]: alias"),
        (
            {"creates": [{"name": "ysolde", "type": "player"}]},
            "invalid-input",
            'creates[0]: "ysolde" is already a name of Ysolde (aka The Keeper) [npc-ysolde].',
        ),
        (
            {"updates": [{"id": "npc-mara", "fields": {"hp": 1}}, {"id": "Mar"}]},
            "not-found",
            'updates[1]: Character "Mar" not found. Closest known names: Mara.',
        ),
        (
            {"updates": [{"id": "npc-mara", "aliases": ["keeper"]}]},
            "invalid-input",
            'updates[0]: "keeper" is already a name of Ysolde (aka The Keeper) [npc-ysolde]. If',
        ),
    ],
)
def test_a_refused_batch_names_its_entry_and_leaves_nothing(
    call: Any, code: str, start: str
) -> None:
    world = world_of([YSOLDE, MARA], schema=SCHEMA)
    result = sync(world, **call)
    assert error(result)[0] == code
    assert answer(result)["error"]["message"].startswith(start)
    assert result.proposals == ()
    assert [dict(record) for record in world.characters] == [MARA, dict(YSOLDE)]


def test_wrong_fields_are_listed_by_attribute() -> None:
    entry = {"id": "npc-ysolde", "fields": {"hp": "60", "mood": "glad", "bag": [1]}}
    result = sync(world_of([YSOLDE], schema=SCHEMA), updates=[entry])
    assert error(result) == ("invalid-input", ["hp", "mood", "bag.0"])
    assert answer(result)["error"]["message"].startswith("updates[0]: ")


def test_a_field_the_schema_does_not_declare_is_kept_with_a_warning() -> None:
    result = sync(
        world_of([YSOLDE], schema=SCHEMA), updates=[{"id": "Ysolde", "fields": {"title": "Dame"}}]
    )
    [updated] = result.content["updated"]  # type: ignore[index,call-overload]
    assert updated["warning"].startswith("The world's schema does not declare title.")
    assert "Warning: " in answer(result)["summary"]


def test_lists_and_objects_written_as_text_are_read() -> None:
    entry = {"name": "Tobin", "type": "npc", "fields": json.dumps({"hp": 3})}
    result = sync(world_of(schema=SCHEMA), creates=json.dumps([entry]))
    [proposal] = result.proposals
    assert (proposal.payload["name"], proposal.payload["fields"]) == ("Tobin", {"hp": 3})


# --- what it reads ---------------------------------------------------------------------------


def test_read_are_those_whom_the_entries_mean_and_who_there_is() -> None:
    world = world_of([YSOLDE, MARA, {**MARA, "id": "npc-nan", "name": "Nan"}], schema=SCHEMA)
    sync(world, updates=[{"id": "npc-mara", "fields": {"hp": 1}}, {"id": "keeper"}])
    reads = world.reads.reads
    assert {read.character_id for read in reads if isinstance(read, CharacterRead)} == {
        "npc-mara",
        "npc-ysolde",
    }
    assert sum(isinstance(read, (RosterRead, CharacterSchemaRead)) for read in reads) == 2


def test_a_search_for_similar_names_reads_everybody() -> None:
    world = world_of([YSOLDE, MARA], schema=SCHEMA)
    sync(world, updates=[{"id": "Nobody"}])
    read = {one.character_id for one in world.reads.reads if isinstance(one, CharacterRead)}
    assert read == {"npc-mara", "npc-ysolde"}


async def _stay_open(*, budget_s: float = 5.0) -> tuple[str, ...]:
    return ()
