"""Standard input by lines or as it is typed, read beside an event loop."""

import asyncio
import codecs
import os
import threading
from collections.abc import Callable, Iterator
from typing import Final, TextIO

_CHUNK_BYTES: Final = 65_536


def read_lines(stream: TextIO, deliver: Callable[[str | None], object]) -> None:
    """Begin to read `stream`; `deliver` gets each line, and None at its end, in the running loop.

    The thread never keeps the process alive. What is read ends with the loop.
    """
    _read(lambda: _lines(stream), deliver)


def read_text(descriptor: int, deliver: Callable[[str | None], object]) -> None:
    """The same by pieces, each as soon as it is there."""
    _read(lambda: _texts_of(descriptor), deliver)


def _read(pieces: Callable[[], Iterator[str]], deliver: Callable[[str | None], object]) -> None:
    loop = asyncio.get_running_loop()

    def pass_on(piece: str | None) -> bool:
        try:
            loop.call_soon_threadsafe(deliver, piece)
        except RuntimeError:
            # The loop has closed: nobody waits any more.
            return False
        return True

    def run() -> None:
        if all(map(pass_on, pieces())):
            pass_on(None)

    threading.Thread(target=run, name="covel input", daemon=True).start()


def _lines(stream: TextIO) -> Iterator[str]:
    try:
        descriptor = stream.fileno()
    except (OSError, ValueError):
        # Not a file, as in tests; or closed.
        yield from () if stream.closed else stream
        return
    yield from _lines_of(descriptor)


def _lines_of(descriptor: int) -> Iterator[str]:
    rest = ""
    for text in _texts_of(descriptor):
        *lines, rest = (rest + text).split("\n")
        yield from lines
    if rest:
        yield rest


def _texts_of(descriptor: int) -> Iterator[str]:
    # Read past the buffer of the stream: a daemon thread that waits inside it would hold its lock,
    # and the interpreter cannot end then.
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    while True:
        try:
            chunk = os.read(descriptor, _CHUNK_BYTES)
        except OSError:
            # A terminal that has gone away.
            chunk = b""
        yield decoder.decode(chunk, final=not chunk)
        if not chunk:
            return
