"""Standard input by lines, read beside an event loop."""

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
    loop = asyncio.get_running_loop()

    def pass_on(line: str | None) -> bool:
        try:
            loop.call_soon_threadsafe(deliver, line)
        except RuntimeError:
            # The loop has closed: nobody waits any more.
            return False
        return True

    def run() -> None:
        if all(pass_on(line) for line in _lines(stream)):
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
    # Read past the buffer of the stream: a daemon thread that waits inside it would hold its lock,
    # and the interpreter cannot end then.
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    rest = ""
    while True:
        try:
            chunk = os.read(descriptor, _CHUNK_BYTES)
        except OSError:
            # A terminal that has gone away.
            chunk = b""
        *lines, rest = (rest + decoder.decode(chunk, final=not chunk)).split("\n")
        yield from lines
        if not chunk:
            break
    if rest:
        yield rest
