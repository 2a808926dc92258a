"""What an answer may replace on each event, and what becomes of it."""

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covel_host.hooks.copies import private_copy
from covel_host.hooks.failures import HookFailure
from covel_host.hooks.replacements import REPLACEMENTS, Rewritten, rewrite
from covel_host.hooks.result_rules import REPLACEABLE, projected
from plugin_sdk.hook_events import (
    HOOK_EVENTS,
    AssembledPrompt,
    FinishedToolCall,
    ModelRequest,
    ModelResponse,
    ProposalCommit,
    RuntimeEnd,
    Schedule,
    ToolCall,
    ToolFailure,
)
from plugin_sdk.proposals import EventEmit, PluginData
from plugin_sdk.values import JsonObject

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=5,
)
OBJECTS = st.dictionaries(st.text(max_size=3), JSON, max_size=3)


def rewritten(event: str, payload: Any, /, **wanted: object) -> Rewritten[Any]:
    return rewrite(event, payload, wanted)


def refused(event: str, payload: Any, /, **wanted: object) -> str:
    with pytest.raises(HookFailure) as caught:
        rewrite(event, payload, wanted)
    assert caught.value.kind == "answer"
    return caught.value.message


def test_the_table_has_what_the_sdk_promises() -> None:
    promised = {name: event.replaceable for name, event in HOOK_EVENTS.items()}
    assert {name: set(REPLACEMENTS.get(name, ())) for name in promised} == promised
    for name, members in REPLACEMENTS.items():
        fields = {field.name for field in dataclasses.fields(HOOK_EVENTS[name].payload)}  # type: ignore[arg-type]
        assert {one.field for one in members.values()} - {None} <= fields


# PreSchedule

NAMES = st.lists(st.sampled_from("abcdefg"), unique=True)


@given(NAMES, st.lists(st.sampled_from("abcdefgxyz")))
def test_a_schedule_is_reordered_and_never_grows(triggered: list[str], wanted: list[str]) -> None:
    payload = Schedule(triggered=tuple(triggered))
    after = rewritten("pre_schedule", payload, triggered=wanted).payload.triggered
    assert set(after) == set(triggered) & set(wanted)
    assert len(set(after)) == len(after)
    assert list(after) == [name for name in dict.fromkeys(wanted) if name in triggered]


@given(NAMES, st.lists(st.lists(st.sampled_from("abcdefg")), max_size=3))
def test_what_one_hook_dropped_no_later_one_brings_back(
    triggered: list[str], answers: list[list[str]]
) -> None:
    payload = Schedule(triggered=tuple(triggered))
    for wanted in answers:
        smaller = rewritten("pre_schedule", payload, triggered=wanted).payload
        assert set(smaller.triggered) <= set(payload.triggered)
        payload = smaller


def test_a_schedule_is_a_list_of_texts() -> None:
    payload = Schedule(triggered=("a",))
    assert "'triggered' is 'a'; it must be a list" in refused(
        "pre_schedule", payload, triggered="a"
    )
    assert "'triggered.0' is {'id': 'a'}" in refused(
        "pre_schedule", payload, triggered=[{"id": "a"}]
    )


# PreToolUse and PostToolUse

CALL = ToolCall(id="c1", name="ring", arguments={"times": 1})


@given(st.text(min_size=1).filter(str.strip), OBJECTS)
def test_a_call_keeps_its_id(name: str, arguments: dict[str, Any]) -> None:
    after = rewritten("pre_tool_use", CALL, id="other", name=name, arguments=arguments)
    assert after.payload == ToolCall(id="c1", name=name, arguments=arguments)
    assert after.ignored == ("id",)
    assert after.payload.arguments is not arguments


def test_what_makes_no_difference_is_no_change() -> None:
    after = rewritten("pre_tool_use", CALL, name="ring", arguments={"times": 1})
    assert (after.payload, after.changed) == (CALL, ())


def test_true_is_not_one() -> None:
    after = rewritten("pre_tool_use", CALL, arguments={"times": True})
    assert after.payload.arguments["times"] is True


def test_a_result_is_replaced_and_the_loop_ended() -> None:
    finished = FinishedToolCall(id="c1", name="ring", arguments={}, result=1)
    after = rewritten("post_tool_use", finished, result=[2], terminate=True)
    assert after.payload == dataclasses.replace(finished, result=[2])
    assert after.effects == {"terminate": True}
    assert "'terminate' is 1" in refused("post_tool_use", finished, terminate=1)


def test_a_failed_call_stays_one() -> None:
    failed = FinishedToolCall(
        id="c1", name="ring", arguments={}, error=ToolFailure(code="timeout", message="late")
    )
    assert "the call failed (timeout)" in refused("post_tool_use", failed, result=1)
    assert rewritten("post_tool_use", failed, terminate=True).effects == {"terminate": True}


# PostContextAssembly and PreLLMCall

USER: JsonObject = {"role": "user", "content": "Ring."}
ASKS: JsonObject = {
    "role": "assistant",
    "content": "",
    "toolCalls": [{"id": "c1", "name": "ring", "arguments": "{}"}],
}
ANSWERS: JsonObject = {"role": "tool", "content": "Done.", "toolCallId": "c1", "toolName": "ring"}
PROMPT = AssembledPrompt(system_prompt="Be brief.", messages=(USER,))
REQUEST = ModelRequest(messages=(USER,), model="story", tools=(), stream=True)


def test_a_prompt_is_replaced_member_by_member() -> None:
    after = rewritten(
        "post_context_assembly",
        PROMPT,
        system_prompt="",
        messages=[USER, ASKS, ANSWERS],
        output_kind="x",
    )
    assert after.payload == AssembledPrompt(system_prompt="", messages=(USER, ASKS, ANSWERS))
    assert after.ignored == ("output_kind",)


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        ([], "at least one message"),
        ("x", "must be a list"),
        (["x"], "'messages.0' is 'x'; it must be an object"),
        ([{"role": "player", "content": ""}], "'messages.0.role' is 'player'"),
        ([{"role": "user"}], "'messages.0.content' is None"),
        ([{"role": "user", "content": "x", "name": "y"}], "the member 'name'"),
        ([{**ASKS, "toolCalls": [{"id": "c1", "name": "ring"}]}], "arguments' is None"),
        ([{**ASKS, "toolCalls": {"id": "c1"}}], "'messages.0.toolCalls' is of type 'dict'"),
        ([ASKS, USER], "no result for 'c1'"),
        ([ASKS], "no result for 'c1'"),
        ([ANSWERS], "the result of the call 'c1'"),
        ([ASKS, ANSWERS, ANSWERS], "the result of the call 'c1'"),
        ([ASKS, {**ANSWERS, "toolCallId": "c2"}], "the result of the call 'c2'"),
        ([{**ANSWERS, "toolName": ""}], "'messages.0.toolName' is ''"),
    ],
)
@pytest.mark.parametrize(
    ("event", "payload"), [("post_context_assembly", PROMPT), ("pre_llm_call", REQUEST)]
)
def test_messages_must_be_fit_to_be_sent(
    event: str, payload: object, messages: object, said: str
) -> None:
    assert said in refused(event, payload, messages=messages)


def test_messages_that_stay_as_they_are_are_not_looked_at() -> None:
    odd = dataclasses.replace(REQUEST, messages=(ANSWERS,))
    after = rewritten("pre_llm_call", odd, messages=[ANSWERS], model="fast")
    assert after.payload == dataclasses.replace(odd, model="fast")
    assert after.changed == ("model",)


def test_a_system_prompt_is_a_text() -> None:
    assert "'system_prompt' is 3" in refused("post_context_assembly", PROMPT, system_prompt=3)


def test_streaming_can_be_turned_off_and_not_on() -> None:
    assert rewritten("pre_llm_call", REQUEST, stream=False).payload.stream is False
    assert rewritten("pre_llm_call", REQUEST, stream=True).changed == ()
    quiet = dataclasses.replace(REQUEST, stream=False)
    assert "may only set it to False" in refused("pre_llm_call", quiet, stream=True)
    assert "may only set it to False" in refused("pre_llm_call", REQUEST, stream=0)


def test_offered_tools_are_tools_with_names_once_each() -> None:
    ring = {"name": "ring", "description": "Ring.", "inputSchema": {"type": "object"}}
    assert rewritten("pre_llm_call", REQUEST, tools=[ring]).payload.tools == (ring,)
    assert "the tool 'ring' 2 times" in refused("pre_llm_call", REQUEST, tools=[ring, ring])
    assert "the member 'schema'" in refused("pre_llm_call", REQUEST, tools=[{**ring, "schema": {}}])
    assert "'tools.0.inputSchema' is None" in refused(
        "pre_llm_call", REQUEST, tools=[{"name": "ring", "description": ""}]
    )


def test_prompt_segments_are_those_of_the_extension_point() -> None:
    segment = {"id": "mood", "content": "Calm.", "position": "system"}
    after = rewritten("pre_llm_call", REQUEST, prompt_segments=[segment])
    assert after.payload.prompt_segments == (
        {**segment, "audience": "all", "volatility": "turn", "order": 0},
    )
    assert "'prompt_segments.0.content'" in refused(
        "pre_llm_call", REQUEST, prompt_segments=[{"id": "mood", "position": "system"}]
    )


# PostLLMResponse

RESPONSE = ModelResponse(
    response={
        "text": "Hm.",
        "toolCalls": [],
        "finishReason": "stop",
        "usage": {"inputTokens": 9, "outputTokens": 1},
        "provider": "offline",
        "model": "offline",
    },
    messages=(USER,),
)


def test_a_response_keeps_what_the_provider_counted() -> None:
    wanted = {"text": "Ah.", "usage": {"inputTokens": 0}, "model": "better"}
    after = rewritten("post_llm_response", RESPONSE, response=wanted).payload.response
    assert after == {**RESPONSE.response, "text": "Ah."}


def test_a_correction_is_an_effect_and_a_text() -> None:
    after = rewritten("post_llm_response", RESPONSE, correction="Shorter.")
    assert (after.payload, after.effects) == (RESPONSE, {"correction": "Shorter."})
    assert after.changed == ("correction",)
    assert "'correction' is ''" in refused("post_llm_response", RESPONSE, correction="")


def test_a_response_has_a_text_and_calls() -> None:
    assert "'response.text' is None" in refused(
        "post_llm_response", RESPONSE, response={"text": None}
    )
    assert "'response.toolCalls' is None" in refused(
        "post_llm_response", RESPONSE, response={"toolCalls": None}
    )
    assert "'response.toolCalls.0.name' is None" in refused(
        "post_llm_response", RESPONSE, response={"toolCalls": [{"id": "c", "arguments": "{}"}]}
    )


# PostRuntime

RESULT: JsonObject = {
    "pluginId": "tower",
    "runtimeId": "tower/keeper",
    "runId": "run-1",
    "turnId": "turn-1",
    "status": "success",
    "output": {"rang": 3},
    "canonicalValue": {"rang": 3},
    "effects": {"events": []},
    "durationMs": 7,
}


def after_runtime(before: dict[str, Any], **result: Any) -> dict[str, Any]:
    payload = RuntimeEnd(result=before)
    after: dict[str, Any] = rewritten("post_runtime", payload, result=result).payload.result
    return after


@given(
    st.dictionaries(
        st.sampled_from([*RESULT, "suspensionId", "proposals"]),
        JSON,
    ),
    st.sampled_from(["success", "skipped"]),
)
def test_only_the_listed_members_of_a_result_change(result: dict[str, Any], status: str) -> None:
    result |= {"status": status, "output": {"rang": 4}}
    result.pop("completion", None)
    after = after_runtime(RESULT, **result)
    kept = set(RESULT) - set(REPLACEABLE)
    assert {name: after[name] for name in kept} == {name: RESULT[name] for name in kept}
    assert set(after) <= set(RESULT)
    assert after["output"] == {"rang": 4}


@given(JSON, st.none() | OBJECTS, st.none() | st.tuples(JSON))
def test_a_result_never_keeps_a_value_its_output_does_not_show(
    value: Any, output: dict[str, Any] | None, new_value: tuple[Any] | None
) -> None:
    before = {**RESULT, "canonicalValue": value, "output": projected(value)}
    result: dict[str, Any] = {}
    if output is not None:
        result["output"] = output
    if new_value is not None:
        (result["canonicalValue"],) = new_value
    after = after_runtime(before, **result)
    if "canonicalValue" in after:
        assert after["output"] == projected(after["canonicalValue"])
    if output is not None and output != before["output"]:
        assert after["output"] == output


def test_a_new_output_without_its_value_removes_the_value() -> None:
    assert "canonicalValue" not in after_runtime(RESULT, output={"rang": 4})
    # The usual slip: the result is copied with its old value.
    assert "canonicalValue" not in after_runtime(RESULT, **{**RESULT, "output": {"rang": 4}})


def test_a_new_output_with_its_value_keeps_it() -> None:
    after = after_runtime(RESULT, output={"value": 4}, canonicalValue=4)
    assert (after["output"], after["canonicalValue"]) == ({"value": 4}, 4)


def test_an_output_follows_a_new_value() -> None:
    after = after_runtime(RESULT, **{**RESULT, "canonicalValue": [1]})
    assert (after["output"], after["canonicalValue"]) == ({"value": [1]}, [1])


def test_a_result_without_a_value_gets_none_from_a_new_output() -> None:
    before = {name: value for name, value in RESULT.items() if name != "canonicalValue"}
    assert after_runtime(before, output={"rang": 4}) == {**before, "output": {"rang": 4}}


def test_a_suspended_result_stays_suspended() -> None:
    before = {**RESULT, "status": "suspended", "suspensionId": "s-1"}
    after = after_runtime(before, status="success", suspensionId="s-2")
    assert (after["status"], after["suspensionId"]) == ("suspended", "s-1")


def test_a_failed_result_has_an_error_and_no_other_has() -> None:
    error = {"code": "too-loud", "message": "The bell was too loud."}
    failed = after_runtime(RESULT, status="failed", error=error)
    assert (failed["status"], failed["error"]) == ("failed", error)
    mended = after_runtime(failed, status="success")
    assert (mended["status"], "error" in mended) == ("success", False)
    end = RuntimeEnd(result=RESULT)
    assert "'result.error' is missing" in refused("post_runtime", end, result={"status": "failed"})


@pytest.mark.parametrize(
    ("result", "said"),
    [
        ({"status": "suspended"}, "'result.status' is 'suspended'"),
        ({"status": 3}, "'result.status' is 3"),
        ({"completion": "later"}, "'result.completion' is 'later'"),
        ({"output": [1]}, "'result.output' is [1]"),
        ("x", "'result' is 'x'; it must be an object"),
    ],
)
def test_a_result_has_the_form_of_one(result: object, said: str) -> None:
    assert said in refused("post_runtime", RuntimeEnd(result=RESULT), result=result)


# PreStateCommit

EVENT = ProposalCommit(proposal=EventEmit(topic="bell.rung", data={"times": 3}))


def test_a_proposal_keeps_its_type_and_gets_a_payload_that_fits() -> None:
    wanted = {"topic": "bell.rung", "data": {"times": 1}}
    after = rewritten("pre_state_commit", EVENT, payload=wanted)
    assert after.payload == ProposalCommit(proposal=EventEmit(topic="bell.rung", data={"times": 1}))
    assert after.changed == ("payload",)
    assert rewritten("pre_state_commit", EVENT, proposal=None, type="x").payload is EVENT


def test_a_payload_of_another_type_is_refused() -> None:
    other = PluginData(namespace="notes", key="a", value=1).payload()
    said = refused("pre_state_commit", EVENT, payload=other)
    assert "'payload' does not fit: event.emit" in said


# Copies


@given(OBJECTS, st.lists(OBJECTS, max_size=2))
def test_a_private_copy_is_equal_and_shares_nothing(
    arguments: dict[str, Any], messages: list[dict[str, Any]]
) -> None:
    call = ToolCall(id="c1", name="ring", arguments=arguments)
    prompt = AssembledPrompt(system_prompt="", messages=tuple(messages), input_slots=arguments)
    for payload in (call, prompt):
        copy: Any = private_copy(payload)
        assert copy == payload
    copied = private_copy(prompt)
    for before, after in zip(prompt.messages, copied.messages, strict=True):
        assert before is not after
        after["new"] = True
        assert "new" not in before


def test_a_proposal_is_copied_deeply() -> None:
    copy = private_copy(EVENT)
    assert copy == EVENT
    assert isinstance(copy.proposal, EventEmit)
    assert isinstance(EVENT.proposal, EventEmit)
    assert copy.proposal.data is not EVENT.proposal.data
