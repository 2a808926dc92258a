"""`covel turn` and `covel plan`: a session played and looked at from the command line."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.support import Covel
from tests.support.casts import agent, cast, function, story

PRE = {"stage": "pre-turn"}


@pytest.fixture(autouse=True)
def _trusted(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    monkeypatch.setenv("COVEL_TRUST", "tale")


def tale(home: Path) -> None:
    cast(
        home,
        "tale",
        {
            "init": function("return success()", schedule={"stage": "setup"}),
            "before": function("return success()", schedule=PRE),
            "told": story(),
            "rare": function(
                "return success()",
                schedule={**PRE, "trigger": {"type": "scheduled", "interval": 5}},
            ),
            "asked": agent(schedule={"trigger": {"type": "manual"}}),
            "hears": agent(schedule={"trigger": {"type": "event", "topic": "bell.rung"}}),
        },
    )


def opened(covel: Covel) -> str:
    made = covel("sessions", "new", "--with", "tale", "--json")
    assert made.code == 0, made.err
    return str(json.loads(made.out)["sessionId"])


def plan_of(covel: Covel, session_id: str) -> Any:
    shown = covel("plan", session_id, "--json")
    assert shown.code == 0, shown.err
    return json.loads(shown.out)


def test_a_session_is_started_and_played_from_the_command_line(covel: Covel, home: Path) -> None:
    tale(home)
    session_id = opened(covel)
    plan = plan_of(covel, session_id)
    assert (plan["phase"], plan["logicalTurn"]) == ("setup", 1)
    assert [[run["runtimeId"] for run in layer] for layer in plan["layers"]] == [["tale/init"]]
    script = home / "replies.yaml"
    script.write_text("- text: It begins.\n")
    started = covel("turn", session_id, "--start", "--model", f"scripted:{script}")
    assert started.code == 0, started.err
    assert started.out.strip() == "It begins."
    assert "[setup]\n> tale/init\n< tale/init: success" in started.err
    assert "[narrative]" in started.err
    script.write_text("- text: Rain fell.\n")
    told = covel("turn", session_id, "I wait.", "--model", f"scripted:{script}", "--json")
    assert told.code == 0, told.err
    document = json.loads(told.out)
    assert document["committed"] is True
    [execution] = document["executions"]
    assert [one["runtimeId"] for one in execution["results"]] == ["tale/before", "tale/told"]
    assert execution["results"][1]["text"] == "Rain fell."


def test_a_plan_says_why_each_runtime_runs_or_does_not(covel: Covel, home: Path) -> None:
    tale(home)
    session_id = opened(covel)
    script = home / "replies.yaml"
    script.write_text("- text: It begins.\n")
    covel("turn", session_id, "--start", "--model", f"scripted:{script}")
    plan = plan_of(covel, session_id)
    assert [[run["runtimeId"] for run in layer] for layer in plan["layers"]] == [
        ["tale/before"],
        ["tale/told"],
    ]
    assert {run["runtimeId"]: run["why"] for run in plan["notRunning"]} == {
        "tale/asked": "it is started by hand",
        "tale/hears": "it waits for the event 'bell.rung'",
        "tale/init": "its setup is done",
        "tale/rare": "every 5 turns, next in turn 5",
    }
    text = covel("plan", session_id).out
    assert "LAYER  STAGE" in text
    assert "Not in it:" in text


def test_nothing_is_planned_or_played_in_a_paused_session(covel: Covel, home: Path) -> None:
    tale(home)
    session_id = opened(covel)

    assert covel("sessions", "pause", session_id).code == 0
    plan = plan_of(covel, session_id)
    assert plan["layers"] == []
    assert {run["code"] for run in plan["notRunning"]} == {"session-not-active"}


def test_the_plan_leaves_out_what_a_turn_would_not_load(covel: Covel, home: Path) -> None:
    tale(home)
    for name in ("coded", "broken"):
        folder = home / "plugins" / name
        (folder / "server").mkdir(parents=True)
        (folder / "PLUGIN.md").write_text(
            "---\ndescription: Watches.\nruntime:\n  schedule: { stage: audit }\n---\nLook.\n"
        )
    packages = ("--with", "tale", "--with", "coded", "--with", "broken")
    made = covel("sessions", "new", *packages, "--json")
    session_id = json.loads(made.out)["sessionId"]
    assert plan_of(covel, session_id)["untrustedPackages"] == []
    (home / "plugins" / "coded" / "server" / "index.py").write_text("raise SystemExit\n")
    manifest = home / "plugins" / "broken" / "PLUGIN.md"
    manifest.write_text(manifest.read_text().replace("runtime:", "kind: nothing\nruntime:", 1))
    plan = plan_of(covel, session_id)
    codes = {run["runtimeId"]: run["code"] for run in plan["notRunning"]}
    assert (codes["coded"], codes["broken"]) == ("package-untrusted", "package-not-loaded")
    assert plan["untrustedPackages"] == ["coded"]
    assert "allow it: covel trust grant coded, or --trust coded" in covel("plan", session_id).out
    covel("trust", "grant", "coded", "--yes")
    plan = plan_of(covel, session_id)
    assert plan["untrustedPackages"] == []
    assert "package-untrusted" not in {run["code"] for run in plan["notRunning"]}


def test_a_turn_needs_a_message_or_a_start(covel: Covel, home: Path) -> None:
    tale(home)
    session_id = opened(covel)
    wrong = covel("turn", session_id)
    assert wrong.code == 2
    assert "MESSAGE or an --answer, or --start" in wrong.err


def test_a_package_set_aside_after_errors_is_planned_again_when_it_is_unpaused(
    covel: Covel, home: Path
) -> None:
    cast(home, "tale", {"a": function("raise ValueError('no')", schedule=PRE)})
    session_id = opened(covel)
    assert covel("turn", session_id, "Go on.").code == 0
    assert "failing: tale, 1 turn\n" in covel("sessions", "show", session_id).out
    for _ in range(4):
        assert covel("turn", session_id, "Go on.").code == 0
    shown = covel("sessions", "show", session_id).out
    assert "set aside after repeated errors: tale;" in shown
    assert f"covel plugins unpause {session_id} tale" in shown
    [left] = plan_of(covel, session_id)["notRunning"]
    assert (left["runtimeId"], left["code"]) == ("tale/a", "package-paused")
    played = covel("turn", session_id, "Go on.")
    assert played.code == 0
    assert "warning: the package 'tale' is set aside" in played.err
    assert covel("plugins", "unpause", session_id, "tale").code == 0
    assert plan_of(covel, session_id)["notRunning"] == []
    assert covel("sessions", "show", session_id, "--json").json["packageFailures"] == {}


def test_turning_a_package_off_and_on_lets_it_begin_anew(covel: Covel, home: Path) -> None:
    cast(home, "tale", {"a": function("raise ValueError('no')", schedule=PRE)})
    session_id = opened(covel)
    assert covel("turn", session_id, "Go on.").code == 0
    covel("plugins", "disable", "tale")
    assert covel("plugins", "enable", "tale").err == (
        f"Its failures in the session {session_id} count no more.\n"
    )
    assert covel("plugins", "enable", "tale").err == ""
    assert covel("sessions", "show", session_id, "--json").json["packageFailures"] == {}
