"""A game of thirty turns, typed at a pseudo-terminal into `covel play`.

`python scripts/play_game.py` shows what a player sees: a form, a choice, a confirmation, a turn
that is aborted, a sub-agent, a job after every turn, and a run that waits for its answer while the
program is ended and begun again. A script stands in for the model; `--home DIR` keeps the game.
"""

import argparse
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from demo import COVEL, ROOT
from typist import Typist

GAME = ROOT / "scripts" / "game" / "plugins"
PACKAGES = ("harbour-office", "ledger", "omens", "seer")
TURNS = 30
PROMPT = "> "


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--home", type=Path)
    home: Path | None = parser.parse_args().home
    if home is not None:
        play(home)
        return
    with tempfile.TemporaryDirectory(prefix="covel-game-") as folder:
        play(Path(folder))


def play(home: Path) -> None:
    """Play the whole game in that home."""
    wanted = [part for name in PACKAGES for part in ("--plugins", name)]
    begun = scripted(home, 1, first_replies())
    with covel_play(home, *wanted, "--model", begun) as first:
        first_part(first)
    session_id = re.findall(r"covel play (session-\w+)", first.seen)[-1]
    with covel_play(home, session_id, "--model", scripted(home, 2, second_replies())) as second:
        second_part(second)
    for part in (first, second):
        print(part.screen.text)
    print(f"Played {TURNS} turns of {session_id}. See docs/play.md")


def covel_play(home: Path, *arguments: str) -> Typist:
    """The program at a terminal, with the packages of the game."""
    shared = [part for name in PACKAGES for part in ("--trust", name)]
    shared += ["--plugins-dir", str(GAME)]
    return Typist(COVEL, ["play", *arguments, *shared], environ={"COVEL_HOME": str(home)})


def first_part(game: Typist) -> None:
    """The opening and turns 1 to 14, the last of which waits."""
    game.wait(PROMPT)
    say(game, 1)
    game.type("I say what I do in turn 2.")
    game.wait("Name*: ")
    game.type("Wren")
    # A number over the limit is refused, and asked for again.
    for nights in ("12", "3"):
        game.wait("Nights (from 1, to 9) [2]: ")
        game.type(nights)
    game.wait(PROMPT)
    for number in (4, 5):
        say(game, number)
    game.type("I say what I do in turn 6.")
    game.wait("# ")
    game.type("2")
    game.wait(PROMPT)
    game.type("I say what I do and think better of it.")
    game.wait("asks the model")
    game.press("\x03")
    assert "Aborted: nothing was committed." in game.wait(PROMPT)
    for number in (8, 9):
        say(game, number)
    game.type("I say what I do in turn 10.")
    game.wait("[y/n] ")
    game.type("y")
    game.wait(PROMPT)
    for number in (12, 13):
        say(game, number)
    game.type("I say what I do in turn 14.")
    game.wait("# ")
    game.type(".")
    game.wait(PROMPT)
    game.type("/quit")
    assert game.ended() == 0, game.seen


def second_part(game: Typist) -> None:
    """The answer to what waits, in another process, and turns 15 to 30."""
    game.wait("# ")
    game.type("1")
    game.wait(PROMPT)
    for number in range(15, TURNS + 1):
        say(game, number)
    game.type("/quit")
    assert game.ended() == 0, game.seen


def say(game: Typist, number: int) -> None:
    """Play a turn in which nothing is asked."""
    game.type(f"I say what I do in turn {number}.")
    game.wait(PROMPT)


def first_replies() -> Iterator[dict[str, Any]]:
    yield {"text": "The ferry puts in at the quay of Salthaven, an hour late."}
    for number in range(1, 15):
        if number == 8:
            yield {"text": "This is never told.", "delayMs": 60_000}
        yield from turn(number)


def second_replies() -> Iterator[dict[str, Any]]:
    for number in range(15, TURNS + 1):
        yield from turn(number)


def turn(number: int) -> Iterator[dict[str, Any]]:
    """What the narrator says in a turn, and every ninth the asker of omens and the reader."""
    yield {"text": f"It is told what comes of turn {number}."}
    if number % 9 == 0:
        sign = f"The sign of turn {number}."
        brief = {"target": {"contract": "omen-reader@1"}, "brief": sign}
        yield {"calls": [{"name": "delegate", "arguments": brief}]}
        yield {"text": '{"omen": "Fog, and then no fog."}'}
        yield {"calls": [{"name": "runtime-done"}]}


def scripted(home: Path, number: int, replies: Iterator[dict[str, Any]]) -> str:
    """A script of the model's replies, as `--model` takes it."""
    file = home / f"replies-{number}.yaml"
    file.write_text(yaml.safe_dump(list(replies), allow_unicode=True), encoding="utf-8")
    return f"scripted:{file}"


if __name__ == "__main__":
    main()
