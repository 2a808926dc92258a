"""`covel trace`: what happened in a turn, what it took, and the exact prompts."""

from pathlib import Path
from typing import Any

import pytest

from tests.cli.support import STORY, Covel, call, copy_echo, write_package, write_script


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "packages"
    made.mkdir()
    return made


def run_echo(covel: Covel, folder: Path, tmp_path: Path) -> str:
    """A session in which `echo-demo` ran once; its ID."""
    package = copy_echo(folder)
    usage = {"inputTokens": 120, "outputTokens": 30}
    script = write_script(
        tmp_path / "script.json",
        {**call("echo-value", {"value": "lamp"}), "usage": usage},
        {**call("runtime-done"), "usage": usage},
    )
    ran = covel("run", str(package), "--trust", "echo-demo", "--model", script, "--json")
    assert ran.code == 0, ran.err
    session_id: str = ran.json["sessionId"]
    return session_id


def test_a_turn_is_a_tree_with_its_totals(covel: Covel, folder: Path, tmp_path: Path) -> None:
    session_id = run_echo(covel, folder, tmp_path)
    called = covel("trace", session_id)
    assert called.code == 0
    head, runtime, *steps, total = called.out.splitlines()
    assert f"turn 1 of {session_id}: committed as revision 1, manual" in head
    assert runtime.startswith("  echo-demo: completed")
    kinds = [line.split()[0] for line in steps]
    assert kinds == ["#1", "tool", "#2", "tool"]
    assert '{"value":"lamp"}' in steps[1]
    assert "120 in, 30 out" in steps[0]
    assert total.startswith("Total: 2 model calls: 240 tokens in, 60 out")
    assert total.endswith("2 tool calls")


def test_json_has_steps_in_steps_and_numbers(covel: Covel, folder: Path, tmp_path: Path) -> None:
    session_id = run_echo(covel, folder, tmp_path)
    document = covel("trace", session_id, "1", "--json").json
    assert document["turn"]["commitStatus"] == "committed"
    assert document["totals"]["inputTokens"] == 240
    assert document["totals"]["isCostComplete"] is False
    [run] = document["steps"]
    assert run["data"]["runtimeId"] == "echo-demo"
    models = [step["number"] for step in run["steps"] if step["kind"] == "model"]
    assert models == [1, 2]


def test_a_prompt_is_shown_as_it_was_sent(covel: Covel, folder: Path, tmp_path: Path) -> None:
    session_id = run_echo(covel, folder, tmp_path)
    first = covel("trace", session_id, "--prompt", "1", "--json").json
    second = covel("trace", session_id, "--prompt", "2", "--json").json
    assert first["messages"] == second["messages"][: len(first["messages"])]
    asked, answered = second["messages"][-2:]
    assert asked["toolCalls"][0]["name"] == "echo-value"
    assert answered["role"] == "tool"
    assert "lamp" in answered["content"]
    assert {tool["name"] for tool in first["tools"]} >= {"echo-value", "runtime-done"}
    assert first["tools"][0]["jsonSchema"]["type"] == "object"
    text = covel("trace", session_id, "--prompt", "2").out
    assert text.startswith("=== system\n")
    assert "=== tool echo-value\n" in text


def test_each_part_of_a_prompt_has_its_cost(covel: Covel, folder: Path, tmp_path: Path) -> None:
    session_id = run_echo(covel, folder, tmp_path)
    told = covel("trace", session_id, "--prompt", "2", "--json").json["tokens"]
    parts = {part["name"]: part["tokens"] for part in told["parts"]}
    assert list(parts) == [
        "system: framework",
        "system: body",
        "system: framing, rounding",
        "turn context: activation",
        "turn context: framing, rounding",
        "player input",
        "this run so far",
        "tool echo-value",
        "tool runtime-done",
    ]
    assert told["parts"][6]["messages"] == 2
    assert sum(parts.values()) == told["estimated"]
    assert (told["reported"], told["difference"]) == (120, 120 - told["estimated"])
    assert parts["system: body"] > parts["turn context: activation"] > 0
    lines = covel("trace", session_id, "--prompt", "2").out.split("=== tokens\n")[1].splitlines()
    assert lines[0].split() == ["PART", "TOKENS"]
    assert lines[-2].split()[-1] == f"{told['estimated']:,}"
    assert lines[-1].split()[3:] == ["120", f"({120 - told['estimated']:+,})"]


def test_a_call_is_shown_with_its_reply(covel: Covel, folder: Path, tmp_path: Path) -> None:
    session_id = run_echo(covel, folder, tmp_path)
    text = covel("trace", session_id, "last", "--call", "1").out
    assert "attempt: 1" in text
    assert "outline:" not in text
    assert 'call echo-value {"value": "lamp"}' in text or 'call echo-value {"value":"lamp"}' in text
    assert covel("trace", session_id, "last", "--call", "2", "--json").json["number"] == 2


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("7",), "turn-not-found"),
        (("turn-x",), "turn-not-found"),
        (("9" * 40,), "turn-not-found"),
        (("last", "--prompt", "9"), "call-not-found"),
        (("last", "--call", "9"), "call-not-found"),
    ],
)
def test_what_is_not_there_is_named(
    covel: Covel, folder: Path, tmp_path: Path, arguments: tuple[str, ...], code: str
) -> None:
    session_id = run_echo(covel, folder, tmp_path)
    called = covel("trace", session_id, *arguments, "--json")
    assert called.code == 1
    assert called.json["error"]["code"] == code


def test_the_session_that_changed_last_needs_no_id(
    covel: Covel, folder: Path, tmp_path: Path
) -> None:
    assert covel("trace", "last", "--json").json["error"]["code"] == "session-not-found"
    covel("sessions", "new")
    session_id = run_echo(covel, folder, tmp_path)
    assert covel("trace", "last", "--json").json == covel("trace", session_id, "--json").json


def test_an_unknown_session_and_two_wishes_at_once_are_errors(covel: Covel) -> None:
    assert covel("trace", "session-x", "--json").json["error"]["code"] == "session-not-found"
    assert covel("trace", "session-x", "--call", "1", "--prompt", "1").code == 2


def test_a_failed_turn_has_its_trace(covel: Covel, folder: Path, tmp_path: Path) -> None:
    package = write_package(folder, "tale", STORY)
    script = write_script(tmp_path / "script.json", {"error": {"status": 400}})
    ran = covel("run", str(package), "--model", script, "--json")
    assert ran.code == 1
    text = covel("trace", ran.json["sessionId"]).out
    assert ": failed, manual" in text
    assert "1 model call" in text
    assert "failure" in text


def test_a_growing_history_is_kept_once(covel: Covel, folder: Path, tmp_path: Path) -> None:
    package = write_package(folder, "tale", STORY)
    line = "It rained. " * 40
    script = write_script(tmp_path / "script.json", {"text": line})
    first = covel("run", str(package), "--model", script, "--json")
    assert first.code == 0, first.err
    session_id = first.json["sessionId"]
    for _ in range(5):
        more = covel("run", str(package), "--session", session_id, "--model", script, "--json")
        assert more.code == 0, more.err
    parts = _parts(tmp_path)
    assert sum(line.strip() in part for part in parts) == 1


def _parts(tmp_path: Path) -> list[Any]:
    import os
    import sqlite3
    from contextlib import closing

    home = Path(os.environ["COVEL_HOME"])
    with closing(sqlite3.connect(home / "covel.db")) as database:
        return [row[0] for row in database.execute("SELECT content FROM prompt_parts")]
