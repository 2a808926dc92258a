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
GATE = """
from plugin_sdk import ChoiceInteraction, FormInteraction
from plugin_sdk.interactions import Choice, FormField, FormValidation
if ctx.logical_turn != 1 or ctx.player_message == "":
    return skipped("Nothing to ask.")
choice = ChoiceInteraction(
    interaction_id="way", prompt="Which way?",
    choices=[Choice(id="up", label="Up"), Choice(id="down", label="Down")],
    narrative_template="I go {{selectedLabel}}.",
)
form = FormInteraction(
    interaction_id="gate", title="The gate", submit_label="Go",
    narrative_template="I say {{word}} to {{whom}}.",
    validation=FormValidation(name="password"),
    fields=[
        FormField(type="text", name="word", label="Word", required=True),
        FormField(type="text", name="whom", label="Whom", default_value="the guard"),
    ],
)
return success(1, effects=Effects(interactions=[choice, form]))
"""
CHECK = """
from plugin_sdk import FormIssue, form_validator, hookimpl

@form_validator("password")
def password(ctx, values, data):
    return None if values["word"] == "foe" else FormIssue("That is not the word.", field="word")

@hookimpl
def register_form_validators():
    return [password]
"""
GATED = {"contributes": {"forms": ["password"]}}
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
    lines = ("Hello.", "", "Wren", "0", "", "Up", "maybe", "y")
    told = play(["It begins.", "They ask.", "You go."], "--plugins", "tale", lines=lines)
    assert told.code == 0, told.err
    # An empty name, an age of 0, and a maybe are asked again at once.
    assert "“Name” must be filled in.\n" in told.out
    assert "“Age” must be at least 1.\n" in told.out
    assert "Type y or n.\n" in told.out
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


def test_what_was_fine_is_not_asked_again(play: Any, home: Path) -> None:
    """Only the field that a package's own check refuses, and what it says."""
    cast(home, "tale", {"told": story(), "ask": function(GATE, schedule=POST)}, **GATED)
    (home / "plugins" / "tale" / "server" / "index.py").write_text(CHECK)
    lines = ("Hello.", "up", "friend", "", "foe", "/quit")
    told = play(["It begins.", "They ask.", "In."], "--plugins", "tale", lines=lines)
    assert told.code == 0, told.err
    assert "That is not the word.\n" in told.err
    session_id = told.err.strip().split()[-1]
    again = play([], session_id)
    assert "> I go Up.\n\nI say foe to the guard.\n" in again.out


SETUP = """
from plugin_sdk import ChoiceInteraction
from plugin_sdk.interactions import Choice
if ctx.player_message:
    return success({"picked": ctx.player_message})
choice = ChoiceInteraction(
    interaction_id="origin", prompt="Where from?", narrative_template="From {{selectedLabel}}.",
    choices=[Choice(id="sea", label="the sea"), Choice(id="hill", label="the hill")],
)
return success(completion="pending", effects=Effects(interactions=[choice]))
"""


def test_the_questions_of_a_setup_come_before_the_opening(
    play: Any, home: Path, covel: Covel
) -> None:
    cast(home, "tale", {"told": story(), "origin": function(SETUP, schedule={"stage": "setup"})})
    begun = play(["Never told."], "--plugins", "tale", lines=())
    assert "Where from?" in begun.out
    session_id = begun.err.strip().split()[-1]
    # Asked again, not begun again: the question is open.
    again = play(["You come from the sea."], session_id, lines=("1", "/status"))
    assert "You come from the sea.\n" in again.out
    assert f"{session_id}: playing, 0 turns played" in again.out
    assert covel("answer", session_id, "--json").json["questions"] == []


def test_the_end_of_the_input_in_a_question_sends_nothing(
    play: Any, home: Path, covel: Covel
) -> None:
    cast(home, "tale", {"told": story(), "ask": function(ASKS, schedule=POST)})
    told = play(["It begins.", "They ask."], "--plugins", "tale", lines=("Hello.", "Wren", ""))
    assert told.code == 0, told.err
    session_id = told.err.strip().split()[-1]
    assert len(covel("answer", session_id, "--json").json["questions"]) == 3


def test_a_refusal_that_no_answer_mends_ends_a_script(play: Any, home: Path) -> None:
    cast(home, "tale", {"told": story(), "ask": function(GATE, schedule=POST)}, **GATED)
    entry = home / "plugins" / "tale" / "server" / "index.py"
    entry.write_text(CHECK.replace("return None", "raise ValueError('secret')"))
    lines = ("Hello.", "up", "foe", "", "This is for the story.")
    told = play(["It begins.", "They ask."], "--plugins", "tale", lines=lines)
    assert told.code == 1
    assert "error: " in told.err
    assert "used up" not in told.err


def test_jobs_are_finished_before_the_game_is_left(play: Any, home: Path, covel: Covel) -> None:
    note = 'await ctx.plugin_data.set("notes", "a", {"turn": ctx.logical_turn})\nreturn success(1)'
    apart = {"schedule": {"stage": "post-turn", "detached": True}}
    own = {"effects": {"writes": ["plugin-data:self:notes"]}}
    cast(home, "tale", {"told": story(), "track": function(note, **apart, **own)})
    told = play(["It begins.", "You wait."], "--plugins", "tale", lines=("I wait.",))
    assert told.code == 0, told.err
    session_id = told.err.strip().split()[-1]
    jobs = covel("jobs", "list", session_id, "--json").json["items"]
    assert {job["state"] for job in jobs} == {"succeeded"}


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

    asker = Asker(ask, shown.append, locale="en")
    return asyncio.run(asker.resume_data(schema, reason="Why?"))


@pytest.mark.parametrize(
    ("form", "lines", "value"),
    [
        ({"type": "string"}, ["  Wren "], "Wren"),
        ({"type": "integer", "minimum": 1}, ["7"], 7),
        ({"type": "number"}, ["1.5"], 1.5),
        ({"type": "number"}, ["many", "2"], 2),
        ({"type": "integer", "minimum": 1}, ["0", "1"], 1),
        ({"type": "array", "items": {"type": "integer"}}, ["1", "[1, 2]"], [1, 2]),
        ({"enum": [1, 2.5, None]}, ["2"], 2.5),
        ({"type": "string", "default": "as ever"}, [""], "as ever"),
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
