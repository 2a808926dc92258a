"""Messages over file descriptors: what is read, what is refused, how a connection ends."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCMessage

from covel_host.mcp_bridge import stdio
from covel_host.mcp_bridge.stdio import MessageStreams, message_streams

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


@dataclass
class Ends:
    """A client's ends of the two pipes."""

    send_to: int
    read_from: int

    def send(self, *lines: str | bytes) -> None:
        data = b"".join(line if isinstance(line, bytes) else line.encode() for line in lines)
        os.write(self.send_to, data)

    def close(self) -> None:
        os.close(self.send_to)

    async def answer(self) -> Any:
        return json.loads(await asyncio.to_thread(os.read, self.read_from, 65_536))


@asynccontextmanager
async def connection() -> AsyncIterator[tuple[Ends, MessageStreams]]:
    read_from, send_to = os.pipe()
    client_reads, write_to = os.pipe()
    try:
        async with message_streams(read_from, write_to) as streams:
            yield Ends(send_to, client_reads), streams
    finally:
        os.close(write_to)


def over(body: Callable[[Ends, MessageStreams], Awaitable[Any]]) -> Any:
    async def main() -> Any:
        async with connection() as (ends, streams):
            return await body(ends, streams)

    return asyncio.run(main())


async def received(streams: MessageStreams) -> Any:
    message = await streams.incoming.receive()
    assert isinstance(message, SessionMessage)
    return message.message.root.model_dump(exclude_none=True)


def test_messages_come_line_by_line_however_they_are_cut() -> None:
    async def body(ends: Ends, streams: MessageStreams) -> list[Any]:
        text = json.dumps(PING)
        ends.send(text[:7])
        ends.send(text[7:], "\r\n\n", json.dumps({**PING, "id": "äö"}), "\n")
        return [await received(streams), await received(streams)]

    assert over(body) == [PING, {**PING, "id": "äö"}]


def test_a_message_of_many_pieces_is_read_whole_and_the_next_one_too() -> None:
    text = json.dumps({**PING, "params": {"text": "x" * 1_000_000}})

    async def body(ends: Ends, streams: MessageStreams) -> list[int]:
        sent = asyncio.create_task(asyncio.to_thread(ends.send, text, "\n", text, "\n"))
        sizes = [len((await received(streams))["params"]["text"]) for _ in range(2)]
        await sent
        return sizes

    assert over(body) == [1_000_000, 1_000_000]


def test_a_line_that_is_too_long_is_answered_and_passed_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stdio, "MAX_MESSAGE_BYTES", 200_000)
    long = json.dumps({**PING, "params": {"text": "x" * 300_000}})

    async def body(ends: Ends, streams: MessageStreams) -> list[Any]:
        sent = asyncio.create_task(asyncio.to_thread(ends.send, long, "\n", json.dumps(PING), "\n"))
        answer, after = await ends.answer(), await received(streams)
        await sent
        return [answer, after]

    answer, after = over(body)
    message = "The message is longer than 200,000 bytes; it was not read."
    assert answer["error"] == {"code": -32600, "message": message}
    assert (answer["id"], after) == (None, PING)


def test_a_last_line_without_an_end_is_read() -> None:
    async def body(ends: Ends, streams: MessageStreams) -> list[Any]:
        ends.send(json.dumps(PING))
        ends.close()
        return [await received(streams), [message async for message in streams.incoming]]

    assert over(body) == [PING, []]


@pytest.mark.parametrize(
    ("line", "code", "request_id"),
    [
        ("{", -32700, None),
        (b'{"id": "\xff"}', -32700, None),
        ('{"jsonrpc": "2.0", "id": 7, "method": "x", "params": {"n": NaN}}', -32700, 7),
        ('{"jsonrpc": "2.0", "id": 8, "method": "x", "params": {"n": 1e999}}', -32700, 8),
        ('{"jsonrpc": "2.0", "id": "s", "method": "x", "params": {"n": "\\ud800"}}', -32700, "s"),
        ('{"jsonrpc": "2.0", "id": "\\ud800", "method": "x"}', -32700, None),
        ('{"id": true}', -32600, None),
        ('{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', -32600, 1.5),
        ('{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600, None),
        ('{"jsonrpc": "2.0", "id": [1], "method": "ping"}', -32600, None),
        ('{"jsonrpc": "2.0", "id": true, "method": "ping"}', -32600, None),
        ('{"id": 3}', -32600, 3),
        ("[1]", -32600, None),
    ],
    ids=[
        "cut",
        "no utf-8",
        "NaN",
        "infinite",
        "surrogate",
        "no such ID",
        "a truth",
        "a fraction",
        "null",
        "a list",
        "a truth of a request",
        "no method",
        "no object",
    ],
)
def test_what_is_no_message_is_answered_and_the_connection_goes_on(
    line: str | bytes, code: int, request_id: Any
) -> None:
    async def body(ends: Ends, streams: MessageStreams) -> Any:
        ends.send(line, "\n")
        answer = await ends.answer()
        ends.send(json.dumps(PING), "\n")
        assert await received(streams) == PING
        return answer

    answer = over(body)
    assert (answer["error"]["code"], answer["id"]) == (code, request_id)


def test_messages_go_out_whole_in_their_order() -> None:
    async def body(ends: Ends, streams: MessageStreams) -> bytes:
        sizes = (10, 200_000, 10)
        sent = [{**PING, "params": {"text": "x" * size}} for size in sizes]
        reading = asyncio.create_task(asyncio.to_thread(_read_lines, ends.read_from, len(sizes)))
        for message in sent:
            await streams.outgoing.send(SessionMessage(JSONRPCMessage.model_validate(message)))
        read = [json.loads(line) for line in await reading]
        assert [len(message["params"]["text"]) for message in read] == [*sizes]
        return b""

    over(body)


def test_the_connection_ends_when_the_client_reads_no_more() -> None:
    async def body(ends: Ends, streams: MessageStreams) -> list[Any]:
        os.close(ends.read_from)
        await streams.outgoing.send(SessionMessage(JSONRPCMessage.model_validate(PING)))
        return [message async for message in streams.incoming]

    assert over(body) == []


def test_the_streams_can_be_left_while_the_client_keeps_silent() -> None:
    async def body(ends: Ends, streams: MessageStreams) -> str:
        return "left"

    assert over(body) == "left"


def _read_lines(descriptor: int, count: int) -> list[bytes]:
    data = b""
    while data.count(b"\n") < count:
        data += os.read(descriptor, 65_536)
    return data.splitlines()
