"""`covel play` at a pseudo-terminal: what is on the screen while a player types."""

import json
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from scripts.typist import Typist
from tests.cli.support import ROOT, SCRIPT, Covel
from tests.support.actions import write_satchel
from tests.support.casts import cast, function, story

ABORTS, ENDS = "\x03", "\x04"
POST = {"stage": "post-turn"}
HOLD = {"name": "hold", "arguments": {}}
FORM = """
from plugin_sdk import FormInteraction
from plugin_sdk.interactions import FormField
if ctx.logical_turn != 1 or ctx.player_message == "":
    return skipped("Nothing to ask.")
field = FormField(type="text", name="name", label="姓名", required=True)
form = FormInteraction(
    interaction_id="who", title="你是谁？\\u001b[2J", submit_label="好",
    narrative_template="我是{{name}}。", fields=[field],
)
return success(1, effects=Effects(interactions=[form]))
"""
HOLDS = '''
import pathlib
from plugin_sdk import tool

@tool
async def hold() -> str:
    """Hold the story."""
    while not pathlib.Path("go").exists():
        await asyncio.sleep(0.01)
    return "held"

@action("roll")
async def roll(ctx: ActionContext, payload: dict[str, object]) -> object:
    return {"message": f"{payload['dice']}\\u001b[2J: 7"}
'''
ROLL = {
    "name": "roll",
    "description": "Roll dice.",
    "action": "roll",
    "arguments": [{"name": "dice", "required": True}],
}
WAITS = """
import pathlib
while not pathlib.Path("go").exists():
    await asyncio.sleep(0.01)
return success(1)
"""
SUSPENDS = """
if ctx.resumed_from_suspension_id is not None:
    return success(ctx.resume_data)
if ctx.logical_turn != 1 or ctx.player_message == "":
    return skipped("No.")
why = {"type": "integer", "minimum": 1, "title": "Pay"}
return suspended("The gate.", {"type": "object", "properties": {"pay": why}, "required": ["pay"]})
"""


def write_tale(home: Path) -> None:
    """A story with a tool that holds it up until a file is there, and a command."""
    write_satchel(
        home,
        HOLDS,
        name="tale",
        contributes={"tools": ["hold"], "actions": ["roll"], "commands": [ROLL]},
        runtime={
            "schedule": {"stage": "narrative"},
            "io": {"visibility": "story"},
            "agent": {"tools": {"plugin": ["hold"]}},
        },
    )


@pytest.fixture
def play(home: Path) -> Iterator[Callable[..., Typist]]:
    with ExitStack() as games:

        def begin(
            *arguments: str, replies: list[dict[str, Any]] | None = None, term: str = "xterm"
        ) -> Typist:
            model: tuple[str, ...] = ()
            if replies is not None:
                script = home / "replies.yaml"
                script.write_text(json.dumps(replies))
                model = ("--model", f"scripted:{script}")
            environ = {
                "COVEL_HOME": str(home),
                "COVEL_TRUST": "tale",
                "COVEL_LOCALE": "en",
                "TERM": term,
            }
            return games.enter_context(
                Typist(SCRIPT, ["play", *arguments, *model], environ=environ)
            )

        yield begin


def said(text: str, **more: Any) -> dict[str, Any]:
    return {"text": text, **more}


def test_a_line_is_edited_and_fetched_back(play: Callable[..., Typist], home: Path) -> None:
    cast(home, "tale", {"told": story()})
    game = play("--plugins", "tale", replies=[said("It begins."), said("好。"), said("Again.")])
    game.wait("> ")
    assert not game.is_plain()
    game.press("我看看钟楼表")
    game.wait("> 我看看钟楼表")
    # The shell has had the terminal meanwhile.
    game.signal(signal.SIGCONT)
    game.wait("> 我看看钟楼表")
    game.press("\x7f\x7f\x01")
    game.wait("> ")
    assert game.screen.text.endswith("> 我看看钟")
    game.type("")
    game.wait("> ")
    game.press("\x1b[A")
    game.wait("> 我看看钟")
    game.type("！")
    game.wait("> ")
    game.press(ENDS)
    assert game.ended() == 0
    told = "It begins.\n\n> 我看看钟\n\n好。\n\n> 我看看钟！\n\nAgain.\n\nTo go on: covel play"
    assert told in game.screen.text
    assert game.is_plain()


def test_what_runs_stands_below_and_an_abort_takes_it_back(
    play: Callable[..., Typist], home: Path
) -> None:
    cast(home, "tale", {"told": story()})
    slow = said("This is never told.", delayMs=100_000)
    game = play("--plugins", "tale", replies=[said("It begins."), slow, said("You wait.")])
    game.wait("> ")
    game.type("I run.")
    game.wait("… narrative: tale/told asks the model")
    game.press(ABORTS)
    assert "I run.\n\nAborted: nothing was committed.\n\n>" in game.wait("> ")
    game.type("I wait.")
    assert "asks the model" not in game.wait("> ")
    # What is typed is dropped before the game is left.
    game.press("never")
    game.wait("> never")
    game.press(ABORTS)
    game.wait("> ")
    game.press(ABORTS)
    assert game.ended() == 0
    assert "never" not in game.screen.text
    assert game.is_plain()


def test_a_game_that_is_ended_by_force_at_the_prompt_can_be_gone_on_with(
    play: Callable[..., Typist], home: Path
) -> None:
    cast(home, "tale", {"told": story(), "ask": function(FORM, schedule=POST)})
    game = play("--plugins", "tale", replies=[said("It begins."), said("They ask.")])
    game.wait("> ")
    game.type("Hello.")
    game.wait("姓名*: ")
    game.signal(signal.SIGKILL)
    game.ended()
    again = play("--last", replies=[said("You go.")])
    again.wait("姓名*: ")
    again.type("")
    again.wait_shown("must be filled in.")
    again.wait("姓名*: ")
    again.type("阿丽")
    shown = again.wait("> ")
    assert "“姓名” must be filled in.\n姓名*: 阿丽\n\nYou go.\n\n>" in shown
    assert "你是谁？" in shown
    assert "\x1b[2J" not in again.seen
    again.type("/quit")
    assert again.ended() == 0


def test_a_line_that_is_typed_while_a_story_is_told_is_added_to_it(
    play: Callable[..., Typist], home: Path
) -> None:
    write_tale(home)
    replies = [said("It begins."), said("You look. ", calls=[HOLD]), said("It rains, as you said.")]
    game = play("--plugins", "tale", replies=replies)
    game.wait("> ")
    game.type("I look up.")
    game.wait_shown("You look.")
    game.press("And it rains")
    game.wait("+ And it rains")
    game.type(".")
    game.wait_shown("+ And it rains.\n")
    Path("go").touch()
    game.wait("> ")
    assert "+ And it rains.\nIt rains, as you said.\n\n>" in game.screen.text
    game.type("/quit")
    assert game.ended() == 0
    again = play("--last", replies=[])
    assert "> And it rains." in again.wait("> ")


def test_a_line_typed_too_early_is_said_next_and_answers_no_question(
    play: Callable[..., Typist], home: Path
) -> None:
    cast(
        home,
        "tale",
        {
            "told": story(),
            "ask": function(FORM, schedule=POST),
            "wait": function(WAITS, schedule={"stage": "audit"}),
        },
    )
    game = play("--plugins", "tale", replies=[said("A."), said("They ask."), said("C.")])
    game.wait_shown("A.")
    Path("go").touch()
    game.wait("> ")
    Path("go").unlink()
    game.type("Hello.")
    game.wait_shown("They ask.")
    game.type("/status")
    game.wait_shown("+ /status\n")
    Path("go").touch()
    game.wait("姓名*: ")
    game.type("阿丽")
    shown = game.wait("> ")
    assert "> /status\nsession-" in shown
    assert "playing, 2 turns played" in shown


def test_commands_and_help_stand_beside_the_story(play: Callable[..., Typist], home: Path) -> None:
    write_tale(home)
    game = play("--plugins", "tale", replies=[said("It begins.")])
    game.wait("> ")
    game.type("/help")
    shown = game.wait("> ")
    assert "/roll" in shown
    assert "/questions  ask again" in shown
    game.type("/roll 2d6")
    assert "2d6\N{REPLACEMENT CHARACTER}[2J: 7\n" in game.wait("> ")
    game.type("/questions")
    assert "No question is open." in game.wait("> ")
    game.type("/nothing")
    assert "error: " in game.wait("> ")
    game.type("/quit")
    assert game.ended() == 0
    assert "\x1b[2J" not in game.seen


def test_a_run_that_waits_goes_on_in_another_process(
    play: Callable[..., Typist], home: Path
) -> None:
    cast(home, "tale", {"told": story(), "gate": function(SUSPENDS, schedule=POST)})
    game = play("--plugins", "tale", replies=[said("It begins."), said("They stop you.")])
    game.wait("> ")
    game.type("Hello.")
    game.wait("Pay*: ")
    game.type(".")
    game.wait("> ")
    game.type("/status")
    assert "  1 suspended run\n" in game.wait("> ")
    game.press(ENDS)
    assert game.ended() == 0
    again = play("--last", replies=[])
    again.wait("Pay*: ")
    again.type("0")
    again.wait("Pay*: ")
    again.type("2")
    shown = again.wait("> ")
    assert "The gate. (. leaves it for later)\nPay*: 0\n" in shown
    again.type("/status")
    assert "suspended" not in again.wait("> ").partition("/status")[2]


def test_a_terminal_that_cannot_be_steered_edits_the_line_itself(
    play: Callable[..., Typist], home: Path
) -> None:
    cast(home, "tale", {"told": story()})
    replies = [said("It begins."), said("You look.")]
    game = play("--plugins", "tale", replies=replies, term="dumb")
    game.wait("> ")
    assert game.is_plain()
    game.type("I look.")
    game.wait("> ")
    game.press(ENDS)
    assert game.ended() == 0
    assert "It begins.\n> I look.\nYou look.\n>" in game.screen.text
    assert "\x1b" not in game.seen


def test_jobs_that_are_left_when_the_game_is_left_wait(
    play: Callable[..., Typist], home: Path, covel: Covel
) -> None:
    apart = {"schedule": {"stage": "post-turn", "detached": True}}
    cast(home, "tale", {"told": story(), "track": function(WAITS, effects={"writes": []}, **apart)})
    replies = [said("It begins."), said("One."), said("Two.")]
    game = play("--plugins", "tale", replies=replies)
    for _ in range(2):
        game.wait("> ")
        game.type("I wait.")
    game.wait("> ")
    game.type("/quit")
    game.wait_shown("leaves the rest.")
    game.press(ABORTS)
    assert game.ended() == 0
    session_id = game.screen.text.split()[-1]
    states = [one["state"] for one in covel("jobs", "list", session_id, "--json").json["items"]]
    assert sorted(states) == ["cancelled", "queued", "queued"]
    assert "Traceback" not in game.screen.text


def test_leave_is_asked_for_at_the_terminal(play: Callable[..., Typist], home: Path) -> None:
    cast(home, "own", {"told": story(), "more": function("return success(1)", schedule=POST)})
    game = play("--plugins", "own", replies=[said("It begins.")])
    game.wait("[y/N]: ")
    game.type("y")
    assert "It begins." in game.wait("> ")
    game.press(ENDS)
    assert game.ended() == 0


def test_the_worlds_of_the_house_are_played_offline(play: Callable[..., Typist]) -> None:
    for world in sorted((ROOT / "templates" / "worlds").iterdir()):
        game = play("--world", str(world), "--locale", "zh")
        game.wait("> ")
        game.type("我四处看看。")
        game.wait("> ")
        game.press(ENDS)
        assert game.ended() == 0, game.screen.text
