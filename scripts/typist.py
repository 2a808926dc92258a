"""A program at a pseudo-terminal: what is typed into it, and what its screen shows."""

import codecs
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType

from rich.cells import cell_len

LIMIT_S = 120.0
"""Far beyond what any step takes on a loaded machine."""

COLUMNS = 80
_ROWS = 24
_PIECE = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])|[^\x1b]", re.DOTALL)
_CUT = re.compile(r"\x1b(?:\[[0-9;?]*)?\Z")
# In a session of its own the program takes the terminal for the one that controls it, so that
# Ctrl-C reaches it.
_TAKES_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "os.execv(sys.argv[1], sys.argv[1:])"
)


class Screen:
    """What a terminal shows that never scrolls; it knows what `covel` sends and nothing else."""

    def __init__(self, columns: int = COLUMNS) -> None:
        self._columns = columns
        self._rows: list[list[str]] = [[]]
        self._row = self._column = 0

    @property
    def text(self) -> str:
        """All rows."""
        return "\n".join("".join(row).rstrip() for row in self._rows)

    @property
    def line(self) -> str:
        """The row of the cursor, up to it."""
        return "".join(self._rows[self._row][: self._column])

    def write(self, text: str) -> None:
        """Show what a program writes."""
        for piece in _PIECE.finditer(text):
            if piece.group(2):
                self._steer(int(piece.group(1).strip("?;") or 1), piece.group(2))
            elif piece.group() == "\r":
                self._column = 0
            elif piece.group() == "\n":
                self._next_row()
            else:
                self._put(piece.group())

    def _steer(self, number: int, kind: str) -> None:
        if kind == "A":
            self._row = max(self._row - number, 0)
        elif kind == "C":
            self._column += number
        elif kind == "J":
            del self._rows[self._row][self._column :]
            del self._rows[self._row + 1 :]

    def _next_row(self) -> None:
        self._row += 1
        if self._row == len(self._rows):
            self._rows.append([])

    def _put(self, char: str) -> None:
        width = cell_len(char)
        if self._column + width > self._columns:
            self._next_row()
            self._column = 0
        row = self._rows[self._row]
        row += [" "] * (self._column - len(row))
        # Behind a wide character stands a cell without one of its own.
        row[self._column : self._column + width] = [char, ""][:width]
        self._column += width


class Typist:
    """A program that runs at a pseudo-terminal; `seen` is all that it has written."""

    def __init__(
        self, program: Path, arguments: Sequence[str], *, environ: Mapping[str, str]
    ) -> None:
        self.seen = ""
        self.screen = Screen()
        self._rest = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._has_new = False
        self._terminal, side = pty.openpty()
        termios.tcsetwinsize(side, (_ROWS, COLUMNS))
        self.process = subprocess.Popen(
            [sys.executable, "-c", _TAKES_TERMINAL, str(program), *arguments],
            stdin=side,
            stdout=side,
            stderr=side,
            start_new_session=True,
            env={**os.environ, "NO_COLOR": "1", "TERM": "xterm", **environ},
        )
        os.close(side)

    def __enter__(self) -> "Typist":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._terminal)

    def type(self, line: str) -> None:
        """Type a line and enter it."""
        self.press(f"{line}\n")

    def press(self, keys: str) -> None:
        """Press keys; what is on the screen counts no more for `wait` until something is added."""
        self._has_new = False
        os.write(self._terminal, keys.encode())

    def wait(self, end: str) -> str:
        """Wait until the row of the cursor ends with `end`; all rows."""
        return self.wait_for(lambda: self.screen.line.endswith(end), repr(end))

    def wait_shown(self, part: str) -> str:
        """Wait until `part` is on the screen; all rows."""
        return self.wait_for(lambda: part in self.screen.text, repr(part))

    def wait_for(self, is_there: Callable[[], bool], what: str) -> str:
        """Wait until something new has been written and it is there; all rows."""
        until = time.monotonic() + LIMIT_S
        while not (self._has_new and is_there()):
            left = until - time.monotonic()
            if left <= 0 or not self._read(left):
                raise AssertionError(f"expected {what} at the end of:\n{self.screen.text[-2000:]}")
        return self.screen.text

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the program; see `press` for what `wait` waits for then."""
        self._has_new = False
        self.process.send_signal(number)

    def is_plain(self) -> bool:
        """Whether the terminal takes lines and shows them, as it did before the program."""
        wanted = termios.ICANON | termios.ECHO
        return termios.tcgetattr(self._terminal)[3] & wanted == wanted

    def ended(self) -> int:
        """The exit code."""
        while self._read(LIMIT_S):
            pass
        return self.process.wait(LIMIT_S)

    def _read(self, limit_s: float) -> bool:
        ready, _, _ = select.select([self._terminal], [], [], limit_s)
        try:
            chunk = os.read(self._terminal, 65_536) if ready else b""
        except OSError:  # the other side has closed
            return False
        # What is cut off of a sequence is written with what follows.
        text = self._rest + self._decoder.decode(chunk)
        text, self._rest = _CUT.split(text, maxsplit=1)[0], "".join(_CUT.findall(text))
        self.seen += text
        self.screen.write(text)
        self._has_new = self._has_new or bool(text)
        return bool(chunk)
