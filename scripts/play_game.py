"""A game of thirty turns, typed at a pseudo-terminal into `covel play`.

`python scripts/play_game.py` shows what a player sees: a form, a choice, a confirmation, a turn
that is aborted, a sub-agent, a job after every turn, and a run that waits for its answer while the
program is ended and begun again. A script stands in for the model; `--home DIR` keeps the game.
"""

import argparse
import os
import pty
import re
import select
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from demo import COVEL, ROOT

GAME = ROOT / "scripts" / "game" / "plugins"
PACKAGES = ("harbour-office", "ledger", "omens", "seer")
TURNS = 30
PROMPT = "> "
LIMIT_S = 120.0
"""Far beyond what any step takes on a loaded machine."""


class Typist:
    """A program at a pseudo-terminal of its own; `seen` is all that it has shown."""

    def __init__(self, home: Path, *arguments: str) -> None:
        self.seen = ""
        self._unread = ""
        self._child, self._terminal = pty.fork()
        if self._child == 0:
            environ = {**os.environ, "COVEL_HOME": str(home), "NO_COLOR": "1", "TERM": "xterm"}
            os.execve(COVEL, [str(COVEL), *arguments], environ)

    def type(self, line: str) -> None:
        """Type a line; what was shown before counts no more for `wait`."""
        self._unread = ""
        os.write(self._terminal, f"{line}\n".encode())

    def press(self, key: bytes) -> None:
        """Press a key."""
        self._unread = ""
        os.write(self._terminal, key)

    def wait(self, end: str) -> str:
        """What is shown until it ends with `end`."""
        until = time.monotonic() + LIMIT_S
        while not _plain(self._unread).endswith(end):
            left = until - time.monotonic()
            if left <= 0 or not self._read(left):
                raise SystemExit(f"expected {end!r} at the end of:\n{self.seen[-2000:]}")
        return _plain(self._unread)

    def ended(self) -> int:
        """The exit code."""
        while self._read(LIMIT_S):
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self._child, 0)[1])

    def _read(self, limit_s: float) -> bool:
        ready, _, _ = select.select([self._terminal], [], [], limit_s)
        try:
            chunk = os.read(self._terminal, 65_536) if ready else b""
        except OSError:  # the other side has closed
            return False
        text = chunk.decode("utf-8", "replace")
        self.seen += text
        self._unread += text
        return bool(chunk)


def _plain(text: str) -> str:
    return re.sub(r"\r(\x1b\[2K)?", "", text)


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
    shared = [part for name in PACKAGES for part in ("--trust", name)]
    shared += ["--plugins-dir", str(GAME)]
    first = Typist(home, "play", *wanted, *shared, "--model", scripted(home, 1, first_replies()))
    first_part(first)
    session_id = re.findall(r"covel play (session-\w+)", first.seen)[-1]
    script = scripted(home, 2, second_replies())
    second = Typist(home, "play", session_id, *shared, "--model", script)
    second_part(second)
    for part in (first, second):
        sys.stdout.write(_plain(part.seen))
    print(f"\nPlayed {TURNS} turns of {session_id}. See docs/play.md")


def first_part(game: Typist) -> None:
    """The opening and turns 1 to 14, the last of which waits."""
    game.wait(PROMPT)
    say(game, 1)
    game.type("I say what I do in turn 2.")
    game.wait("Name*: ")
    # A number over the limit is refused by the host, and the form is asked again.
    for nights in ("12", "3"):
        game.type("Wren")
        game.wait("Nights (from 1, to 9) [2]: ")
        game.type(nights)
        game.wait("Name*: " if nights == "12" else PROMPT)
    for number in (4, 5):
        say(game, number)
    game.type("I say what I do in turn 6.")
    game.wait("# ")
    game.type("2")
    game.wait(PROMPT)
    game.type("I say what I do and think better of it.")
    game.wait("asks the model")
    game.press(b"\x03")
    assert "Aborted: nothing of it was committed." in game.wait(PROMPT)
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
