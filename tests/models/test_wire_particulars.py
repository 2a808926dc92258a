"""What is each format's own: tool choice, roles, reasoning, cache marks, refusals."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from covel_host.models.gateway import GatewayOptions, ModelGateway
from covel_host.models.messages import (
    AssistantMessage,
    ModelCall,
    ModelRequest,
    NamedTool,
    SystemMessage,
    ToolMessage,
    UserMessage,
)
from covel_host.models.provider_errors import provider_error
from covel_host.models.slots import Slot
from tests.models.http_double import body, events, http_double
from tests.models.support import QuickTime, ask, make_slot, make_table, sourced
from tests.models.wire_calls import ECHO, answer_in, call_format
from tests.models.wire_formats import CHAT, FORMATS, GENERATE, MESSAGES, RESPONSES, Format

every = pytest.mark.parametrize("form", FORMATS, ids=str)
both = pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])

HISTORY = (
    SystemMessage("rules"),
    UserMessage("one"),
    AssistantMessage("two", (ModelCall("c-1", "echo-value", '{"value":"x"}'),)),
    ToolMessage("c-1", "echo-value", '{"data":1}'),
    AssistantMessage("three"),
    SystemMessage("turn context"),
    UserMessage("four"),
)


def sent_for(form: Format, request: ModelRequest, **slot_changes: Any) -> dict[str, Any]:
    answer = answer_in(form, stream=request.stream)
    return call_format(form, request, answer, **slot_changes).sent


# --- tool choice -----------------------------------------------------------------------------


CHOICES: dict[str, list[tuple[Any, Any]]] = {
    RESPONSES.protocol: [
        ("auto", "auto"),
        ("required", "required"),
        (NamedTool("echo-value"), {"type": "function", "name": "echo-value"}),
        (NamedTool("not-offered"), "auto"),
    ],
    MESSAGES.protocol: [
        ("auto", {"type": "auto"}),
        ("required", {"type": "any"}),
        (NamedTool("echo-value"), {"type": "tool", "name": "echo-value"}),
        (NamedTool("not-offered"), {"type": "auto"}),
    ],
    GENERATE.protocol: [
        ("auto", {"mode": "AUTO"}),
        ("required", {"mode": "ANY"}),
        (
            NamedTool("echo-value"),
            {"mode": "ANY", "allowedFunctionNames": ["echo-value"]},
        ),
        (NamedTool("not-offered"), {"mode": "AUTO"}),
    ],
}


@pytest.mark.parametrize(
    ("form", "choice", "expected"),
    [
        (form, choice, expected)
        for form in (RESPONSES, MESSAGES, GENERATE)
        for choice, expected in CHOICES[form.protocol]
    ],
)
def test_the_tool_choice_is_mapped(form: Format, choice: Any, expected: Any) -> None:
    other = replace(ECHO, name="other-tool")
    sent = sent_for(form, ask(tools=(ECHO, other), tool_choice=choice))

    if form is GENERATE:
        assert sent["toolConfig"]["functionCallingConfig"] == expected
    else:
        assert sent["tool_choice"] == expected


@every
def test_without_tools_no_choice_is_sent(form: Format) -> None:
    sent = sent_for(form, ask(tool_choice="required"))

    assert not {"tools", "tool_choice", "toolConfig"} & set(sent)


# --- roles -----------------------------------------------------------------------------------


def test_responses_keep_late_system_messages_as_they_are() -> None:
    sent = sent_for(RESPONSES, ModelRequest(HISTORY, tools=(ECHO,)))

    assert [(item.get("role"), item.get("type")) for item in sent["input"]][-2:] == [
        ("system", None),
        ("user", None),
    ]
    assert sent["store"] is False


def test_anthropic_gets_late_system_messages_as_tagged_user_text() -> None:
    sent = sent_for(MESSAGES, ModelRequest(HISTORY, tools=(ECHO,)))

    assert [part["text"] for part in sent["system"]] == ["rules"]
    assert [item["role"] for item in sent["messages"]] == [
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
    ]
    texts = [part["text"] for part in sent["messages"][-1]["content"]]
    assert texts == ["<system-message>\nturn context\n</system-message>", "four"]


def test_gemini_gets_late_system_messages_as_tagged_user_text_by_default() -> None:
    sent = sent_for(GENERATE, ModelRequest(HISTORY, tools=(ECHO,)))

    assert sent["systemInstruction"]["parts"] == [{"text": "rules"}]
    texts = [part["text"] for part in sent["contents"][-1]["parts"]]
    assert texts == ["<system-message>\nturn context\n</system-message>", "four"]


@pytest.mark.parametrize(
    ("form", "as_user"), [(CHAT, True), (RESPONSES, True), (GENERATE, False)], ids=str
)
def test_a_slot_may_choose_how_late_system_messages_go_out(form: Format, as_user: bool) -> None:
    options = sourced({form.protocol: {"lateSystemAsUser": as_user}})
    sent = json.dumps(
        sent_for(form, ModelRequest(HISTORY, tools=(ECHO,)), provider_options=options)
    )

    assert ("<system-message>" in sent) is as_user
    assert "lateSystemAsUser" not in sent


# --- cache marks -----------------------------------------------------------------------------


def marks(value: Any) -> int:
    if isinstance(value, dict):
        return ("cache_control" in value) + sum(map(marks, value.values()))
    return sum(map(marks, value)) if isinstance(value, list) else 0


def test_anthropic_gets_four_cache_marks_at_most() -> None:
    late = (SystemMessage("more"), UserMessage("five"), SystemMessage("even more"))
    sent = sent_for(MESSAGES, ModelRequest((*HISTORY, *late), tools=(ECHO,)))

    assert marks(sent) == 4
    assert "cache_control" in sent["tools"][-1]
    assert "cache_control" in sent["system"][-1]


def test_the_end_of_the_history_is_marked_before_the_turns_own_context() -> None:
    sent = sent_for(MESSAGES, ModelRequest(HISTORY, tools=(ECHO,)))

    assert "cache_control" in sent["messages"][-2]["content"][-1]
    assert sent["messages"][-2]["content"][-1]["text"] == "three"


def test_a_prompt_without_history_needs_no_mark_of_its_own() -> None:
    request = ModelRequest((SystemMessage("rules"), SystemMessage("context"), UserMessage("go")))

    assert marks(sent_for(MESSAGES, request)) == 2


# --- settings --------------------------------------------------------------------------------


def test_anthropic_always_gets_an_output_limit() -> None:
    assert sent_for(MESSAGES, ask())["max_tokens"] == 16_384
    assert sent_for(MESSAGES, ask(max_output_tokens=300))["max_tokens"] == 300
    assert sent_for(MESSAGES, ask(), max_output_tokens=sourced(900))["max_tokens"] == 900


def test_reasoning_is_asked_for_in_each_formats_words() -> None:
    low = sourced("low")
    claude = sent_for(MESSAGES, ask(), reasoning_effort=low, model=sourced("claude-opus-4-6"))
    gemini = sent_for(GENERATE, ask(), reasoning_effort=low, model=sourced("gemini-3-pro-preview"))
    gpt = sent_for(RESPONSES, ask(), reasoning_effort=low, model=sourced("gpt-5"))

    assert claude["thinking"] == {"type": "adaptive"}
    assert claude["output_config"] == {"effort": "low"}
    assert '"low"' in json.dumps(gemini["generationConfig"]["thinkingConfig"]).lower()
    assert gpt["reasoning"] == {"effort": "low", "summary": "auto"}
    assert "reasoning.encrypted_content" in gpt["include"]


@pytest.mark.parametrize("form", [RESPONSES, MESSAGES, GENERATE], ids=str)
@pytest.mark.parametrize("effort", ["automatic", "provider-default"])
def test_an_effort_left_to_the_provider_is_not_sent(form: Format, effort: str) -> None:
    sent = sent_for(form, ask(), reasoning_effort=sourced(effort))

    assert sent == sent_for(form, ask())


def test_a_temperature_is_kept_from_models_that_refuse_one() -> None:
    def sent(model: str) -> dict[str, Any]:
        return sent_for(MESSAGES, ask(temperature=0.5), model=sourced(model))

    assert "temperature" not in sent("claude-opus-4-8")
    assert sent("lab/model-1")["temperature"] == 0.5


@pytest.mark.parametrize("choice", ["required", NamedTool("echo-value")])
def test_a_model_that_thinks_is_not_forced_to_call(choice: Any) -> None:
    request = ask(tools=(ECHO,), tool_choice=choice)
    sent = sent_for(
        MESSAGES, request, model=sourced("lab/model-1"), reasoning_effort=sourced("low")
    )

    assert sent["thinking"]["type"] == "enabled"
    assert sent["tool_choice"] == {"type": "auto"}


def test_what_a_library_refuses_to_send_is_a_matter_of_settings() -> None:
    class UserError(Exception):
        pass

    failure = provider_error(UserError("no such thing"), make_slot())
    assert (failure.code, failure.retriable, failure.facts.resend) == ("config-error", False, False)


DISABLED: list[tuple[Format, str, str, Any]] = [
    (CHAT, "gpt-5.1", "reasoning_effort", "none"),
    (CHAT, "lab/model-1", "reasoning_effort", None),
    (RESPONSES, "gpt-5.1", "reasoning", {"effort": "none"}),
    (MESSAGES, "lab/model-1", "thinking", None),
    (GENERATE, "gemini-2.5-flash", "generationConfig", {"thinkingBudget": 0}),
]


@pytest.mark.parametrize(("form", "model", "member", "expected"), DISABLED, ids=str)
def test_a_task_may_turn_reasoning_off(
    form: Format, model: str, member: str, expected: Any
) -> None:
    sent = sent_for(form, ask(reasoning_effort="disabled"), model=sourced(model)).get(member)

    if form is GENERATE:
        sent = {"thinkingBudget": next(iter(sent["thinkingConfig"].values()))}
    assert sent == expected


def test_a_slots_own_effort_comes_before_the_tasks() -> None:
    request = ask(reasoning_effort="disabled")
    model = sourced("gpt-5.1")
    left = sent_for(RESPONSES, request, model=model, reasoning_effort=sourced("provider-default"))
    high = sent_for(RESPONSES, request, model=model, reasoning_effort=sourced("high"))

    assert "reasoning" not in left
    assert high["reasoning"]["effort"] == "high"


def test_geminis_signature_goes_back_with_the_call_it_came_with() -> None:
    call = {"functionCall": {"id": "c-1", "name": "echo-value", "args": {"value": "a"}}}
    whole = GENERATE.whole(None)
    whole["candidates"][0]["content"]["parts"] = [{**call, "thoughtSignature": "c2lnbmVk"}]
    seen: list[str] = []

    async def run() -> None:
        async with http_double(body(json.dumps(whole))) as double:
            slot = make_slot(double.base_url, protocol=sourced(GENERATE.protocol))
            gateway = ModelGateway(GatewayOptions(), make_table(slot))
            request = ask(stream=False, tools=(ECHO,))
            reply = await gateway.complete(request)
            said = AssistantMessage(reply.text, reply.calls, reply.continuation)
            done = ToolMessage("c-1", "echo-value", "done")
            await gateway.complete(replace(request, messages=(UserMessage("go"), said, done)))
            await gateway.aclose()
            seen.append(json.dumps(double.requests[1]))

    asyncio.run(run())
    assert "c2lnbmVk" in seen[0]


# --- refusals --------------------------------------------------------------------------------


@both
def test_anthropics_refusal_is_an_error_even_after_text(stream: bool) -> None:
    answer = answer_in(MESSAGES, stream=stream, text="Well", finish="refusal")
    failure = call_format(MESSAGES, ask(stream=stream), answer).error

    assert (failure.code, failure.error_kind, failure.retriable) == ("refusal", "refused", False)


@both
def test_a_prompt_that_gemini_blocks_is_a_refusal_with_its_reason(stream: bool) -> None:
    blocked = {"promptFeedback": {"blockReason": "SAFETY"}, "modelVersion": "served-model"}
    text = json.dumps(blocked)
    answer = events([f"data: {text}\n\n"]) if stream else body(text)
    failure = call_format(GENERATE, ask(stream=stream), answer).error

    assert (failure.code, failure.error_kind) == ("refusal", "refused")
    assert "SAFETY" in failure.message


@both
@pytest.mark.parametrize("word", ["SAFETY", "PROHIBITED_CONTENT", "RECITATION"])
def test_a_reply_that_gemini_stops_says_so(stream: bool, word: str) -> None:
    answer = answer_in(GENERATE, stream=stream, text="Th", finish=word)
    reply = call_format(GENERATE, ask(stream=stream), answer).reply

    assert (reply.finish_reason, reply.raw_finish_reason) == ("content_filter", word)


@both
def test_a_call_that_gemini_cannot_read_itself_may_be_asked_for_again(stream: bool) -> None:
    answer = answer_in(GENERATE, stream=stream, text=None, finish="MALFORMED_FUNCTION_CALL")
    failure = call_format(GENERATE, ask(stream=stream, tools=(ECHO,)), answer).error

    assert (failure.code, failure.retriable) == ("reply-broken", True)


def test_a_refusal_inside_a_response_is_an_error_with_its_reason() -> None:
    item = {
        "id": "i1",
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "refusal", "refusal": "I cannot."}],
    }
    whole = {**RESPONSES.whole(None), "output": [item]}
    failure = call_format(RESPONSES, ask(stream=False), body(json.dumps(whole))).error

    assert (failure.code, failure.error_kind) == ("refusal", "refused")
    assert "I cannot" in failure.message


@pytest.mark.parametrize("form", [RESPONSES], ids=str)
@both
def test_a_filtered_response_says_so(form: Format, stream: bool) -> None:
    answer = answer_in(form, stream=stream, text="Th", finish="content_filter")

    assert call_format(form, ask(stream=stream), answer).reply.finish_reason == "content_filter"


def test_an_address_with_and_without_the_version_is_the_same_to_anthropic() -> None:
    async def run() -> list[str]:
        async with http_double(answer_in(MESSAGES, stream=True)) as double:
            for address in (double.base_url, double.base_url.removesuffix("/v1")):
                slot: Slot = make_slot(address, protocol=sourced(MESSAGES.protocol))
                gateway = ModelGateway(GatewayOptions(), make_table(slot), clock=QuickTime().clock)
                await gateway.complete(ask())
                await gateway.aclose()
            return double.paths

    assert asyncio.run(run()) == ["/v1/messages"] * 2
