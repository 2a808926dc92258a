"""Runtime cases, played through the real entry, executor and commit."""

from pathlib import Path
from typing import Any

import pytest

from covel_host.testing.case_file import check_cases
from covel_host.testing.case_run import CaseOutcome, play_case
from covel_host.testing.private_settings import PrivateHostOptions, private_plan
from tests.support.kit_package import write_stall

PRICE = {"name": "price", "arguments": {"thing": "salt", "crowns": 3}}
SOLD = {"name": "emit-event", "arguments": {"topic": "stall.sold", "data": {"thing": "salt"}}}
SELLING = {"runtimeId": "stall/sell", "llmResponses": [{"calls": [PRICE]}, {"text": "Sold."}]}


@pytest.fixture
def stall(tmp_path: Path) -> Path:
    return write_stall(tmp_path)


def played(package: Path, **case: Any) -> CaseOutcome:
    (checked,) = check_cases([{"name": "one", **case}], shown="x")
    companions = checked.with_plugins or ()
    return play_case(checked, private_plan(package, PrivateHostOptions(companions=companions)))


def test_a_case_that_goes_as_it_says_passes(stall: Path) -> None:
    expect = {
        "runtimeResults": [{"runtimeId": "stall/sell", "status": "success"}],
        "pluginData": [
            {"namespace": "prices", "field": "salt"},
            {"namespace": "prices", "field": "salt", "value": {"crowns": 3}},
        ],
    }
    outcome = played(stall, **SELLING, expect=expect)
    assert outcome.problems == ()
    assert outcome.has_passed
    assert outcome.is_committed
    assert outcome.requests == 2


@pytest.mark.parametrize(
    ("expect", "problem"),
    [
        (
            {"runtimeResults": [{"runtimeId": "stall/sell", "status": "skipped"}]},
            "stall/sell: expected skipped; it is success.",
        ),
        (
            {"runtimeResults": [{"runtimeId": "stall/buy", "status": "success"}]},
            "stall/buy: expected success; it did not run. Ran: stall/sell.",
        ),
        (
            {"pluginData": [{"namespace": "prices", "field": "tea"}]},
            "stall prices/tea: no such record is stored. Its namespace has: salt.",
        ),
        (
            {"pluginData": [{"namespace": "prices", "field": "salt", "value": None}]},
            'stall prices/salt: expected null; stored is {"crowns":3}.',
        ),
    ],
)
def test_what_is_not_as_expected_is_told(stall: Path, expect: dict[str, Any], problem: str) -> None:
    assert played(stall, **SELLING, expect=expect).problems == (problem,)


def test_a_failed_run_fails_the_case_unless_it_is_expected(stall: Path) -> None:
    case = {"runtimeId": "stall/count", "payload": "fail"}
    outcome = played(stall, **case)
    assert len(outcome.problems) == 2
    assert "no prices" in outcome.problems[0]
    assert outcome.problems[1].startswith("Nothing was committed: ")
    expected = {"runtimeResults": [{"runtimeId": "stall/count", "status": "failed"}]}
    outcome = played(stall, **case, expect=expected)
    assert outcome.problems == ()
    assert not outcome.is_committed


def test_replies_have_to_fit_the_run(stall: Path) -> None:
    (problem,) = played(
        stall, runtimeId="stall/sell", llmResponses=[{"text": "Sold."}, {"text": "More."}]
    ).problems
    assert problem == "1 of the replies in 'llmResponses' were not asked for."
    problems = played(stall, runtimeId="stall/sell", llmResponses=[{"calls": [PRICE]}]).problems
    assert "has 1 reply and all of them have been used" in problems[0]


def test_without_replies_the_model_says_a_word_and_calls_nothing(stall: Path) -> None:
    outcome = played(stall, runtimeId="stall/sell")
    assert outcome.problems == ()
    assert outcome.results[0].text == "Mock reply."
    assert outcome.results[0].tool_calls == ()


def test_no_model_is_offered_events_in_a_case(stall: Path) -> None:
    outcome = played(
        stall, runtimeId="stall/sell", llmResponses=[{"calls": [SOLD]}, {"text": "Sold."}]
    )
    assert outcome.results[0].tool_calls[0].error is not None


def test_an_expected_follower_that_nobody_queued_fails_the_case(stall: Path) -> None:
    (problem,) = played(stall, **SELLING, expectsBackgroundFollower=True).problems
    assert "follower-not-emitted" in problem


FOLLOWED = """
from plugin_sdk import Effects, Event, FunctionContext, success


async def handle(ctx: FunctionContext) -> object:
    return success(effects=Effects(events=[Event("stall.sold", {"thing": ctx.manual_payload})]))
"""


def test_background_followers_are_run_and_told(stall: Path) -> None:
    (stall / "server" / "count.py").write_text(FOLLOWED, encoding="utf-8")
    case = {"runtimeId": "stall/count", "expectsBackgroundFollower": True}
    sold = [{"namespace": "names", "field": "sold", "value": "tea"}]
    outcome = played(stall, **case, payload="tea", expect={"pluginData": sold})
    assert outcome.problems == ()
    assert [(job.runtime_id, job.state) for job in outcome.jobs] == [("stall/follow", "succeeded")]
    (stall / "server" / "follow.py").write_text("def handle(ctx):\n    raise ValueError('full')\n")
    (problem,) = played(stall, **case, payload="tea").problems
    assert problem.startswith("The job of stall/follow ended as failed: ")
    assert "full" in problem


def test_settings_and_messages_reach_the_run(stall: Path) -> None:
    outcome = played(stall, runtimeId="stall/count", userSettings={"currency": "shell"})
    assert outcome.results[0].output["currency"] == "shell"
    (problem,) = played(stall, runtimeId="stall/count", userSettings={"colour": 1}).problems
    assert "colour" in problem


def test_companions_are_loaded_with_the_package(stall: Path, tmp_path: Path) -> None:
    outcome = played(stall, runtimeId="stall/count", withPlugins=["narrator"])
    assert outcome.problems == ()
    (problem,) = played(stall, runtimeId="stall/count", withPlugins=["no-such"]).problems
    assert "There is no package 'no-such'" in problem


def test_a_package_that_does_not_load_is_told_with_its_problems(stall: Path) -> None:
    (stall / "server" / "index.py").write_text("import nothing_here\n", encoding="utf-8")
    (problem,) = played(stall, runtimeId="stall/count").problems
    assert "nothing_here" in problem
    assert "stall/server/index.py:1" in problem


def test_a_wrong_target_is_told(stall: Path) -> None:
    (problem,) = played(stall, runtimeId="stall/buy").problems
    assert "runtime-not-found" in problem
