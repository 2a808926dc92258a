"""`covel rpc`: actions and player commands, what is printed, exit codes."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.support import Covel
from tests.support.actions import write_satchel

CODE = """
class Item(BaseModel):
    item: str

@action("put")
async def put(ctx: ActionContext, payload: Item) -> object:
    await ctx.store.set_plugin_data("notes", payload.item, 1)
    print("printed by the package")
    return {"kept": payload.item}

@action("break")
async def break_it(ctx: ActionContext) -> object:
    await ctx.store.set_plugin_data("notes", "glass", 1)
    raise ValueError("broken")

@action("say")
async def say(ctx: ActionContext, payload: dict[str, object]) -> object:
    return {"message": f"You say {payload['words']}.", "data": list(ctx.environment)}
"""

SAY = {
    "name": "say",
    "aliases": ["s"],
    "description": "Say something.",
    "action": "say",
    "arguments": [
        {"name": "words", "required": True},
        {"name": "times", "type": "integer"},
    ],
    "context": ["session"],
}
TRUST = ("--trust", "satchel")


@pytest.fixture
def satchel(home: Path, plugins: Path) -> Path:
    return write_satchel(
        home, CODE, contributes={"actions": ["put", "break", "say"], "commands": [SAY]}
    )


def begun(covel: Covel) -> str:
    """A session that the package is active in."""
    called = covel(
        "rpc", "new", "satchel", "put", "--payload", '{"item": "lamp"}', *TRUST, "--json"
    )
    assert called.code == 0, called.err
    session_id: str = called.json["sessionId"]
    return session_id


def test_an_action_answers_on_standard_output_and_says_what_was_committed(
    covel: Covel, satchel: Path
) -> None:
    called = covel("rpc", "new", "satchel", "put", "--payload", '{"item": "lamp"}', *TRUST)
    assert (called.code, called.out) == (0, '{"kept":"lamp"}\n')
    assert "Committed 1 write: revision 1. Session session-" in called.err
    assert "trusted by --trust" in called.err


def test_the_json_of_an_action_is_the_documented_shape(covel: Covel, satchel: Path) -> None:
    session_id = begun(covel)
    called = covel(
        "rpc", session_id, "satchel", "put", "--payload", '{"item": "key"}', *TRUST, "--json"
    )
    document = called.json
    assert called.code == 0
    assert document | {"invocationId": "", "durationMs": 0} == {
        "status": "ok", "sessionId": session_id, "pluginId": "satchel", "action": "put",
        "invocationId": "", "writes": 1, "revision": 2, "durationMs": 0,
        "result": {"kept": "key"},
    }  # fmt: skip


def test_a_failed_action_keeps_its_writes_and_exits_with_1(covel: Covel, satchel: Path) -> None:
    session_id = begun(covel)
    called = covel("rpc", session_id, "satchel", "break", *TRUST)
    assert (called.code, called.out) == (1, "")
    assert "error: The action 'break' of 'satchel' failed: ValueError: broken (internal)" in (
        called.err
    )
    assert "Committed 1 write: revision 2." in called.err
    assert "Traceback" not in called.err
    document = covel("rpc", session_id, "satchel", "break", *TRUST, "--json").json
    assert (document["status"], document["error"]["code"]) == ("failed", "internal")


def test_a_payload_comes_from_a_file_or_from_standard_input(
    covel: Covel, satchel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session_id = begun(covel)
    Path("payload.json").write_text('{"item": "from a file"}')
    call = ("rpc", session_id, "satchel", "put", *TRUST, "--payload")
    assert covel(*call, "@payload.json").out == '{"kept":"from a file"}\n'
    monkeypatch.setattr(sys, "stdin", io.StringIO('{"item": "from a pipe"}'))
    assert covel(*call, "-").out == '{"kept":"from a pipe"}\n'
    missing = covel(*call, "@none.json")
    assert (missing.code, missing.err.splitlines()[0]) == (
        1,
        "error: --payload cannot be read from 'none.json': No such file or directory.",
    )


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("SESSION", "satchel", "putt"), "unknown-action"),
        (("SESSION", "satchel", "put"), "payload-invalid"),
        (("SESSION", "satchel", "framework-x"), "action-reserved"),
        (("SESSION", "none", "put"), "package-not-found"),
        (("session-none", "satchel", "put"), "session-not-found"),
        (("SESSION", "satchel", "put", "--payload", "{"), "payload-not-json"),
    ],
)
def test_what_cannot_run_exits_with_1_and_a_code(
    covel: Covel, satchel: Path, arguments: tuple[str, ...], code: str
) -> None:
    session_id = begun(covel)
    wanted = [session_id if each == "SESSION" else each for each in arguments]
    called = covel("rpc", *wanted, *TRUST, "--json")
    assert (called.code, called.json["error"]["code"]) == (1, code)


def test_a_new_session_is_not_made_for_what_cannot_run(covel: Covel, satchel: Path) -> None:
    assert covel("rpc", "new", "satchel", "putt", *TRUST).code == 1
    assert covel("rpc", "new", "satchel", "put").code == 1
    assert covel("sessions", "list", "--json").json == {"sessions": []}


def test_an_action_is_missing_is_wrong_usage(covel: Covel, satchel: Path) -> None:
    called = covel("rpc", "new", "satchel", *TRUST)
    assert called.code == 2
    assert "An ACTION is missing." in called.err


def test_a_command_in_two_arguments_is_shown_as_one(covel: Covel, satchel: Path) -> None:
    called = covel("rpc", begun(covel), "/help", "say", *TRUST)
    assert called.code == 2
    assert "'/help say'" in called.err


def test_the_session_shows_what_was_called(covel: Covel, satchel: Path) -> None:
    session_id = begun(covel)
    covel("rpc", session_id, "satchel", "break", *TRUST)
    shown = covel("sessions", "show", session_id)
    assert "Calls and answers\n  1. rpc-call satchel: put {" in shown.out
    assert "ValueError: broken (internal)" in shown.out
    first, second = covel("sessions", "show", session_id, "--json").json["inputs"]
    assert (first["outcome"], first["payload"], first["result"]) == (
        "completed",
        {"item": "lamp"},
        {"kept": "lamp"},
    )
    assert (second["outcome"], second["error"]["code"]) == ("failed", "internal")


# --- player commands ---------------------------------------------------------------------------


def test_a_command_prints_the_message_of_its_answer(covel: Covel, satchel: Path) -> None:
    session_id = begun(covel)
    called = covel("rpc", session_id, '/s "good morning"', *TRUST)
    assert (called.code, called.out) == (0, "You say good morning.\n")
    assert "It wrote nothing." in called.err


def test_the_json_of_a_command_has_its_arguments_and_environment(
    covel: Covel, satchel: Path
) -> None:
    session_id = begun(covel)
    document: Any = covel("rpc", session_id, "/say hi 2", *TRUST, "--json").json
    assert (document["commandId"], document["canonical"]) == ("satchel/say", "/say hi 2")
    assert document["args"] == {"words": "hi", "times": 2}
    assert document["result"]["data"] == ["capturedAt", "session"]
    assert document["environment"]["session"]["id"] == session_id
    named = covel("rpc", session_id, "/say", "--payload", '{"words": "hi"}', *TRUST, "--json").json
    assert named["args"] == {"words": "hi"}


def test_a_wrong_argument_is_underlined(covel: Covel, satchel: Path) -> None:
    session_id = begun(covel)
    called = covel("rpc", session_id, "/say 早安 twice", *TRUST)
    assert called.code == 1
    shown = called.err[called.err.index("  /say") :]
    assert shown == (
        "  /say 早安 twice\n"
        "            ^^^^^\n"
        "error: 'times' is 'twice'; expected a whole number.\n"
    )
    error = covel("rpc", session_id, "/say 早安 twice", *TRUST, "--json").json["error"]
    assert error == {
        "code": "command-argument",
        "message": "'times' is 'twice'; expected a whole number.",
        "line": "/say 早安 twice",
        "start": 8,
        "end": 13,
        "argument": "times",
    }


def test_help_lists_the_commands_of_the_session(covel: Covel, satchel: Path) -> None:
    session_id = begun(covel)
    called = covel("rpc", session_id, "/help", *TRUST)
    assert called.out.splitlines()[0] == "/say <words> [times]  Say something."
    assert "Also: /s" in covel("rpc", session_id, "/help say", *TRUST).out
    assert json.loads(covel("rpc", session_id, "/help", *TRUST, "--json").out)["help"]


def test_a_command_needs_a_session_that_is_there(covel: Covel, satchel: Path) -> None:
    assert covel("rpc", "new", "/say hi", *TRUST, "--json").json["error"]["code"] == (
        "session-not-found"
    )
    assert covel("rpc", begun(covel), "/say", "--payload", "[]", *TRUST).code == 2
