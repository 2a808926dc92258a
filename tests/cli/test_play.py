"""`covel play` without a terminal: lines are played one after the other."""

import asyncio
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from covel_host.cli.play_questions import AskedLater, Asker
from tests.cli.support import Called, Covel
from tests.support.casts import cast, function, story

ASKS = """
from plugin_sdk import ChoiceInteraction, ConfirmationInteraction, FormInteraction
from plugin_sdk.interactions import Choice, FormField
if ctx.logical_turn != 1 or ctx.player_message == "":
    return skipped("Nothing to ask.")
form = FormInteraction(
    interaction_id="sheet", title="Who?", submit_label="Go",
    narrative_template="I am {{name}}, {{age}}.",
    fields=[
        FormField(type="text", name="name", label="Name", required=True),
        FormField(type="number", name="age", label="Age", min=1, default_value=20),
    ],
)
choice = ChoiceInteraction(
    interaction_id="way", prompt="Which \\u001b[31mway?",
    choices=[Choice(id="up", label="Up"), Choice(id="down", label="Down")],
    narrative_template="I go {{selectedLabel}}.",
)
sure = ConfirmationInteraction(
    interaction_id="sure", prompt="Sure?", narrative_template="Sure: {{confirmed}}."
)
return success(1, effects=Effects(interactions=[form, choice, sure]))
"""
WAITS = """
if ctx.resumed_from_suspension_id is not None:
    return success(ctx.resume_data)
if ctx.logical_turn != 1 or ctx.player_message == "":
    return skipped("No.")
return suspended("Wait here.", {"type": "object", "properties": {"why": {"type": "string"}}})
"""
POST = {"stage": "post-turn"}


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    def typed(*lines: str) -> None:
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))

    return iter((typed,))


@pytest.fixture
def play(covel: Covel, home: Path, monkeypatch: pytest.MonkeyPatch, stdin: Any) -> Any:
    typed = next(stdin)
    monkeypatch.setenv("COVEL_TRUST", "tale")

    def played(replies: list[str], *arguments: str, lines: tuple[str, ...] = ()) -> Called:
        script = home / "replies.yaml"
        script.write_text(json.dumps([{"text": text} for text in replies]))
        typed(*lines)
        return covel("play", *arguments, "--model", f"scripted:{script}")

    return played


def test_a_game_is_begun_left_and_gone_on_with(play: Any, home: Path, covel: Covel) -> None:
    cast(home, "tale", {"told": story()})
    begun = play(["It begins.", "You look."], "--plugins", "tale", lines=("I look.", "/quit"))
    assert begun.code == 0, begun.err
    assert begun.out == "It begins.\nYou look.\n"
    session_id = begun.err.strip().split()[-1]
    again = play(["You wait."], session_id, lines=("", "I wait."))
    assert again.code == 0, again.err
    assert again.out == "It begins.\n\n> I look.\n\nYou look.\nYou wait.\n"
    last = play([], "--last", lines=())
    assert last.out.endswith("> I wait.\n\nYou wait.\n")


def test_questions_are_answered_in_place(play: Any, home: Path) -> None:
    cast(home, "tale", {"told": story(), "ask": function(ASKS, schedule=POST)})
    lines = ("Hello.", "", "300", "2", "y", "Wren", "0", "Up", "n", "Wren", "", "1", "y")
    told = play(["It begins.", "They ask.", "You go."], "--plugins", "tale", lines=lines)
    assert told.code == 0, told.err
    # An empty name, and an age of 0, are refused by the host, and all is asked again.
    assert "name:" in told.err
    assert "age:" in told.err
    assert told.out.endswith("You go.\n")
    assert "\x1b" not in told.out
    session_id = told.err.strip().split()[-1]
    again = play([], session_id)
    assert "> I am Wren, 20.\n\nI go Up.\n\nSure: Confirm." in again.out


def test_a_question_can_wait(play: Any, home: Path, covel: Covel) -> None:
    cast(home, "tale", {"told": story(), "ask": function(ASKS, schedule=POST)})
    lines = ("Hello.", ".", ".", ".", "/questions", ".", "2", ".", "/quit")
    told = play(["It begins.", "They ask.", "Down you go."], "--plugins", "tale", lines=lines)
    assert told.out.endswith("Down you go.\n"), told.err
    session_id = told.err.strip().split()[-1]
    left = covel("answer", session_id, "--json").json["questions"]
    assert [one["interactionId"] for one in left] == ["sheet", "sure"]


def test_a_run_that_waits_is_answered_in_place(play: Any, home: Path, covel: Covel) -> None:
    cast(home, "tale", {"told": story(), "wait": function(WAITS, schedule=POST)})
    lines = ("Hello.", "because", "/quit")
    told = play(["It begins.", "They stop you."], "--plugins", "tale", lines=lines)
    assert told.code == 0, told.err
    assert "Wait here." in told.out
    session_id = told.err.strip().split()[-1]
    assert covel("suspensions", "list", session_id, "--json").json["items"] == []


def test_what_goes_wrong_is_said_and_the_game_goes_on(play: Any, home: Path) -> None:
    cast(home, "tale", {"told": story()})
    told = play(["It begins.", "Now."], "--plugins", "tale", lines=("/odd", "Go on.", "And?"))
    assert told.code == 0
    assert told.out == "It begins.\nNow.\n"
    assert "no command 'odd'" in told.err
    # The script of replies is used up.
    assert "Nothing of the turn was committed." in told.err
    assert "Traceback" not in told.err


def test_options_that_do_not_go_together(covel: Covel) -> None:
    assert covel("play", "session-x", "--last").code == 2
    assert covel("play", "session-x", "--plugins", "tale").code == 2
    none = covel("play", "--last")
    assert (none.code, "no session" in none.err.lower()) == (1, True)
    assert covel("play", "session-x").code == 1


# --- asking -----------------------------------------------------------------------------------


def asked(schema: dict[str, Any], *lines: str) -> Any:
    given, shown = list(lines), list[str]()

    async def ask(prompt: str) -> str | None:
        return given.pop(0) if given else None

    return asyncio.run(Asker(ask, shown.append).resume_data(schema))


@pytest.mark.parametrize(
    ("form", "lines", "value"),
    [
        ({"type": "string"}, ["  Wren "], "Wren"),
        ({"type": "integer", "minimum": 1}, ["7"], 7),
        ({"type": "number"}, ["1.5"], 1.5),
        ({"type": "number"}, ["many"], "many"),
        ({"enum": ["a", "b"]}, ["9", "2"], "b"),
        ({"enum": ["a", "b"]}, ["a"], "a"),
        ({"type": "boolean"}, ["maybe", "是"], True),
        ({"type": "boolean", "default": False}, [""], False),
    ],
)
def test_members_of_a_schema_are_asked_as_fields(
    form: dict[str, Any], lines: list[str], value: Any
) -> None:
    assert asked({"type": "object", "properties": {"x": form}}, *lines) == {"x": value}


def test_a_schema_without_members_takes_json_or_text() -> None:
    assert asked({}, '{"a": [1]}') == {"a": [1]}
    assert asked({}, "just so") == "just so"


def test_the_end_of_the_input_leaves_the_question() -> None:
    with pytest.raises(AskedLater):
        asked({"properties": {"x": {}, "y": {}}}, "one")
