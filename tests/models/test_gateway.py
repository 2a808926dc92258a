import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from covel_host.models.errors import ModelError
from covel_host.models.gateway import GatewayOptions, ModelGateway
from covel_host.models.messages import (
    Delta,
    ModelReply,
    TextDelta,
    UserMessage,
    prompt_cache_key,
)
from covel_host.models.probe import ProbeResult, probe_slot
from covel_host.models.selector import ModelSelector, UseOffline, UseScript, UseSlot
from covel_host.models.slots import ApiKey, SlotTable
from tests.models.http_double import DONE, chunk, error, events, http_double
from tests.models.support import HandTime, QuickTime, ask, make_slot, make_table, sourced

STORY = make_slot()


def gateway(
    table: SlotTable | None = None,
    *,
    selector: ModelSelector | None = None,
    options: GatewayOptions | None = None,
    time: QuickTime | HandTime | None = None,
) -> ModelGateway:
    time = time or QuickTime()
    return ModelGateway(
        options or GatewayOptions(),
        table or SlotTable({}),
        selector=selector,
        clock=time.clock,
        sleep=time.sleep,
    )


def complete(made: ModelGateway, **arguments: Any) -> ModelReply:
    async def run() -> ModelReply:
        try:
            return await made.complete(ask(), **arguments)
        finally:
            await made.aclose()

    return asyncio.run(run())


def script(tmp_path: Path, text: str) -> UseScript:
    path = tmp_path / "replies.yaml"
    path.write_text(text, encoding="utf-8")
    return UseScript(path)


# --- what answers ----------------------------------------------------------------------------


def test_without_configuration_the_offline_model_answers_and_says_so() -> None:
    made = gateway()

    assert complete(made).provider == "offline"
    assert made.offline_note is not None
    assert "No model is configured" in made.offline_note


def test_the_offline_model_can_be_chosen() -> None:
    made = gateway(make_table(STORY), selector=UseOffline())

    assert made.offline_note is not None
    assert made.slot_for("story") is None
    assert complete(made, slot="story").slot is None


def test_a_configured_model_needs_no_note() -> None:
    assert gateway(make_table(STORY)).offline_note is None


def test_a_chosen_slot_answers_every_task() -> None:
    fast = make_slot(name="fast")
    made = gateway(make_table(STORY, fast), selector=UseSlot("fast"))

    assert made.slot_for("story") is fast
    assert made.slot_for(None) is fast


def test_a_chosen_slot_must_exist() -> None:
    with pytest.raises(ModelError, match="no model slot 'gone'"):
        gateway(make_table(STORY), selector=UseSlot("gone"))


def test_a_chosen_slot_must_be_able_to_answer() -> None:
    with pytest.raises(ModelError, match="tag 'image'"):
        gateway(make_table(make_slot(tag=sourced("image"))), selector=UseSlot("story"))


def test_a_script_that_cannot_be_read_fails_before_any_call(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be read"):
        gateway(selector=UseScript(tmp_path / "gone.yaml"))


def test_a_slot_that_cannot_answer_is_refused_before_any_request() -> None:
    broken = make_slot(needs_key=True, key=ApiKey("LAB_API_KEY", None))

    with pytest.raises(ModelError, match="LAB_API_KEY is not set"):
        complete(gateway(make_table(broken)))


def test_an_unserved_protocol_is_refused_with_advice() -> None:
    slot = make_slot(protocol=sourced("typesafe-systemone-v1"))

    with pytest.raises(ModelError, match="not served") as caught:
        complete(gateway(make_table(slot)))
    assert caught.value.code == "not-supported-yet"
    assert caught.value.hint is not None


# --- the script ------------------------------------------------------------------------------


def test_a_script_answers_in_order_and_errors_are_retried(tmp_path: Path) -> None:
    time = QuickTime()
    text = "- error: { status: 429, retryAfter: 3 }\n- text: at last\n"
    reply = complete(gateway(selector=script(tmp_path, text), time=time))

    assert (reply.text, reply.http_requests, reply.provider) == ("at last", 2, "scripted")
    assert time.waits == [3]


def test_a_script_that_runs_out_fails(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="has 1 reply and"):
        complete(gateway(selector=script(tmp_path, "- error: { status: 500 }\n")))


def test_retries_can_be_turned_off(tmp_path: Path) -> None:
    made = gateway(
        selector=script(tmp_path, "- error: { status: 500 }\n- text: x\n"),
        options=GatewayOptions(retries=False),
    )

    with pytest.raises(ModelError) as caught:
        complete(made)
    assert caught.value.status == 500


def test_text_streams_to_the_receiver(tmp_path: Path) -> None:
    seen: list[Delta] = []

    async def note(delta: Delta) -> None:
        seen.append(delta)

    complete(gateway(selector=script(tmp_path, "- text: Old lamp\n")), on_delta=note)
    assert seen == [TextDelta("Old"), TextDelta(" lamp")]


# --- options ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, GatewayOptions(16, retries=True)),
        ({"COVEL_LLM_MAX_CONCURRENT": "0"}, GatewayOptions(0)),
        (
            {"COVEL_LLM_MAX_CONCURRENT": "4", "COVEL_LLM_RETRY_DISABLED": "1"},
            GatewayOptions(4, retries=False),
        ),
        ({"COVEL_LLM_RETRY_DISABLED": "0"}, GatewayOptions()),
        ({"COVEL_LLM_MAX_CONCURRENT": "", "COVEL_LLM_RETRY_DISABLED": ""}, GatewayOptions()),
    ],
)
def test_options_come_from_the_environment(
    environment: dict[str, str], expected: GatewayOptions
) -> None:
    assert GatewayOptions.from_environment(environment) == expected


@pytest.mark.parametrize(
    "environment",
    [
        {"COVEL_LLM_MAX_CONCURRENT": "-1"},
        {"COVEL_LLM_MAX_CONCURRENT": "four"},
        {"COVEL_LLM_MAX_CONCURRENT": "²"},
        {"COVEL_LLM_RETRY_DISABLED": "yes"},
    ],
)
def test_a_wrong_option_names_its_variable(environment: dict[str, str]) -> None:
    with pytest.raises(ModelError, match=next(iter(environment))):
        GatewayOptions.from_environment(environment)


def test_no_limit_on_calls_at_once_is_possible() -> None:
    assert complete(gateway(options=GatewayOptions(max_concurrent=0))).provider == "offline"


# --- the test call ---------------------------------------------------------------------------


def probe(*answers: Any) -> tuple[ProbeResult, int]:
    async def run() -> tuple[ProbeResult, int]:
        async with http_double(*answers) as double:
            made = gateway(make_table(make_slot(double.base_url)), time=HandTime())
            try:
                return await probe_slot(made, "story"), len(double.requests)
            finally:
                await made.aclose()

    return asyncio.run(run())


def test_a_test_call_reports_the_answer_and_its_times() -> None:
    result, _ = probe(events([chunk({"content": "ready"}), chunk(finish="stop"), DONE]))

    assert result.error is None
    assert result.reply is not None
    assert result.reply.text == "ready"
    assert result.first_output_ms is not None
    assert 0 <= result.first_output_ms <= result.total_ms


def test_a_test_call_sends_one_request_and_reports_the_error() -> None:
    result, requests = probe(error(503))

    assert requests == 1
    assert result.reply is None
    assert result.error is not None
    assert result.error.error_kind == "overloaded"
    assert result.first_output_ms is None


# --- small things ----------------------------------------------------------------------------


def test_a_cache_key_is_steady_and_tells_no_id() -> None:
    key = prompt_cache_key("session-1", "plugin/runtime")

    assert key == prompt_cache_key("session-1", "plugin/runtime")
    assert key != prompt_cache_key("session-1", "plugin/other")
    assert key.startswith("covel-")
    assert len(key) == len("covel-") + 32
    assert "session-1" not in key


def test_messages_are_values() -> None:
    assert UserMessage("a") == UserMessage("a")


HEAVY = ("pydantic_ai", "openai", "httpx", "httpx2", "sqlalchemy", "rich", "jsonschema_rs")


@pytest.mark.parametrize("module", ["gateway", "slots", "slot_file", "offline", "probe"])
def test_no_provider_library_is_imported_before_a_real_provider_is_used(module: str) -> None:
    code = (
        f"import sys, covel_host.models.{module}; "
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )

    assert shown.stdout.strip() == "[]"


def test_a_slot_that_code_names_must_be_configured() -> None:
    table = make_table(STORY, make_slot(name="fast"))
    gateway(table).check_slot("fast")
    with pytest.raises(ModelError, match="There is no model slot 'fats'") as caught:
        gateway(table).check_slot("fats")
    assert caught.value.code == "config-error"


def test_without_slots_to_choose_from_any_name_will_do() -> None:
    gateway().check_slot("fast")
    gateway(make_table(STORY), selector=UseOffline()).check_slot("fast")
