"""`list-characters` and `get-character`: what code and models get, and what counts as read."""

from typing import Any

import pytest

from covel_host.proposals.read_sets import CharacterRead
from covel_host.proposals.world_view import WorldView
from covel_host.tools.calls import ToolCallResult
from tests.support.tool_calls import ToolBench
from tests.support.worlds import YSOLDE, world_of
from tests.tools.builtin.calling import answer, called, error

MARA = {
    "id": "npc-mara",
    "name": "Mara",
    "type": "smith",
    "version": 3,
    "updatedAt": "2026-02-01T00:00:00+00:00",
}


def ask(tool: str, world: WorldView, /, **arguments: Any) -> ToolCallResult:
    return called(tool, arguments, ToolBench(world=world))


def read_ids(world: WorldView) -> set[str]:
    return {one.character_id for one in world.reads.reads if isinstance(one, CharacterRead)}


def test_all_are_listed_by_version_and_then_by_their_latest_change() -> None:
    world = world_of([YSOLDE, MARA, {**MARA, "id": "npc-old", "name": "Old", "version": 1}])
    result = ask("list-characters", world)
    assert result.content["count"] == 3  # type: ignore[index,call-overload]
    assert [one["id"] for one in result.content["characters"]] == [  # type: ignore[index,call-overload]
        "npc-mara",
        "npc-ysolde",
        "npc-old",
    ]
    assert answer(result) == {
        "summary": "Characters in session (3 total, sorted by frequency then recency):\n"
        "1. Mara [smith] npc-mara (v3)\n"
        "2. Ysolde (aka The Keeper) [npc] npc-ysolde (v3) — Keeps the lamp.\n"
        "3. Old [smith] npc-old (v1)"
    }


def test_a_type_is_a_filter_taken_literally() -> None:
    world = world_of([YSOLDE, MARA])
    assert answer(ask("list-characters", world, type="smith"))["summary"].endswith("npc-mara (v3)")
    nobody = ask("list-characters", world, type="all")
    assert nobody.content == {"count": 0, "characters": []}
    assert answer(nobody)["summary"] == (
        'No characters of type "all". Types in this session: smith, npc.'
    )


@pytest.mark.parametrize("wrong", [None, "", 7])
def test_only_a_type_that_is_left_out_is_no_filter(wrong: Any) -> None:
    assert error(ask("list-characters", world_of([YSOLDE]), type=wrong)) == (
        "invalid-input",
        ["type"],
    )


def test_at_most_50_are_listed_and_the_rest_is_told() -> None:
    many = [{**MARA, "id": f"npc-{n:03}", "name": f"Person {n}"} for n in range(60)]
    result = ask("list-characters", world_of(many))
    assert result.content["count"] == 60  # type: ignore[index,call-overload]
    assert len(result.content["characters"]) == 50  # type: ignore[index,call-overload,arg-type]
    assert answer(result)["summary"].split("\n")[-1].startswith("10 more are not listed.")


@pytest.mark.parametrize("query", [{"id": "npc-ysolde"}, {"name": "ysolde"}, {"name": "Yso"}])
def test_one_is_found_by_id_name_or_a_part_of_it(query: dict[str, str]) -> None:
    result = ask("get-character", world_of([YSOLDE, MARA]), **query)
    assert result.content == {"character": dict(YSOLDE)}
    assert answer(result)["summary"] == (
        "Character: Ysolde (aka The Keeper) [npc] npc-ysolde\n"
        "Description: Keeps the lamp.\nVersion: 3\n\nAttributes:\n  hp: 40"
    )


def test_a_miss_and_several_matches_are_failures() -> None:
    world = world_of([YSOLDE, MARA, {**MARA, "id": "npc-b", "type": "npc"}])
    assert error(ask("get-character", world, name="Nobody"))[0] == "not-found"
    several = ask("get-character", world, name="mara")
    assert error(several)[0] == "ambiguous"
    assert "npc-mara" in answer(several)["error"]["message"]
    assert error(ask("get-character", world))[0] == "invalid-input"


def test_an_exact_id_reads_one_character_and_a_name_reads_all() -> None:
    world = world_of([YSOLDE, MARA])
    ask("get-character", world, id="npc-mara")
    assert read_ids(world) == {"npc-mara"}
    ask("get-character", world, name="Mara")
    assert read_ids(world) == {"npc-mara", "npc-ysolde"}
