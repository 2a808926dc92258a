"""Injected data: own-data blocks, the event directory, template variables, the roster."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covel_host.runtime.prompt_blocks import activation_block, events_block
from covel_host.runtime.prompt_inputs import (
    EventTopic,
    ManualActivation,
    OwnData,
    OwnDataFormat,
    OwnRow,
)
from covel_host.runtime.prompt_own_data import HiddenNamespace, own_data_block, shown_rows
from covel_host.runtime.prompt_roster import (
    PART_LIMIT,
    ROSTER_LIMIT,
    RosterCharacter,
    npc_roster,
)
from covel_host.runtime.prompt_templates import fill_template
from plugin_sdk.values import JsonValue

UUID = "3f2b8c1e-9d47-4a60-8b1c-2e5d6f7a8b9c"
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc<"), inner, max_size=3),
    max_leaves=8,
)


def rows(count: int) -> tuple[OwnRow, ...]:
    # The oldest rows were updated last but for the first, so age and update differ.
    return tuple(OwnRow(f"k{n:03}", n, n, 1_000 - n) for n in range(count))


@pytest.mark.parametrize(
    ("format_", "line"),
    [
        ("summary", '- k: {"note":"' + "x" * 190 + "…"),
        ("full", '- k: {"note":"' + "x" * 300 + '"}'),
        ("ids-only", "- k"),
    ],
)
def test_formats_of_own_data(format_: OwnDataFormat, line: str) -> None:
    row = OwnRow("k", {"note": "x" * 300, "rowId": UUID}, 1, 1)
    block = own_data_block(OwnData("notes", "notes", (row,), format_), locale="en")
    shown = block.split("\n")[1]
    assert shown.startswith(line[:100])
    assert len(shown) <= len(line) or format_ != "summary"
    assert UUID not in block


def test_a_summary_is_cut_at_two_hundred_characters() -> None:
    block = own_data_block(OwnData("n", "n", (OwnRow("k", "x" * 500, 1, 1),)), locale="en")
    value = block.split("\n")[1].removeprefix("- k: ")
    assert len(value) == 200
    assert value.endswith("…")


def test_up_to_the_limit_all_rows_are_shown_oldest_first() -> None:
    shuffled = tuple(reversed(rows(50)))
    assert [row.key for row in shown_rows(shuffled, max_entries=50)] == [
        f"k{n:03}" for n in range(50)
    ]


def test_above_the_limit_the_oldest_and_the_recently_updated_half_are_shown() -> None:
    keys = [row.key for row in shown_rows(rows(100), max_entries=50)]
    assert keys == [f"k{n:03}" for n in range(50)]
    fresh = tuple(OwnRow(row.key, row.value, row.created, row.created) for row in rows(100))
    keys = [row.key for row in shown_rows(fresh, max_entries=50)]
    assert keys == [f"k{n:03}" for n in (*range(25), *range(75, 100))]
    block = own_data_block(OwnData("n", "n", fresh), locale="en")
    assert "(50 more rows)" in block


@given(st.integers(0, 40), st.integers(1, 20), st.randoms())
def test_own_data_never_shows_more_than_its_limit(count: int, limit: int, random: object) -> None:
    updates = list(range(count))
    random.shuffle(updates)  # type: ignore[attr-defined]
    given_rows = [OwnRow(f"k{n}", n, n, updates[n]) for n in range(count)]
    shown = shown_rows(given_rows, max_entries=limit)
    assert len(shown) == min(count, limit)
    assert len({row.key for row in shown}) == len(shown)
    if count > limit:
        assert set(given_rows[: limit // 2]) <= set(shown)
        assert max(given_rows, key=lambda row: row.updated) in shown


def test_empty_own_data_says_so_in_the_instruction_language() -> None:
    assert own_data_block(OwnData("n", "notes"), locale="en") == "<notes>\n(nothing yet)\n</notes>"
    assert own_data_block(OwnData("n", "notes"), locale="zh") == "<notes>\n（暂无）\n</notes>"


def test_a_hidden_namespace_is_refused() -> None:
    with pytest.raises(HiddenNamespace) as caught:
        own_data_block(OwnData("_hidden.plot", "plot"), locale="en")
    assert caught.value.namespace == "_hidden.plot"


@given(json_values)
def test_no_value_can_close_its_block(value: JsonValue) -> None:
    block = activation_block(ManualActivation(value))
    inside = block.removeprefix("<runtime-activation>").removesuffix("</runtime-activation>")
    assert "<" not in inside
    assert set(json.loads(inside)) == {"payload"}


def test_bookkeeping_does_not_reach_the_prompt() -> None:
    payload: JsonValue = {"sessionId": "s", "id": UUID, "npcId": "lin-yao", "at": "noon"}
    block = activation_block(ManualActivation(payload))
    assert json.loads(block.split("\n")[1]) == {"payload": {"npcId": "lin-yao", "at": "noon"}}


def test_the_event_directory_names_required_fields_only() -> None:
    topics = [
        EventTopic("b.two", "Second.", {"type": "object", "required": ["a", "b"]}),
        EventTopic("a.one", "First <x>.", {"type": "object"}),
        EventTopic("c.three", "Third."),
        EventTopic("d.four", "Fourth.", {"items": [{"$ref": "#/$defs/x"}]}),
    ]
    lines = events_block(topics, locale="en").split("\n")
    assert lines[2:-1] == [
        "- a.one: First &lt;x>.",
        "- b.two: Second. (required: a, b)",
        "- c.three: Third. (schema unavailable)",
        '- d.four: Fourth. {"items":[{"$ref":"#/$defs/x"}]}',
    ]


VARIABLES: dict[str, JsonValue] = {
    "world": {
        "name": "Gull <Bay>",
        "tags": ["sea", "fog"],
        "lore": "{{ session.id }}",
        "dimensions": {"tide": {"value": {"level": 3, "id": UUID}}},
        "empty": None,
    },
    "player": {"message": "hi"},
    "session": {"id": "s-1", "turnNumber": 4},
    "userSettings": {"dark": True},
    "secret": {"x": "never"},
}


@pytest.mark.parametrize(
    ("template", "filled"),
    [
        ("{{world.name}}", "Gull &lt;Bay>"),
        ("{{ world.tags }}", "sea, fog"),
        ("{{world.tags.1}}", "fog"),
        ("{{world.tags.7}}{{world.tags.99999999999}}", ""),
        ("{{world.dimensions.tide.value}}", '{"level":3}'),
        ("{{world.dimensions.tide.value.level}}", "3"),
        ("{{userSettings.dark}}", "true"),
        ("{{session.turnNumber}}", "4"),
        ("{{world.lore}}", "{{ session.id }}"),
        ("{{world.empty}}{{world.missing}}{{player.message.length}}", ""),
        ("{{characters.npcs}}", ""),
        ("{{secret.x}} {{name}} {{a.b}} {{ }}", "{{secret.x}} {{name}} {{a.b}} {{ }}"),
        ("{{world.__class__}}{{player.message.__len__}}", ""),
    ],
)
def test_template_variables(template: str, filled: str) -> None:
    assert fill_template(template, VARIABLES) == filled


@given(st.text(st.characters(codec="utf-8")))
def test_an_inserted_text_is_never_read_as_a_template(text: str) -> None:
    variables: dict[str, JsonValue] = {"player": {"message": text + "{{ world.name }}"}}
    filled = fill_template("{{player.message}}", {**variables, "world": {"name": "leak"}})
    assert filled == (text + "{{ world.name }}").replace("<", "&lt;")


@given(st.text(st.sampled_from("{} .world1name-_"), max_size=60))
def test_filling_never_fails(template: str) -> None:
    fill_template(template, VARIABLES)


def test_the_roster_leaves_out_players_and_ids() -> None:
    roster = npc_roster(
        [
            RosterCharacter("Mira", "player"),
            RosterCharacter(
                "Lin Yao", "npc", ("Yao",), "A\nguide.", {"kinId": UUID, "mood": "calm"}
            ),
            RosterCharacter("Otto", "merchant"),
        ]
    )
    assert roster == '- Lin Yao (Yao) [npc]: A guide. {"mood":"calm"}\n- Otto [merchant]'


def test_parts_of_a_roster_line_are_bounded() -> None:
    line = npc_roster([RosterCharacter("A", "npc", (), "d" * 999, {"f": "v" * 999})])
    assert len(line) <= 2 * PART_LIMIT + len("- A [npc]:  ")


def test_who_does_not_fit_the_roster_is_listed_by_name() -> None:
    many = [RosterCharacter(f"N{n}", "npc", (), "d" * 390) for n in range(40)]
    *lines, names = npc_roster(many).split("\n")
    assert sum(len(line) + 1 for line in lines) <= ROSTER_LIMIT
    assert names.startswith(f"- … N{len(lines)}, ")
    assert names.endswith("N39")
