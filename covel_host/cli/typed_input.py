"""What a player types: edited on a terminal, or line by line from anything else."""

import contextlib
import os
import signal
from collections.abc import Callable, Iterator
from typing import TextIO

from covel_host.cli.interrupts import on_signal
from covel_host.cli.line_editor import LineEditor
from covel_host.cli.line_input import read_lines, read_text
from covel_host.cli.play_terminal import PlayTerminal

_PASTES = "\x1b[?2004{}"
"""Switches on (h) and off (l) that a terminal marks what is pasted."""


@contextlib.contextmanager
def typed_lines(
    stream: TextIO, terminal: PlayTerminal, deliver: Callable[[str | None], object]
) -> Iterator[LineEditor | None]:
    """Inside, `deliver` gets each line that is entered, and None at the end of the input.

    Gives the editor of the line where it is edited: where `terminal` has a line for it.
    """
    if not terminal.is_edited:
        read_lines(stream, deliver)
        yield None
        return
    editor = LineEditor()

    def take(keys: str | None) -> None:
        if keys is None:
            deliver(None)
            return
        for line in editor.feed(keys):
            if line is not None:
                terminal.entered(line)
            deliver(line)
        terminal.typed(editor.text, editor.cursor)

    with _by_keys(stream.fileno(), terminal):
        read_text(stream.fileno(), take)
        yield editor


@contextlib.contextmanager
def _by_keys(descriptor: int, terminal: PlayTerminal) -> Iterator[None]:
    """Inside, keys come at once and are not shown; Ctrl-C still interrupts."""
    import termios

    before = termios.tcgetattr(descriptor)
    now = termios.tcgetattr(descriptor)
    now[3] &= ~(termios.ICANON | termios.ECHO | termios.IEXTEN)
    now[6][termios.VMIN], now[6][termios.VTIME] = 1, 0

    def begin() -> None:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, now)
        terminal.steer(_PASTES.format("h"))
        terminal.repaint()

    begin()
    try:
        # The shell has used the terminal when a stopped game goes on.
        with on_signal(signal.SIGCONT, begin), on_signal(signal.SIGWINCH, terminal.repaint):
            yield
    finally:
        terminal.steer(_PASTES.format("l"))
        # A terminal that has gone away takes no attributes.
        with contextlib.suppress(termios.error):
            termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def can_edit(stream: TextIO, output: TextIO) -> bool:
    """Whether a line can be edited: both are a terminal that can be steered."""
    try:
        import termios  # noqa: F401  # not on every platform
    except ImportError:
        return False
    return stream.isatty() and output.isatty() and os.environ.get("TERM", "dumb") != "dumb"
