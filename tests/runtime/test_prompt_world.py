"""The template variables of the world, as bodies name them."""

from typing import Any

import pytest

from covel_host.proposals.world_snapshot import WorldSnapshot
from covel_host.proposals.world_view import WorldView
from covel_host.runtime.prompt_inputs import BoundValue, InputBinding, LoreEntry
from covel_host.runtime.prompt_lore import Lorebook
from covel_host.runtime.prompt_templates import fill_template
from covel_host.runtime.prompt_world import (
    LazyVariables,
    character_variables,
    input_variables,
    player_character,
    world_variables,
)
from covel_host.store.records import SeatRecord
from tests.support.worlds import TIDE, YSOLDE, world_of

ADA = {"id": "player-ada", "name": "Ada", "type": "player", "fields": {"hp": 3}, "version": 1}
BO = {**ADA, "id": "player-bo", "name": "Bo"}
NO_LORE = Lorebook(())
SCHEMA = {
    "types": ["npc"],
    "attributes": [{"id": "hp", "name": {"en": "Health", "zh": "生命"}, "type": "number"}],
}


def filled(
    template: str, view: WorldView, locale: str = "en", lore: Lorebook = NO_LORE, **inputs: Any
) -> str:
    variables = LazyVariables(
        {
            "player": lambda: {"character": player_character(view)},
            "world": lambda: world_variables(view, lore, locale),
            "characters": lambda: character_variables(view),
            "inputs": lambda: input_variables(inputs),
        }
    )
    return fill_template(template, variables)


def with_seat(character_id: str | None, *characters: Any) -> WorldView:
    seat = SeatRecord(session_id="s1", seat_id="seat-1", label="Seat 1", character_id=character_id)
    texts = world_of(characters)._snapshot._character_texts
    return WorldView(WorldSnapshot(characters=texts, seats=[seat]))


def test_values_of_dimensions_and_the_schema_are_in_the_sessions_language() -> None:
    view = world_of(schema=SCHEMA, dimensions={"tide": TIDE})
    assert filled("{{world.dimensions.tide.value.height}}", view) == "2"
    assert filled("{{world.dimensions.tide.name}}", view, "zh-CN") == "潮汐"
    assert filled("{{world.schema.attributes.0.name}}", view, "zh") == "生命"
    assert filled("{{world.schema.types}}", view) == "npc"
    assert filled("[{{world.name}}]", view) == "[]"


def test_the_roster_names_everybody_but_players() -> None:
    view = world_of([YSOLDE, ADA])
    assert filled("{{characters.npcs}}", view) == (
        '- Ysolde (The Keeper) [npc]: Keeps the lamp. {"hp":40}'
    )


@pytest.mark.parametrize(
    ("view", "name"),
    [
        (world_of([YSOLDE]), ""),
        (world_of([YSOLDE, ADA]), "Ada"),
        (world_of([ADA, BO]), ""),
        (with_seat("player-bo", ADA, BO), "Bo"),
        (with_seat("player-gone", ADA, BO), ""),
        (with_seat(None, ADA), "Ada"),
    ],
)
def test_the_players_character_is_whom_the_default_seat_plays(view: WorldView, name: str) -> None:
    assert filled("{{player.character.name}}", view) == name
    assert view.reads.reads == ()


def test_only_what_a_body_names_is_worked_out() -> None:
    def never() -> Any:
        raise AssertionError("nobody named it")

    variables = LazyVariables({"world": never, "session": lambda: {"id": "s1"}})
    assert fill_template("{{session.id}} {{session.id}} {{other}}", variables) == "s1 s1 {{other}}"
    assert sorted(variables) == ["session", "world"]


def test_entries_are_those_of_the_world_by_id_or_as_a_bounded_list() -> None:
    entries = [
        LoreEntry("salt", "Grey\n salt.", keys=("salt",), is_constant=False, is_of_world=True),
        LoreEntry("off", "Nothing.", is_of_world=True, is_enabled=False),
        LoreEntry("mine", "Of a player."),
        *(LoreEntry(f"z{number:03}", "x" * 600, is_of_world=True) for number in range(30)),
    ]
    view, lore = world_of(), Lorebook(entries)
    assert filled("{{world.entries.salt.content}}", view, lore=lore) == "Grey\n salt."
    assert filled("{{world.entries.salt.keys}}", view, lore=lore) == "salt"
    assert filled("{{world.entries.mine.content}}{{world.entries.off.content}}", view) == ""
    shown = filled("{{world.entries}}", view, lore=lore)
    assert shown.startswith("- salt: Grey salt.\n- z000: xxx")
    assert shown.endswith("…\n- … 11")
    assert len(shown) < 8_100


def test_inputs_are_named_by_the_runtime_that_they_come_from() -> None:
    values = (BoundValue({"mood": "calm"}, "sky/weather"), BoundValue("A story.", "narrator"))
    binding = InputBinding(values, is_list=True)
    template = "{{inputs.sky.weather.mood}} {{inputs.narrator.narrator}}"
    assert filled(template, world_of(), slot=binding) == "calm A story."
