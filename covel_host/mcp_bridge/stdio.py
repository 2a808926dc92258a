"""Messages of the protocol as lines over two file descriptors.

The library's own transport waits for a line in a thread that cannot be left, so that a server ends
only when its client closes the stream, and reads `NaN` and `1e999` as `null`. This one can always
be left, and refuses what is no JSON.
"""

import asyncio
import contextlib
import json
import os
import threading
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Final

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp.types import INVALID_REQUEST, PARSE_ERROR, JSONRPCMessage
from pydantic import ValidationError

from covel_host.base.daemon_threads import run_in_daemon_thread
from covel_host.base.json_text import (
    JsonTextError,
    JsonValueError,
    dump_json,
    json_copy,
    parse_json,
)
from plugin_sdk.values import JsonObject, JsonValue

MAX_MESSAGE_BYTES: Final = 8 * 1024 * 1024
"""The longest line that is read; one that is longer is answered with an error and passed over."""

_CHUNK_BYTES: Final = 65_536


@dataclass(frozen=True, slots=True)
class MessageStreams:
    """What a server of the library reads its messages from and writes them to."""

    incoming: MemoryObjectReceiveStream[SessionMessage | Exception]
    outgoing: MemoryObjectSendStream[SessionMessage]


@contextlib.asynccontextmanager
async def message_streams(read_from: int, write_to: int) -> AsyncIterator[MessageStreams]:
    """The streams of one connection; the incoming one ends when the client is gone.

    The file descriptors stay the caller's. What is written after the client has gone is dropped.
    """
    lines = _Lines(read_from, write_to)
    to_server, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, from_server = anyio.create_memory_object_stream[SessionMessage](0)
    async with (
        to_server,
        incoming,
        outgoing,
        from_server,
        anyio.create_task_group() as carriers,
    ):
        carriers.start_soon(_carry_in, lines, to_server)
        carriers.start_soon(_carry_out, lines, from_server)
        try:
            yield MessageStreams(incoming, outgoing)
        finally:
            carriers.cancel_scope.cancel()


async def _carry_in(
    lines: "_Lines", to_server: MemoryObjectSendStream[SessionMessage | Exception]
) -> None:
    async with to_server:
        while (line := await lines.next()) is not None:
            if isinstance(line, _Overlong):
                limit = f"{MAX_MESSAGE_BYTES:,} bytes"
                message = f"The message is longer than {limit}; it was not read."
                read: JSONRPCMessage | JsonObject = _error(None, INVALID_REQUEST, message)
            elif line.strip():
                read = _read_message(line)
            else:
                continue
            if isinstance(read, JSONRPCMessage):
                try:
                    await to_server.send(SessionMessage(read))
                except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                    return
                # A request must have begun before the word that cancels it arrives.
                for _ in range(_STEPS_TO_BEGIN):
                    await asyncio.sleep(0)
            else:
                await lines.write(dump_json(read).encode())


_STEPS_TO_BEGIN: Final = 5
"""Turns of the event loop in which the library has begun a request it was handed."""


async def _carry_out(
    lines: "_Lines", from_server: MemoryObjectReceiveStream[SessionMessage]
) -> None:
    async with from_server:
        async for message in from_server:
            text = message.message.model_dump_json(by_alias=True, exclude_none=True)
            await lines.write(text.encode())


def _read_message(line: bytes) -> JSONRPCMessage | JsonObject:
    """The message of a line, or the error to answer it with."""
    try:
        value = parse_json(line)
    except JsonTextError as error:
        return _error(_loose_id(line), PARSE_ERROR, f"The message is not JSON: {error}.")
    request_id = value.get("id") if isinstance(value, dict) else None
    is_request = isinstance(value, dict) and "id" in value and "method" in value
    if is_request and not _is_id(request_id):
        # The library would take it for a notification and never answer.
        return _error(request_id, INVALID_REQUEST, "The ID of a message is a text or an integer.")
    try:
        return JSONRPCMessage.model_validate(value)
    except ValidationError:
        return _error(request_id, INVALID_REQUEST, "The message is no JSON-RPC 2.0 message.")


def _error(request_id: JsonValue, code: int, message: str) -> JsonObject:
    error: JsonObject = {"code": code, "message": message}
    return {"jsonrpc": "2.0", "id": _told_id(request_id), "error": error}


def _told_id(request_id: JsonValue) -> JsonValue:
    """The ID as an answer can hold it: a number or a text that JSON can write, else None."""
    if not (_is_id(request_id) or isinstance(request_id, float)):
        return None
    try:
        return json_copy(request_id)
    except JsonValueError:
        # Python reads a lone surrogate, which no answer can be written with.
        return None


def _is_id(value: JsonValue) -> bool:
    return isinstance(value, int | str) and not isinstance(value, bool)


def _loose_id(line: bytes) -> Any:
    """The ID of a request whose text Python can still read, such as one with a `NaN` in it.

    Its sender waits for an answer, which only the ID leads back to it.
    """
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value.get("id") if isinstance(value, dict) else None


class _Overlong:
    """Stands for a line over `MAX_MESSAGE_BYTES`."""


class _Lines:
    """Lines in and out; a thread waits for those that come and never keeps the process alive."""

    def __init__(self, read_from: int, write_to: int) -> None:
        self._read_from = read_from
        self._write_to = write_to
        self._read: asyncio.Queue[bytes | _Overlong | None] = asyncio.Queue()
        self._writing = asyncio.Lock()
        self._is_reader_gone = False
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._keep_reading, name="covel mcp input", daemon=True).start()

    async def next(self) -> bytes | _Overlong | None:
        """The next line, None at the end."""
        return await self._read.get()

    async def write(self, line: bytes) -> None:
        """Write one line; where the client does not read any more the connection ends."""
        async with self._writing:
            if self._is_reader_gone:
                return
            try:
                # In a thread: a client that is slow to read must not stop the loop.
                await run_in_daemon_thread(
                    lambda: _write_all(self._write_to, line + b"\n"), name="covel mcp output"
                )
            except OSError:
                self._is_reader_gone = True
                self._read.put_nowait(None)

    def _keep_reading(self) -> None:
        # Joined once, at the line's end: a long message comes in thousands of pieces.
        line = _GrowingLine()
        while chunk := self._chunk():
            *ends, rest = chunk.split(b"\n")
            for end in ends:
                line.add(end)
                if not self._hand_over(line.whole()):
                    return
                line = _GrowingLine()
            line.add(rest)
        if not line.is_empty:
            self._hand_over(line.whole())
        self._hand_over(None)

    def _chunk(self) -> bytes:
        try:
            return os.read(self._read_from, _CHUNK_BYTES)
        except OSError:
            return b""

    def _hand_over(self, line: bytes | _Overlong | None) -> bool:
        try:
            self._loop.call_soon_threadsafe(self._read.put_nowait, line)
        except RuntimeError:
            # The loop has closed: nobody waits any more.
            return False
        return True


class _GrowingLine:
    """A line as far as it has come; of one that is too long nothing is kept."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._size_bytes = 0

    @property
    def is_empty(self) -> bool:
        return self._size_bytes == 0

    def add(self, piece: bytes) -> None:
        self._size_bytes += len(piece)
        if self._size_bytes > MAX_MESSAGE_BYTES:
            self._pieces = []
        else:
            self._pieces.append(piece)

    def whole(self) -> bytes | _Overlong:
        if self._size_bytes > MAX_MESSAGE_BYTES:
            return _Overlong()
        return b"".join(self._pieces)


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
