"""The layout of a request: what stands where, and what keeps the system prompt the same."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covel_host.models.messages import (
    AssistantMessage,
    Message,
    ModelCall,
    SystemMessage,
    ToolMessage,
    UserMessage,
)
from covel_host.models.offline import activation_payload
from covel_host.runtime.completion_settings import CompletionSettings
from covel_host.runtime.prompt import build_prompt
from covel_host.runtime.prompt_depth import insert_at_depth
from covel_host.runtime.prompt_history import history_window, summary_messages
from covel_host.runtime.prompt_inputs import (
    BoundValue,
    ContractAudience,
    Depth,
    EventActivation,
    EventTopic,
    HistoryRow,
    InputBinding,
    LoreEntry,
    ManualActivation,
    OwnData,
    OwnRow,
    PromptInputs,
    PromptMessage,
    PromptParts,
    PromptRuntime,
    PromptSegment,
    StageActivation,
)
from covel_host.runtime.prompt_lore import active_lore
from covel_host.runtime.prompt_segments import segments_for

RUNTIME = PromptRuntime("moss", "moss/gather", contract="herbs@1")
BASE = PromptInputs(
    runtime=RUNTIME,
    completion=CompletionSettings(),
    content_locale="en",
    body="Collect the herbs.",
    activation=StageActivation("post-turn"),
)


def origins(parts: PromptParts) -> list[str]:
    return [message.origin for message in parts.messages]


def texts(parts: PromptParts, origin: str) -> list[str]:
    return [entry.message.text for entry in parts.messages if entry.origin == origin]


def in_order(text: str, *pieces: str) -> bool:
    places = [text.index(piece) for piece in pieces]
    return places == sorted(places)


def full_inputs() -> PromptInputs:
    return replace(
        BASE,
        segments=(
            PromptSegment("moss", "steady", "S-STABLE", volatility="stable"),
            PromptSegment("moss", "session", "S-SESSION"),
            PromptSegment("moss", "volatile", "S-TURN", volatility="turn"),
            PromptSegment("moss", "before", "S-BEFORE", position="pre-history"),
            PromptSegment(
                "moss", "before-turn", "S-BEFORE-TURN", position="pre-history", volatility="turn"
            ),
            PromptSegment("moss", "example", "S-USER", position="pre-history", role="user"),
            PromptSegment("moss", "after", "S-AFTER", position="post-history"),
            PromptSegment("moss", "deep", "S-DEEP", position=Depth(1)),
        ),
        lore=(
            LoreEntry("a", "L-BEFORE", position="before_plugin"),
            LoreEntry("b", "L-AFTER"),
            LoreEntry("c", "L-DEEP", position=Depth(0)),
            LoreEntry("d", "L-ON", keys=("Moss",), is_constant=False),
            LoreEntry("e", "L-OFF", keys=("fish",), is_constant=False),
        ),
        events=(EventTopic("herb.found", "A herb was found.", {"required": ["name"]}),),
        own_data=(OwnData("herbs", "herbs", (OwnRow("moss", {"n": 1}, 1, 1),)),),
        bindings={"story": InputBinding((BoundValue("Fog.", "narrator"),))},
        exports={"map": InputBinding((BoundValue({"x": 1}, "moss/map"),))},
        history=(
            HistoryRow("t1", UserMessage("Hello.")),
            HistoryRow("t1", AssistantMessage("Rain.")),
        ),
        summaries=("Long ago.",),
        player_message="I look for moss.",
        stories=("Fog.",),
    )


def test_the_parts_of_the_system_prompt_stand_in_their_order() -> None:
    system = build_prompt(full_inputs()).system
    assert in_order(
        system,
        "[FRAME]",
        "[LANGUAGE]",
        "[COMPLETION]",
        "Collect the herbs.",
        "S-STABLE",
        "S-SESSION",
        "L-BEFORE",
        "<available-events>",
        "<runtime-activation>",
        "L-AFTER",
        "S-BEFORE",
    )


def test_the_messages_stand_in_their_order() -> None:
    assert origins(build_prompt(full_inputs())) == [
        "segment",
        "summary-envelope",
        "summary",
        "history",
        "history",
        "turn-context",
        "input",
        "segment",
        "story",
        "note",
        "lore",
        "segment",
    ]


def test_the_turn_context_holds_what_changes() -> None:
    (context,) = texts(build_prompt(full_inputs()), "turn-context")
    assert in_order(
        context,
        "<herbs>",
        "<runtime-inputs>",
        "<runtime-exports>",
        "L-ON",
        "S-BEFORE-TURN",
        "S-TURN",
    )
    assert "L-OFF" not in context


def test_without_volatile_parts_there_is_no_turn_context() -> None:
    assert origins(build_prompt(BASE)) == ["input"]


@given(
    message=st.text(st.characters(codec="utf-8"), max_size=30),
    stories=st.lists(st.sampled_from(["Fog.", "Rain."]), max_size=2),
    value=st.integers(),
    revision=st.integers(2, 9),
)
def test_the_system_prompt_is_the_same_from_turn_to_turn(
    message: str, stories: list[str], value: int, revision: int
) -> None:
    inputs = full_inputs()
    row = OwnRow("fern", {"n": value}, revision, revision)
    later = replace(
        inputs,
        player_message=message,
        stories=tuple(stories),
        history=(*inputs.history, HistoryRow("t2", UserMessage(message))),
        own_data=(replace(inputs.own_data[0], rows=(*inputs.own_data[0].rows, row)),),
        bindings={"story": InputBinding((BoundValue(value, "narrator"),))},
    )
    assert build_prompt(later).system == build_prompt(inputs).system


def test_the_offline_model_finds_a_manual_payload() -> None:
    inputs = replace(BASE, activation=ManualActivation({"value": "</runtime-activation>", "n": 2}))
    messages: list[Message] = [entry.message for entry in build_prompt(inputs).messages]
    assert activation_payload(messages) == {"value": "</runtime-activation>", "n": 2}


def test_an_event_activation_holds_topic_and_data() -> None:
    inputs = replace(BASE, activation=EventActivation("herb.found", {"name": "moss"}))
    parts = build_prompt(inputs)
    (context,) = texts(parts, "turn-context")
    content = context.removeprefix("<runtime-activation>\n").removesuffix("\n</runtime-activation>")
    assert json.loads(content) == {"event": {"topic": "herb.found", "data": {"name": "moss"}}}
    assert "<runtime-activation>" not in parts.system


def test_a_run_without_a_player_message_opens_with_a_framework_sentence() -> None:
    (opening,) = texts(build_prompt(BASE), "input")
    assert opening.startswith("[framework]")
    chinese = replace(BASE, completion=CompletionSettings(locale="zh"))
    assert texts(build_prompt(chinese), "input")[0].startswith("[框架]")


def test_the_story_of_this_execution_stands_behind_the_input_with_a_note() -> None:
    parts = build_prompt(replace(BASE, player_message="Go.", stories=("Fog.",)))
    assert [type(entry.message) for entry in parts.messages] == [
        UserMessage,
        AssistantMessage,
        UserMessage,
    ]


def test_an_input_that_is_the_story_becomes_a_pointer() -> None:
    slots = _slots(full_inputs())
    assert slots["story"]["source"] == "narrator"
    assert slots["story"]["value"] != "Fog."
    without = replace(full_inputs(), stories=())
    assert _slots(without)["story"] == {"value": "Fog.", "source": "narrator"}


def test_a_list_of_inputs_shows_every_item_with_its_source() -> None:
    values = (BoundValue(1, "a/x"), BoundValue(2, "b/y"))
    slots = _slots(replace(BASE, bindings={"all": InputBinding(values, is_list=True)}))
    assert slots == {
        "all": {"items": [{"value": 1, "source": "a/x"}, {"value": 2, "source": "b/y"}]}
    }


def _slots(inputs: PromptInputs) -> dict[str, dict[str, object]]:
    (context,) = texts(build_prompt(inputs), "turn-context")
    content = context.split("<runtime-inputs>\n")[1].split("\n</runtime-inputs>")[0]
    slots: dict[str, dict[str, object]] = json.loads(content)
    return slots


def test_a_window_has_no_summaries_unless_they_are_asked_for() -> None:
    windowed = replace(full_inputs(), history_max_turns=1)
    assert "summary" not in origins(build_prompt(windowed))
    assert "summary" in origins(build_prompt(replace(windowed, includes_summaries=True)))


@pytest.mark.parametrize(("max_turns", "kept"), [(None, "abc"), (9, "abc"), (2, "bc"), (0, "")])
def test_a_window_keeps_the_most_recent_turns(max_turns: int | None, kept: str) -> None:
    rows = [HistoryRow(f"t-{name}", UserMessage(name)) for name in "abc"]
    window = history_window(rows, plugin_id="moss", max_turns=max_turns)
    assert "".join(entry.message.text for entry in window) == kept


def test_history_leaves_out_foreign_data_rows_and_empty_rows() -> None:
    rows = [
        HistoryRow("t1", AssistantMessage('{"a":1}'), plugin_id="fern", is_structured=True),
        HistoryRow("t1", AssistantMessage('{"b":1}'), plugin_id="moss", is_structured=True),
        HistoryRow("t1", AssistantMessage("Fog."), plugin_id="fern"),
        HistoryRow("t1", UserMessage(" ")),
        HistoryRow("t1", AssistantMessage("", (ModelCall("c", "look", "{}"),))),
    ]
    window = history_window(rows, plugin_id="moss", max_turns=None)
    assert [entry.message.text for entry in window] == ['{"b":1}', "Fog.", ""]


def test_no_summary_needs_no_envelope() -> None:
    assert summary_messages(["", "  "], locale="en") == ()


def test_segments_go_to_their_audience_only() -> None:
    audiences = {
        "all": PromptSegment("fern", "1", "x"),
        "self": PromptSegment("fern", "2", "x", audience="self"),
        "own": PromptSegment("moss", "3", "x", audience="self"),
        "story": PromptSegment("fern", "4", "x", audience="story"),
        "contract": PromptSegment("fern", "5", "x", audience=ContractAudience("herbs@1")),
        "other": PromptSegment("fern", "6", "x", audience=ContractAudience("fish@1")),
        "blank": PromptSegment("fern", "7", " \n"),
    }
    plugin = segments_for(audiences.values(), RUNTIME, visibility="plugin")
    assert {segment.segment_id for segment in plugin} == {"1", "3", "5"}
    story = segments_for(audiences.values(), RUNTIME, visibility="story")
    assert {segment.segment_id for segment in story} == {"1", "3", "4", "5"}


segments = st.builds(
    PromptSegment,
    provider_plugin_id=st.sampled_from(["a", "b"]),
    segment_id=st.text("xyz", min_size=1, max_size=4),
    content=st.just("x"),
    volatility=st.sampled_from(["stable", "session", "turn"]),
    order=st.integers(-2, 2),
)


@given(st.lists(segments, max_size=8, unique=True), st.randoms())
def test_the_order_of_segments_does_not_depend_on_how_they_came(
    given_segments: list[PromptSegment], random: object
) -> None:
    shuffled = list(given_segments)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    first = segments_for(given_segments, RUNTIME, visibility="plugin")
    second = segments_for(shuffled, RUNTIME, visibility="plugin")
    assert _keys(first) == _keys(second) == sorted(_keys(first))


def _keys(chosen: tuple[PromptSegment, ...]) -> list[tuple[int, float, str, str]]:
    ranks = ["stable", "session", "turn"]
    return [
        (ranks.index(each.volatility), each.order, each.provider_plugin_id, each.segment_id)
        for each in chosen
    ]


def test_lore_is_switched_on_by_the_current_message_alone() -> None:
    entries = [
        LoreEntry("b", "on", keys=("MOSS",), is_constant=False, insertion_order=2),
        LoreEntry("a", "no key", keys=("", " "), is_constant=False),
        LoreEntry("c", "off", is_enabled=False),
        LoreEntry("d", "always", insertion_order=1),
    ]
    active = active_lore(entries, "some moss here")
    assert [entry.content for entry in active] == ["always", "on"]
    assert [entry.content for entry in active_lore(entries, None)] == ["always"]


CALL = AssistantMessage("", (ModelCall("c1", "look", "{}"), ModelCall("c2", "look", "{}")))
TALK = [
    PromptMessage(UserMessage("1"), "history"),
    PromptMessage(CALL, "history"),
    PromptMessage(ToolMessage("c1", "look", "{}"), "history"),
    PromptMessage(ToolMessage("c2", "look", "{}"), "history"),
    PromptMessage(SystemMessage("context"), "turn-context"),
    PromptMessage(UserMessage("now"), "input"),
]
LORE = PromptMessage(SystemMessage("lore"), "lore")


@pytest.mark.parametrize(
    ("depth", "place"), [(0, 6), (1, 5), (2, 1), (3, 1), (4, 1), (5, 0), (99, 0)]
)
def test_a_depth_never_parts_a_call_from_its_results(depth: int, place: int) -> None:
    assert insert_at_depth(TALK, LORE, Depth(depth)).index(LORE) == place


def test_entries_of_one_depth_keep_their_order() -> None:
    second = PromptMessage(SystemMessage("second"), "lore")
    placed = insert_at_depth(insert_at_depth(TALK, LORE, Depth(1)), second, Depth(1))
    assert placed.index(LORE) + 1 == placed.index(second)
