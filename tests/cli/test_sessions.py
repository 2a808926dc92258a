"""`covel sessions`: what was committed, and what was kept of what was not."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.support import (
    DONE,
    STORY,
    Called,
    Covel,
    call,
    copy_echo,
    write_package,
    write_script,
)

CASTER = """\
---
description: Casts.
runtime:
  schedule:
    trigger: { type: manual }
  agent:
    tools: { builtin: [sync-characters] }
---
Cast somebody.
"""


@pytest.fixture
def told(covel: Covel, plugins: Path, tmp_path: Path) -> dict[str, Any]:
    """The outcome of one committed run with a message."""
    write_package(plugins, "teller", STORY)
    script = write_script(tmp_path / "told.json", {"text": "The gate\nopens."})
    document: dict[str, Any] = covel(
        "run", "teller", "--model", script, "--message", "Open!", "--json"
    ).json
    return document


@pytest.fixture
def failed(covel: Covel, told: dict[str, Any], tmp_path: Path) -> dict[str, Any]:
    """A failed run in the same session."""
    script = write_script(tmp_path / "failed.json", {"error": {"status": 401}})
    document: dict[str, Any] = covel(
        "run", "teller", "--model", script, "--session", told["sessionId"], "--json"
    ).json
    assert document["committed"] is False
    return document


def show(covel: Covel, session_id: str, *more: str) -> Called:
    return covel("sessions", "show", session_id, *more)


def test_without_a_database_the_list_is_empty_and_none_is_made(covel: Covel, home: Path) -> None:
    assert covel("sessions", "list").out == "There are no sessions yet.\n"
    assert covel("sessions", "list", "--json").json == {"sessions": []}
    assert not home.exists()


def test_list_has_a_line_per_session_last_changed_first(covel: Covel, told: dict[str, Any]) -> None:
    second = covel("run", "teller", "--model", "offline", "--json").json
    lines = covel("sessions", "list").out.splitlines()
    assert [line.split()[0] for line in lines[1:]] == [second["sessionId"], told["sessionId"]]
    one = covel("sessions", "list", "--limit", "1", "--json").json["sessions"]
    assert [session["sessionId"] for session in one] == [second["sessionId"]]


def test_show_has_messages_turns_and_the_trace_of_the_newest(
    covel: Covel, told: dict[str, Any]
) -> None:
    shown = show(covel, told["sessionId"])
    assert shown.code == 0
    assert "1. player (user, " in shown.out
    assert "      The gate\n      opens.\n" in shown.out
    assert "committed as revision 1, manual" in shown.out
    assert "\n    teller: The gate opens.\n" in shown.out
    assert f"Trace of {told['turnId']}" in shown.out
    assert "turn.started" in shown.out
    assert "llm.responded" in shown.out
    assert "messages=[" not in shown.out


def test_a_failed_turn_is_shown_with_its_reason(covel: Covel, failed: dict[str, Any]) -> None:
    shown = show(covel, failed["sessionId"]).out
    assert f"{failed['turnId']}  failed, manual" in shown
    assert failed["error"]["message"].splitlines()[0] in shown


def test_one_turn_alone_can_be_shown(covel: Covel, failed: dict[str, Any]) -> None:
    session_id = failed["sessionId"]
    both = show(covel, session_id, "--json").json["turns"]
    first, second = (turn["turnId"] for turn in both)
    assert second == failed["turnId"]
    assert "trace" not in both[0]
    assert both[1]["trace"]
    one = show(covel, session_id, "--turn", first, "--json").json
    assert [turn["turnId"] for turn in one["turns"]] == [first]
    assert one["turns"][0]["trace"][0]["type"] == "turn.started"
    assert {message["turnId"] for message in one["messages"]} == {first}


def test_tool_calls_are_shown_with_arguments_and_result(covel: Covel, plugins: Path) -> None:
    copy_echo(plugins)
    ran = covel(
        "run", "echo-demo", "--payload", '{"value": "hi"}', "--trust", "echo-demo", "--json"
    ).json
    shown = show(covel, ran["sessionId"], "--json").json["turns"][0]["toolCalls"]
    assert [(found["name"], found["status"]) for found in shown] == [
        ("echo-value", "completed"),
        ("runtime-done", "completed"),
    ]
    assert shown[0]["arguments"] == {"value": "hi"}
    text = show(covel, ran["sessionId"]).out
    assert 'echo-value {"value":"hi"}' in text
    assert "completed in " in text


def test_plain_text_never_wraps(covel: Covel, plugins: Path, tmp_path: Path) -> None:
    copy_echo(plugins)
    script = write_script(
        tmp_path / "r.json", call("echo-value", {"value": "x" * 80}), call("runtime-done")
    )
    ran = covel("run", "echo-demo", "--model", script, "--trust", "echo-demo", "--json").json
    shown = show(covel, ran["sessionId"]).out
    assert "\x1b[" not in shown
    line = next(line for line in shown.splitlines() if "llm.responded" in line)
    assert "text=" in line
    assert "usage={" in line


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(("session-0",), "session-not-found"), (("{id}", "--turn", "turn-0"), "turn-not-found")],
)
def test_what_is_not_there_is_an_error(
    covel: Covel, told: dict[str, Any], arguments: tuple[str, ...], code: str
) -> None:
    filled = [argument.format(id=told["sessionId"]) for argument in arguments]
    refused = covel("sessions", "show", *filled, "--json")
    assert refused.code == 1
    assert refused.json["error"]["code"] == code


def test_a_file_that_is_no_database_is_named(covel: Covel, home: Path) -> None:
    home.mkdir()
    (home / "covel.db").write_bytes(b"not a database, but long enough to be looked at" * 50)
    refused = covel("sessions", "list")
    assert refused.code == 1
    assert "covel.db" in refused.err


def test_reading_changes_no_file(covel: Covel, told: dict[str, Any], home: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in home.glob("covel.db")}
    show(covel, told["sessionId"])
    assert {path: path.stat().st_mtime_ns for path in home.glob("covel.db")} == before


def test_a_limit_out_of_range_is_wrong_usage(covel: Covel) -> None:
    assert covel("sessions", "list", "--limit", "0").code == 2


def test_the_json_is_one_line_for_pipes(covel: Covel, told: dict[str, Any]) -> None:
    (line,) = show(covel, told["sessionId"], "--json").out.splitlines()
    assert json.loads(line)["session"]["completedPlayerTurns"] == 0


def test_show_tells_who_plays_whom(covel: Covel, plugins: Path, tmp_path: Path) -> None:
    write_package(plugins, "caster", CASTER)
    ada = {"creates": [{"name": "Ada", "type": "player"}]}
    script = write_script(tmp_path / "cast.json", call("sync-characters", ada), DONE)
    session_id = covel("run", "caster", "--model", script, "--json").json["sessionId"]
    assert "  seats: seat-1 plays player-ada\n" in show(covel, session_id).out
    assert show(covel, session_id, "--json").json["seats"] == [
        {"id": "seat-1", "label": "Seat 1", "characterId": "player-ada"}
    ]


def test_a_new_session_tells_which_packages_it_begins_with(covel: Covel, plugins: Path) -> None:
    copy_echo(plugins, "clock")
    manifest = plugins / "clock" / "PLUGIN.md"
    manifest.write_text(manifest.read_text("utf-8").replace("---\n", "---\nkind: core\n", 1))
    copy_echo(plugins)
    told = covel("sessions", "new", "--with", "echo-demo", "--json").json
    assert told["activePackages"] == ["echo-demo", "clock"]
    assert covel("sessions", "new").out.endswith("\n  packages: clock\n")
