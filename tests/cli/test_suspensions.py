"""`covel suspensions`: what waits, answers to it, giving it up."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.support import Covel
from tests.support.casts import cast, function

ASKING = """
if ctx.resume_data is None:
    door = {"type": "string", "enum": ["left", "right"], "title": "Door"}
    code = {"type": "integer", "default": 7}
    return suspended("Which \\u001b[31mdoor?", {
        "type": "object", "required": ["door"], "properties": {"door": door, "code": code}
    })
return success({"opened": ctx.resume_data["door"]})
"""


@pytest.fixture
def session_id(covel: Covel, home: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("COVEL_TRUST", "gate")
    cast(home, "gate", {"ask": function(ASKING, schedule={"stage": "post-turn"})})
    made = covel("sessions", "new", "--with", "gate", "--json")
    session_id = str(json.loads(made.out)["sessionId"])
    played = covel("turn", session_id, "I knock.", "--model", "offline")
    assert played.code == 0, played.err
    assert "gate/ask waits for an answer" in played.err
    assert f"covel suspensions list {session_id}" in played.err
    return session_id


def items(covel: Covel, session_id: str) -> list[dict[str, Any]]:
    listed = covel("suspensions", "list", session_id, "--json")
    assert listed.code == 0, listed.err
    found: list[dict[str, Any]] = json.loads(listed.out)["items"]
    return found


def test_what_waits_is_listed_with_what_is_asked(covel: Covel, session_id: str) -> None:
    (item,) = items(covel, session_id)
    assert (item["runtimeId"], item["pluginId"]) == ("gate/ask", "gate")
    assert item["resumeSchema"]["required"] == ["door"]
    listed = covel("suspensions", "list", session_id).out
    assert item["id"] in listed
    assert "door: Door (one of 'left', 'right')" in listed
    assert "code: code (integer, may be left out, default 7)" in listed
    assert "\x1b" not in listed


def test_an_answer_lets_it_go_on(covel: Covel, session_id: str) -> None:
    (item,) = items(covel, session_id)
    ask = ("suspensions", "resume", session_id, item["id"])
    wrong = covel(*ask, "--data", '{"door": "up"}')
    assert wrong.code == 1
    assert 'door: "up" is none of "left", "right"' in wrong.err
    assert "Traceback" not in wrong.err
    report = covel(*ask, "--data", '{"door": "left"}', "--json")
    assert report.code == 0, report.err
    (execution,) = json.loads(report.out)["executions"]
    assert execution["results"][0]["output"] == {"opened": "left"}
    assert items(covel, session_id) == []
    assert covel("suspensions", "list", session_id).out.strip() == "Nothing waits for an answer."
    again = covel(*ask, "--data", '{"door": "left"}')
    assert (again.code, "was answered before" in again.err) == (1, True)


def test_giving_up(covel: Covel, session_id: str) -> None:
    (item,) = items(covel, session_id)
    gone = covel("suspensions", "discard", session_id, item["id"], "--json")
    assert gone.code == 0, gone.err
    assert json.loads(gone.out)["hasChanged"] is True
    assert items(covel, session_id) == []
    again = covel("suspensions", "discard", session_id, item["id"])
    assert (again.code, "has no suspension" in again.err) == (1, True)


def test_there_must_be_such_a_session(covel: Covel) -> None:
    assert covel("suspensions", "list", "session-none").code == 1
    assert covel("suspensions", "discard", "session-none", "suspension-x").code == 1
