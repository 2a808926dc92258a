"""Lines of a pipe, read beside a loop."""

import asyncio
import io
import os
from typing import TextIO

from covel_host.cli.line_input import read_lines


def lines_of(stream: TextIO) -> list[str]:
    async def read() -> list[str]:
        lines: asyncio.Queue[str | None] = asyncio.Queue()
        read_lines(stream, lines.put_nowait)
        found = []
        while (line := await asyncio.wait_for(lines.get(), 20)) is not None:
            found.append(line)
        return found

    return asyncio.run(read())


def piped(*chunks: bytes) -> list[str]:
    reading, writing = os.pipe()
    with os.fdopen(writing, "wb") as pipe:
        for chunk in chunks:
            pipe.write(chunk)
    with os.fdopen(reading, encoding="utf-8") as stream:
        return lines_of(stream)


def test_lines_come_one_by_one_and_the_last_needs_no_end() -> None:
    assert piped(b"r\n?\n", b"q") == ["r", "?", "q"]


def test_an_empty_input_ends_at_once() -> None:
    assert piped() == []


def test_a_character_cut_in_two_is_whole_again() -> None:
    text = "r bell 钟\n".encode()
    assert piped(text[:8], text[8:]) == ["r bell 钟"]


def test_bytes_that_are_no_text_do_not_end_the_reading() -> None:
    assert piped(b"\xff\n", b"q\n") == ["\N{REPLACEMENT CHARACTER}", "q"]


def test_a_stream_that_is_no_file_is_read_as_text() -> None:
    assert [line.strip() for line in lines_of(io.StringIO("r\nq\n"))] == ["r", "q"]


def test_a_closed_stream_has_no_lines() -> None:
    stream = io.StringIO("r\n")
    stream.close()
    assert lines_of(stream) == []


def test_the_reading_outlives_a_loop_that_has_ended() -> None:
    reading, writing = os.pipe()

    async def begin() -> None:
        read_lines(stream, lambda line: None)

    with os.fdopen(reading, encoding="utf-8") as stream:
        asyncio.run(begin())
        os.write(writing, b"late\n")
        os.close(writing)
