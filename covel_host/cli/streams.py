"""The standard streams of the process, as every command can count on them.

A caller may close them, give them a narrow encoding, or stop reading; a package may write to them
behind the host's back. None of it may change what a command does, or spoil its JSON document.
"""

import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, TextIO

_INPUT: Final = 0
_OUTPUT: Final = 1


def prepare_streams(*, as_json: bool) -> None:
    """Open closed streams on nothing, and let every text be written.

    A JSON document is UTF-8 whatever the terminal speaks (RFC 8259 8.1); text for people shows what
    the terminal's encoding lacks as escapes.
    """
    # A closed one is given to the next file that is opened: a write to it would end up there.
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)
    sys.stdin = sys.stdin or io.StringIO()
    sys.stdout = sys.stdout or _writer(1, encoding="utf-8", errors="strict")
    sys.stderr = sys.stderr or _writer(2, encoding="utf-8", errors="strict")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    if as_json and isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="strict")


def give_up(stream: TextIO) -> None:
    """`stream` cannot be written to: what is left must not fail while it is flushed."""
    try:
        descriptor = stream.fileno()
    except (OSError, ValueError):
        # It is no file, or closed: nothing is left in it.
        return
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, descriptor)
    os.close(nothing)


def is_lost(stream: TextIO) -> bool:
    """Whether what was written to `stream` does not get out, such as on a full disk."""
    try:
        stream.flush()
    except (OSError, ValueError):
        return True
    return False


def end_output(tell: Callable[[BaseException], object]) -> None:
    """The command has said everything: what packages do while the process ends is not shown.

    `tell` gets what their functions for the end of the process raise.
    """
    if is_lost(sys.stdout):
        give_up(sys.stdout)
    sys.unraisablehook = lambda raised: tell(raised.exc_value) if raised.exc_value else None
    give_up(sys.stdout)


@contextmanager
def output_apart(log: TextIO | None) -> Iterator[TextIO]:
    """Inside, file descriptor 1 is that of `log`; gives the command's own way to standard output.

    So what packages, their libraries and programs they start write to standard output goes there,
    or to nothing without a `log`. Where `sys.stdout` is not file descriptor 1, as in tests, it is
    given as it is.
    """
    stream = sys.stdout
    if not _is_output(stream):
        yield stream
        return
    stream.flush()
    kept = os.dup(_OUTPUT)
    own = _writer(kept, encoding=stream.encoding, errors=stream.errors or "strict")
    if log is None:
        give_up(stream)
    else:
        os.dup2(log.fileno(), _OUTPUT)
    try:
        yield own
    finally:
        if is_lost(own):
            give_up(own)
        own.close()
        os.dup2(kept, _OUTPUT)
        os.close(kept)


@contextmanager
def input_apart() -> Iterator[int]:
    """Inside, standard input is at its end; gives a file descriptor of what it was before.

    So no package takes what was sent to the command, and no program it starts does.
    """
    kept = os.dup(_INPUT)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, _INPUT)
    os.close(nothing)
    try:
        yield kept
    finally:
        os.dup2(kept, _INPUT)
        os.close(kept)


def _writer(descriptor: int, *, encoding: str, errors: str) -> TextIO:
    binary = io.FileIO(descriptor, "w", closefd=False)
    return io.TextIOWrapper(
        io.BufferedWriter(binary), encoding=encoding, errors=errors, line_buffering=True
    )


def _is_output(stream: TextIO) -> bool:
    try:
        return stream.fileno() == _OUTPUT
    except (OSError, ValueError):
        return False
