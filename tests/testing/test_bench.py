"""The fixture `covel`, used as authors use it, on a package of every kind of function."""

from pathlib import Path

import pytest

from plugin_sdk.testing import (
    Covel,
    NotGiven,
    Refused,
    RunFailed,
    WrongReplies,
    call,
    error_reply,
    reply,
)
from tests.support.kit_package import write_stall

SELL = [
    reply(None, call("price", thing="salt", crowns=3)),
    reply(None, call("runtime-done")),
]


@pytest.fixture
def covel_package(tmp_path: Path) -> Path:
    return write_stall(tmp_path)


def test_a_run_shows_what_was_asked_called_written_and_told(covel: Covel) -> None:
    run = covel.run("sell", payload={"thing": "salt"}, replies=SELL)
    assert (run.runtime_id, run.status) == ("stall/sell", "success")
    assert [made.name for made in run.tools] == ["price", "runtime-done"]
    assert run.tools[0].arguments == {"thing": "salt", "crowns": 3}
    assert run.tools[0].value["before"] is None
    assert run.tools[0].envelope["data"] == run.tools[0].value
    assert [(write.type, write.payload["key"]) for write in run.writes] == [("plugin.data", "salt")]
    assert covel.data("prices") == {"salt": {"crowns": 3}}
    assert len(run.prompts) == 2
    assert "Sell one thing." in run.prompts[0]
    assert "Sell one thing." in run.prompts[0].system
    assert "salt" in run.prompts[0].text
    assert set(run.prompts[0].tools) >= {"price", "ask-name", "runtime-done"}
    assert "execution.completed" in [event.type for event in run.events]
    assert covel.events[-len(run.events) :] == run.events


def test_chance_and_time_are_the_same_in_every_host(covel: Covel) -> None:
    first = covel.tool("price", thing="salt", crowns=3).value
    assert first["chance"] == 842
    assert first["at"] == "2026-01-01T00:00:00+00:00"
    covel.clock.advance(60)
    assert (
        covel.tool("price", {"thing": "salt", "crowns": 4})
        .value["at"]
        .startswith("2026-01-01T00:01")
    )


def test_a_failed_run_is_raised_with_the_run(covel: Covel) -> None:
    with pytest.raises(RunFailed, match="no prices") as failed:
        covel.run("count", payload="fail")
    assert failed.value.result.status == "failed"
    assert failed.value.code == failed.value.result.failure.code


def test_a_guard_that_skips_is_no_failure(covel: Covel) -> None:
    assert covel.run("count", payload="skip").status == "skipped"


def test_settings_and_records_are_put_before_a_run(covel: Covel) -> None:
    covel.put_data("prices", {"salt": {"crowns": 1}, "tea": {"crowns": 2}})
    covel.set("currency", "shell")
    assert covel.run("count").output == {"count": 2, "currency": "shell"}
    assert covel.data("names") == {"count": 2}


def test_records_that_break_their_schema_are_refused(covel: Covel) -> None:
    with pytest.raises(Refused, match="crowns"):
        covel.put_data("prices", {"salt": {"shells": 1}})
    with pytest.raises(Refused) as refused:
        covel.set("colour", "red")
    assert refused.value.code == "setting-not-found"


def test_replies_have_to_be_used_up_and_enough(covel: Covel) -> None:
    with pytest.raises(
        WrongReplies, match="asked 2 times, and the test gives 3 replies: 1 too many"
    ):
        covel.run("sell", replies=[*SELL, reply("more")])
    with pytest.raises(WrongReplies, match="was asked once, and the test gives no reply"):
        covel.run("sell")
    with pytest.raises(WrongReplies, match="tone"):
        covel.run("sell", replies=[{"text": "x", "tone": "mild"}])
    with pytest.raises(WrongReplies, match="expected a list"):
        covel.run("sell", replies="x")


def test_errors_of_a_provider_can_be_played(covel: Covel) -> None:
    with pytest.raises(RunFailed, match="400"):
        covel.run("sell", replies=[error_reply(400)])


def test_the_offline_model_answers_when_it_is_asked_for(covel: Covel) -> None:
    run = covel.run("sell", payload={"thing": "tea", "crowns": 9}, replies=None)
    assert covel.data("prices")["tea"] == {"crowns": 9}
    assert run.status == "success"


def test_a_tool_that_fails_is_raised_with_its_answer(covel: Covel) -> None:
    with pytest.raises(RunFailed) as failed:
        covel.tool("price", thing="salt")
    assert failed.value.code == "invalid-input"
    assert failed.value.result.name == "price"
    with pytest.raises(Refused, match=r"Did you mean 'price'\?"):
        covel.tool("prize")


def test_actions_and_commands_are_called_and_commit(covel: Covel) -> None:
    covel.put_data("prices", {"salt": {"crowns": 3}})
    assert covel.rpc("sum") == {"total": 3}
    assert covel.data("prices")["all"] == {"crowns": 3}
    assert covel.command("/sum") == {"total": 6}
    help_text = covel.command("/help")
    assert isinstance(help_text, str)
    assert "/sum" in help_text
    with pytest.raises(RunFailed, match="closed"):
        covel.rpc("break")
    with pytest.raises(Refused, match="unknown-action"):
        covel.rpc("multiply")
    with pytest.raises(Refused):
        covel.command("/multiply")


def test_a_form_is_asked_refused_and_answered(covel: Covel) -> None:
    covel.run("sell", replies=[reply(None, call("ask-name")), reply(None, call("runtime-done"))])
    asked = covel.questions()
    assert [(one.interaction_id, one.type, one.text) for one in asked] == [
        ("name", "form", "Who buys?")
    ]
    assert asked[0].shown["fields"][0]["label"] == "Name"
    with pytest.raises(Refused) as refused:
        covel.answer("name", {"name": "x"})
    assert [(one.field, one.message) for one in refused.value.details] == [
        ("name", "Say a real name.")
    ]
    assert covel.answer("name", {"name": "Ada"}) == "My name is Ada."
    assert covel.questions() == []
    with pytest.raises(Refused, match="Open are: none"):
        covel.answer("name", {"name": "Ada"})


def test_a_turn_takes_answers_and_tells_its_runs(covel: Covel) -> None:
    covel.run("sell", replies=[reply(None, call("ask-name")), reply(None, call("runtime-done"))])
    turn = covel.turn(answers={"name": {"name": "Ada"}})
    assert ("user", "My name is Ada.") in covel.messages()
    with pytest.raises(KeyError, match="did not run"):
        turn["stall/sell"]


def test_a_suspended_run_goes_on(covel: Covel) -> None:
    with pytest.raises(Refused, match="there are 0"):
        covel.resume()
    field = {"type": "checkbox", "name": "yes", "label": "Sure?", "required": True}
    run = covel.run(
        "sell", replies=[reply(None, call("suspend", {"reason": "Sell?", "fields": [field]}))]
    )
    assert run.status == "suspended"
    with pytest.raises(Refused) as refused:
        covel.resume({})
    assert refused.value.code == "invalid-resume-data"
    resumed = covel.resume({"yes": True}, replies=[reply(None, call("runtime-done"))])
    assert resumed.status == "success"


def test_background_work_is_run_when_it_is_asked_for(covel: Covel) -> None:
    sold = call("emit-event", {"topic": "stall.sold", "data": {"thing": "salt"}})
    covel.run("sell", replies=[reply(None, sold), reply(None, call("runtime-done"))])
    assert covel.data("names") == {}
    assert [(job.runtime_id, job.state) for job in covel.run_jobs()] == [
        ("stall/follow", "succeeded")
    ]
    assert covel.data("names") == {"sold": "salt"}
    assert covel.run_jobs() == []


def test_functions_are_called_directly_with_contexts(covel: Covel) -> None:
    result = covel.call_tool("price", {"thing": "salt", "crowns": 3}, data={"prices": {}}, seed=1)
    assert result.content["before"] is None
    assert covel.call_action("sum", data={"prices": {"tea": {"crowns": 5}}}) == {"total": 5}
    assert covel.call_service("stall.prices@1", data={"prices": {"tea": {}}}) == ["tea"]
    assert covel.call_validator("polite", {"name": "x"}) == [("name", "Say a real name.")]
    assert covel.call_validator("polite", {"name": "Ada"}) == []
    assert covel.call_guard("count", payload="skip")
    outcome = covel.call_handler("count", data={"prices": {}}, settings={"currency": "shell"})
    assert outcome.value == {"count": 0, "currency": "shell"}
    assert covel.module("server/index.py").price.name == "price"
    assert covel.data("prices") == {}


def test_what_a_direct_call_reads_has_to_be_given(covel: Covel) -> None:
    with pytest.raises(NotGiven, match="'prices'"):
        covel.call_tool("price", {"thing": "salt", "crowns": 3})


@pytest.mark.parametrize(
    ("method", "arguments", "code"),
    [
        ("call_tool", ("prize", {}), "tool-not-found"),
        ("call_action", ("adds",), "action-not-found"),
        ("call_service", ("stall.names@1",), "service-not-found"),
        ("call_validator", ("rude", {}), "form-validator-not-found"),
        ("call_handler", ("sell",), "no-handler"),
        ("call_handler", ("buy",), "runtime-not-found"),
        ("call_guard", ("sell",), "no-guard"),
        ("call_handler", (), "runtime-ambiguous"),
        ("module", ("server/none.py",), "module-not-found"),
        ("run", (), "runtime-ambiguous"),
        ("run", ("buy",), "runtime-not-found"),
    ],
)
def test_wrong_names_are_refused(
    covel: Covel, method: str, arguments: tuple[object, ...], code: str
) -> None:
    with pytest.raises(Refused) as refused:
        getattr(covel, method)(*arguments)
    assert refused.value.code == code


@pytest.mark.covel(companions=["narrator"], locale="zh", seed=5)
def test_a_companion_tells_the_story(covel: Covel) -> None:
    turn = covel.turn("我走进市场。", replies=["市场里人声鼎沸。"])
    assert [run.text for run in turn.runs if run.text] == ["市场里人声鼎沸。"]
    assert covel.messages()[-1] == ("assistant", "市场里人声鼎沸。")


async def _in_a_loop(covel: Covel) -> None:
    covel.run("count")


def test_an_asynchronous_test_is_told_what_to_do(covel: Covel) -> None:
    import asyncio

    with pytest.raises(RuntimeError, match="not 'async def'"):
        asyncio.run(_in_a_loop(covel))
