"""How an agent run ends: endings, corrections, repeated calls, steps, batches."""

import json
from dataclasses import asdict, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covel_host.models.messages import NamedTool
from covel_host.runtime.completion import advance, batch_ends
from covel_host.runtime.completion_calls import CallFailure, CallOutcome
from covel_host.runtime.completion_loops import next_streaks
from covel_host.runtime.completion_settings import (
    CompletionSettings,
    Corrections,
    with_finish_with,
)
from covel_host.runtime.completion_state import (
    CompletionEvent,
    CompletionState,
    Continue,
    Correct,
    Decision,
    DraftRejected,
    Fail,
    Finish,
    OutputRejected,
    Replied,
    Suspend,
)

SYSTEM = CompletionSettings(visibility="system")
STORY = CompletionSettings(visibility="story")
TOOL_USE = CompletionSettings(require="tool-use")
EXPLICIT = CompletionSettings(require="explicit")
INVALID = CallFailure("invalid-input", "host")


def call(
    tool: str, failure: CallFailure | None = None, *, arguments: str = "{}", read_only: bool = False
) -> CallOutcome:
    return CallOutcome(f"id-{tool}", tool, arguments, read_only, failure)


def reply(*calls: CallOutcome, text: str = "") -> Replied:
    return Replied(text, calls)


def play(settings: CompletionSettings, *events: CompletionEvent) -> list[Decision]:
    state, decisions = CompletionState(), []
    for event in events:
        state, decision = advance(settings, state, event)
        decisions.append(decision)
    return decisions


def test_the_output_is_the_content_of_the_completing_call() -> None:
    settings = CompletionSettings(after_tools=("sync",))
    ended = play(settings, reply(call("look", read_only=True), call("sync"), text="there"))
    assert ended == [Finish("after-tools", "tool", call_id="id-sync")]


def test_the_output_of_a_text_ending_is_the_text() -> None:
    assert play(SYSTEM, reply(text=" All quiet. ")) == [Finish("text", "text", text="All quiet.")]


def test_runtime_done_leaves_no_output_unless_a_schema_asks_for_one() -> None:
    done = reply(call("runtime-done"), text='{"a": 1}')
    assert play(SYSTEM, done) == [Finish("runtime-done", "none")]
    with_schema = replace(SYSTEM, has_output_schema=True)
    assert play(with_schema, done) == [Finish("runtime-done", "text", text='{"a": 1}')]


def test_a_read_is_no_business_work() -> None:
    decisions = play(TOOL_USE, reply(call("look", read_only=True)), reply(text="Seen."))
    assert isinstance(decisions[-1], Correct)


def test_search_tools_and_suspend_are_no_business_work() -> None:
    decisions = play(TOOL_USE, reply(call("search-tools")), reply(text="Found."))
    assert isinstance(decisions[-1], Correct)


def test_a_missing_call_is_corrected_with_a_forced_choice() -> None:
    named = replace(TOOL_USE, after_tools=("sync",))
    assert _first_correction(named).tool_choice == NamedTool("sync")
    several = replace(TOOL_USE, after_tools=("sync", "drop"))
    assert _first_correction(several).tool_choice == "required"
    assert "`sync` or `drop`" in _first_correction(several).text


def test_corrections_follow_the_instruction_language() -> None:
    settings = replace(TOOL_USE, after_tools=("sync", "drop"), locale="zh")
    assert "`sync` 或 `drop`" in _first_correction(settings).text


def _first_correction(settings: CompletionSettings) -> Correct:
    (decision,) = play(settings, reply(text="Done."))
    assert isinstance(decision, Correct)
    return decision


def test_a_forced_choice_ends_with_the_next_tool_call() -> None:
    decisions = play(TOOL_USE, reply(text="Done."), reply(call("log", INVALID)))
    assert decisions[1] == Continue("auto")


def test_a_choice_of_the_manifest_holds_in_every_step() -> None:
    settings = with_finish_with(SYSTEM, "sync")
    decisions = play(settings, reply(call("sync", INVALID)), reply(call("look")))
    assert decisions == [Continue(NamedTool("sync")), Continue(NamedTool("sync"))]


def test_plain_text_does_not_end_an_explicit_run() -> None:
    decisions = play(EXPLICIT, reply(text="Done."), reply(text="Done!"))
    assert isinstance(decisions[0], Correct)
    assert "`runtime-done`" in decisions[0].text
    assert decisions[1] == Fail("completion_not_met", _message(decisions[1]))


def test_a_completing_tool_ends_an_explicit_run_in_spite_of_failed_calls() -> None:
    settings = replace(EXPLICIT, after_tools=("sync",))
    decisions = play(settings, reply(call("log", INVALID)), reply(call("sync")))
    assert decisions[-1] == Finish("after-tools", "tool", call_id="id-sync")


def test_a_blocked_runtime_done_names_the_failed_tool() -> None:
    decisions = play(EXPLICIT, reply(call("log", INVALID)), reply(call("runtime-done")))
    assert isinstance(decisions[1], Correct)
    assert "`log`" in decisions[1].text


def test_business_work_beside_a_failed_call_is_output_enough() -> None:
    decisions = play(SYSTEM, reply(call("log"), call("ring", INVALID)), reply(text="Partly."))
    assert isinstance(decisions[-1], Finish)


def test_a_closing_sentence_is_no_output_of_a_system_run() -> None:
    failed = play(SYSTEM, reply(call("ring", INVALID)), reply(text="It failed."))[-1]
    assert isinstance(failed, Fail)
    assert failed.reason == "tool_failed_without_output"
    assert "'ring'" in failed.message


def test_a_plugin_run_may_end_with_text_after_a_failed_call() -> None:
    plugin = CompletionSettings(visibility="plugin")
    decisions = play(plugin, reply(call("ring", INVALID)), reply(text="It failed."))
    assert isinstance(decisions[-1], Finish)


def test_used_up_steps_fail_a_run_that_was_not_ended() -> None:
    settings = replace(SYSTEM, max_steps=2)
    decisions = play(settings, reply(call("log")), reply(call("ring")))
    assert isinstance(decisions[-1], Fail)
    assert decisions[-1].reason == "max_steps"
    assert "2 steps" in decisions[-1].message


def test_used_up_steps_end_a_run_whose_required_work_is_done() -> None:
    settings = replace(TOOL_USE, max_steps=2)
    decisions = play(settings, reply(call("log")), reply(call("ring")))
    assert decisions[-1] == Finish("steps", "none")


def test_a_hook_ends_the_loop_without_a_correction() -> None:
    ended = Replied(calls=(call("look", read_only=True),), ended_by_hook=True)
    assert play(SYSTEM, ended) == [Finish("hook", "none")]
    assert isinstance(play(TOOL_USE, ended)[0], Fail)


def test_the_same_call_in_three_replies_is_a_loop() -> None:
    spellings = ['{"a":1,"b":2}', '{"b": 2, "a": 1}', '{ "a":1,"b":2 }']
    decisions = play(SYSTEM, *(reply(call("log", arguments=text)) for text in spellings))
    assert [type(decision) for decision in decisions] == [Continue, Continue, Fail]
    assert isinstance(decisions[-1], Fail)
    assert decisions[-1].reason == "repeated_tool_calls"


def test_a_streak_ends_with_a_reply_without_the_call() -> None:
    same, other = reply(call("log")), reply(call("ring"))
    decisions = play(SYSTEM, same, same, other, same, same)
    assert all(isinstance(decision, Continue) for decision in decisions)


def test_equal_calls_beside_each_other_are_no_loop() -> None:
    (decision,) = play(SYSTEM, reply(call("roll"), call("roll"), call("roll")))
    assert isinstance(decision, Continue)


def test_zero_turns_loop_detection_off() -> None:
    decisions = play(replace(SYSTEM, loop_detection=0), *[reply(call("log"))] * 6)
    assert all(isinstance(decision, Continue) for decision in decisions)


def test_an_ending_wins_over_a_repeated_call() -> None:
    settings = replace(SYSTEM, after_tools=("sync",))
    failed, done = reply(call("sync", INVALID)), reply(call("sync"))
    assert isinstance(play(settings, failed, failed, done)[-1], Finish)


def test_broken_arguments_still_have_an_identity() -> None:
    streaks = next_streaks({}, [call("log", INVALID, arguments='{"a": ')])
    assert list(next_streaks(streaks, [call("log", INVALID, arguments='{"a": ')]).values()) == [2]


def test_a_call_that_never_ran_neither_counts_as_failed_nor_as_repeated() -> None:
    skipped = call("log", CallFailure("cancelled", "loop"))
    decisions = play(SYSTEM, *[reply(skipped)] * 4, reply(text="Fine."))
    assert isinstance(decisions[-1], Finish)


def test_a_rejected_draft_costs_a_correction_and_the_third_one_fails() -> None:
    rejected = DraftRejected("Keep to the past tense.")
    decisions = play(STORY, rejected, rejected, rejected)
    assert decisions[0] == Correct("draft_review", "Keep to the past tense.", "auto")
    assert isinstance(decisions[2], Fail)
    assert decisions[2].reason == "draft_rejected"


def test_a_rejected_text_output_is_repaired_once() -> None:
    settings = replace(SYSTEM, has_output_schema=True, tool_choice="required")
    first = reply(text="{}")
    decisions = play(settings, first, OutputRejected("'a' is missing."), first)
    assert isinstance(decisions[1], Correct)
    assert "'a' is missing." in decisions[1].text
    assert decisions[1].tool_choice == "auto"
    again = play(settings, first, OutputRejected("x"), first, OutputRejected("y"))[-1]
    assert isinstance(again, Fail)
    assert again.reason == "output-schema-invalid"


def test_a_rejected_tool_output_wants_the_same_tool_again() -> None:
    settings = replace(TOOL_USE, after_tools=("sync",), has_output_schema=True)
    decisions = play(settings, reply(call("sync")), OutputRejected("x"), reply(call("sync")))
    assert isinstance(decisions[1], Correct)
    assert decisions[1].tool_choice == NamedTool("sync")
    assert decisions[2] == Finish("after-tools", "tool", call_id="id-sync")


def test_a_story_keeps_being_asked_for_its_prose_while_it_has_steps() -> None:
    done = [reply(call("runtime-done", arguments=f'{{"reason": "{n}"}}')) for n in range(3)]
    decisions = play(replace(STORY, max_steps=3, tool_choice="required"), *done)
    assert isinstance(decisions[0], Continue)
    assert decisions[0].tool_choice == "auto"
    assert decisions[0].note is not None
    assert isinstance(decisions[2], Fail)


def test_a_story_may_write_its_prose_beside_runtime_done() -> None:
    decisions = play(STORY, reply(call("runtime-done"), text="Fog."))
    assert decisions == [Finish("runtime-done", "text", text="Fog.")]


def test_an_empty_story_is_asked_once_and_then_fails() -> None:
    empty = reply(text="<think>Fog?</think>\u200b")
    decisions = play(STORY, empty, empty)
    assert isinstance(decisions[0], Correct)
    assert decisions[0].kind == "prose"
    assert isinstance(decisions[1], Fail)
    assert decisions[1].reason == "story_without_prose"


def test_a_draft_before_a_tool_call_is_no_ending_of_a_story() -> None:
    decisions = play(STORY, reply(call("look", read_only=True), text="Fog."), reply(text="Rain."))
    assert decisions == [Continue("auto"), Finish("text", "text", text="Rain.")]


def test_a_listed_tool_does_not_end_a_story_without_prose() -> None:
    settings = replace(STORY, require="tool-use", after_tools=("emit",))
    decisions = play(settings, reply(call("emit")), reply(text="Fog."))
    assert decisions == [Continue("auto"), Finish("text", "text", text="Fog.")]


def test_a_story_with_required_work_is_corrected_before_its_prose_counts() -> None:
    settings = replace(STORY, require="tool-use")
    decisions = play(settings, reply(text="Fog."), reply(call("emit")), reply(text="Rain."))
    assert isinstance(decisions[0], Correct)
    assert decisions[2] == Finish("text", "text", text="Rain.")


def test_an_interjection_gets_one_more_reply_and_keeps_the_first_prose() -> None:
    decisions = play(STORY, Replied("Fog.", interjection_waiting=True), reply(text="Rain."))
    assert decisions == [Continue("auto"), Finish("text", "text", text="Fog.\n\nRain.")]


def test_an_interjection_without_steps_left_is_not_waited_for() -> None:
    settings = replace(STORY, max_steps=1)
    decisions = play(settings, Replied("Fog.", interjection_waiting=True))
    assert decisions == [Finish("text", "text", text="Fog.")]


def test_a_completing_call_before_a_suspend_ends_the_run() -> None:
    settings = replace(SYSTEM, after_tools=("sync",))
    assert isinstance(play(settings, reply(call("sync"), call("suspend")))[0], Finish)
    assert isinstance(play(settings, reply(call("suspend"), call("sync")))[0], Suspend)


def test_a_failed_suspend_does_not_suspend() -> None:
    assert play(SYSTEM, reply(call("suspend", INVALID))) == [Continue("auto")]


def test_a_resumed_run_goes_on_with_its_failures() -> None:
    state, decision = advance(
        SYSTEM, CompletionState(), reply(call("log", INVALID), call("suspend"))
    )
    assert decision == Suspend("id-suspend")
    _, ended = advance(SYSTEM, state, reply(call("runtime-done")))
    assert isinstance(ended, Fail)


def test_the_state_is_plain_json() -> None:
    state, _ = advance(TOOL_USE, CompletionState(), reply(call("log", INVALID)))
    state, _ = advance(TOOL_USE, state, reply(text="Done."))
    assert json.loads(json.dumps(asdict(state)))["unresolved"] == ["log"]


@pytest.mark.parametrize(
    ("settings", "calls", "ends"),
    [
        (SYSTEM, [call("log")], False),
        (SYSTEM, [call("runtime-done")], True),
        (SYSTEM, [call("runtime-done", INVALID)], False),
        (SYSTEM, [call("suspend")], True),
        (TOOL_USE, [call("runtime-done")], False),
        (TOOL_USE, [call("log"), call("runtime-done")], True),
        (EXPLICIT, [call("log", INVALID), call("runtime-done")], False),
        (replace(SYSTEM, after_tools=("log",)), [call("log")], True),
        (replace(STORY, after_tools=("log",)), [call("log")], False),
        (STORY, [call("runtime-done")], False),
        (STORY, [call("suspend")], True),
    ],
)
def test_the_rest_of_a_batch_is_skipped_only_after_an_ending(
    settings: CompletionSettings, calls: list[CallOutcome], ends: bool
) -> None:
    assert batch_ends(settings, CompletionState(), calls) is ends


TOOLS = ["log", "look", "sync", "runtime-done", "search-tools"]
failures = st.one_of(
    st.none(),
    st.builds(
        CallFailure,
        st.sampled_from(["invalid-input", "refused", "timeout", "cancelled"]),
        st.sampled_from(["tool", "host", "hook", "service", "delegate", "loop"]),
    ),
)
outcomes = st.builds(
    CallOutcome,
    call_id=st.sampled_from(["c1", "c2", "c3"]),
    tool=st.sampled_from(TOOLS),
    arguments=st.sampled_from(["{}", '{"a":1}', "[", '{"b":2}']),
    read_only=st.booleans(),
    failure=failures,
)
replies = st.builds(
    Replied,
    text=st.sampled_from(["", " ", "Fog.", "{}"]),
    calls=st.lists(outcomes, max_size=3).map(tuple),
    ended_by_hook=st.just(False) | st.booleans(),
    interjection_waiting=st.booleans(),
)
settings_strategy = st.builds(
    CompletionSettings,
    visibility=st.sampled_from(["story", "plugin", "system"]),
    require=st.sampled_from([None, "explicit", "tool-use"]),
    after_tools=st.sampled_from([(), ("sync",), ("sync", "log")]),
    has_output_schema=st.booleans(),
    corrections=st.builds(Corrections, *[st.integers(0, 5)] * 4),
    max_steps=st.integers(1, 6),
    loop_detection=st.integers(0, 20),
    locale=st.sampled_from(["en", "zh"]),
)


@given(settings_strategy, st.data())
def test_a_run_ends_within_its_steps_and_corrections(
    settings: CompletionSettings, data: st.DataObject
) -> None:
    state, asked, corrected = CompletionState(), 0, 0
    decision: Decision = Continue("auto")
    while isinstance(decision, Continue | Correct):
        event = data.draw(replies | st.just(DraftRejected("again")))
        asked += 1
        assert asked <= settings.max_steps + settings.corrections.total
        state, decision = advance(settings, state, event)
        if isinstance(decision, Finish) and settings.has_output_schema and data.draw(st.booleans()):
            state, decision = advance(settings, state, OutputRejected("no"))
        corrected += isinstance(decision, Correct)
        assert corrected == state.corrections_used.total
    assert asked <= settings.max_steps + corrected


@given(settings_strategy, st.lists(replies, max_size=6))
def test_no_run_ends_well_without_what_its_contract_asks(
    settings: CompletionSettings, events: list[Replied]
) -> None:
    state, seen = CompletionState(), []
    for event in events:
        seen.extend(event.calls)
        state, decision = advance(settings, state, event)
        if isinstance(decision, Finish):
            good = [outcome for outcome in seen if outcome.is_success]
            if settings.require == "tool-use" and settings.after_tools:
                assert any(outcome.tool in settings.after_tools for outcome in good)
            elif settings.require == "tool-use":
                assert any(outcome.is_business_work for outcome in good)
            if settings.is_story:
                assert decision.text.strip()
        if not isinstance(decision, Continue | Correct):
            return


def _message(decision: Decision) -> str:
    assert isinstance(decision, Fail)
    return decision.message
