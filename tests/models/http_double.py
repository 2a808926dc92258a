"""An OpenAI Chat server on a loopback socket that answers what a test tells it to, byte by byte.

It speaks HTTP by hand because most of what it plays is broken: a connection cut in mid-stream, a
stream that ends without its end mark, bodies that are no JSON.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

Answer = Callable[[asyncio.StreamWriter], Awaitable[None]]


@dataclass
class HttpDouble:
    """Plays `answers` in order, one per request (the last one again and again)."""

    answers: list[Answer]
    base_url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            headers = dict(_header(line) for line in head[1:] if line)
            body = await reader.readexactly(int(headers.get("content-length", "0")))
            self.paths.append(head[0].split()[1])
            self.headers.append(headers)
            self.requests.append(json.loads(body))
            number = min(len(self.requests), len(self.answers)) - 1
            await self.answers[number](writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


def _header(line: str) -> tuple[str, str]:
    name, _, value = line.partition(":")
    return name.strip().lower(), value.strip()


@asynccontextmanager
async def http_double(*answers: Answer) -> AsyncIterator[HttpDouble]:
    double = HttpDouble(list(answers))
    server = await asyncio.start_server(double.serve, "127.0.0.1", 0)
    double.base_url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    async with server:
        yield double


# --- answers ---------------------------------------------------------------------------------


def body(
    text: str | bytes, *, status: int = 200, kind: str = "application/json", **extra: str
) -> Answer:
    """A whole body with its length; extra headers by name, `_` for `-`."""
    data = text.encode() if isinstance(text, str) else text

    async def answer(writer: asyncio.StreamWriter) -> None:
        lines = [f"HTTP/1.1 {status} X", f"Content-Type: {kind}", f"Content-Length: {len(data)}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in extra.items()]
        writer.write("\r\n".join([*lines, "Connection: close", "", ""]).encode() + data)
        await writer.drain()

    return answer


def error(status: int, message: str = "no", **extra: str) -> Answer:
    code = {"error": {"message": message, "type": "test_error", "code": "test_code"}}
    return body(json.dumps(code), status=status, **extra)


def short_body(text: str) -> Answer:
    """A body that promises more than comes before the connection closes."""

    async def answer(writer: asyncio.StreamWriter) -> None:
        head = (
            f"HTTP/1.1 200 X\r\nContent-Type: application/json\r\nContent-Length: {len(text) + 9}"
        )
        writer.write(f"{head}\r\n\r\n{text}".encode())
        await writer.drain()

    return answer


def drop() -> Answer:
    """The connection closes before any answer."""

    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.transport.abort()

    return answer


def hang(forever: asyncio.Event, *, after: Sequence[str] = ()) -> Answer:
    """Headers of a stream and the pieces `after` which nothing comes until `forever` is set."""

    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write(_STREAM_HEAD)
        for item in after:
            data = item.encode()
            writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        await writer.drain()
        await forever.wait()

    return answer


_STREAM_HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
    b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
)


def events(items: Sequence[str | bytes], *, cut: bool = False, chunked: bool = True) -> Answer:
    """A stream whose pieces are written as they are; `cut` ends it without the last chunk."""

    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write(
            _STREAM_HEAD
            if chunked
            else _STREAM_HEAD.replace(b"Transfer-Encoding: chunked\r\n", b"")
        )
        for item in items:
            data = item.encode() if isinstance(item, str) else item
            writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n" if chunked else data)
            await writer.drain()
        if chunked and not cut:
            writer.write(b"0\r\n\r\n")
            await writer.drain()
        if cut:
            writer.transport.abort() if chunked else writer.close()

    return answer


# --- OpenAI Chat bodies ----------------------------------------------------------------------


def chat_message(
    text: str | None = None,
    calls: Sequence[tuple[str, str, str]] = (),
    *,
    finish: str | None = "stop",
    usage: dict[str, Any] | None = None,
    **extra: Any,
) -> dict[str, Any]:
    """One choice's `message`, with tool calls as (id, name, arguments)."""
    message: dict[str, Any] = {"role": "assistant", "content": text, **extra}
    if calls:
        message["tool_calls"] = [
            {"id": call, "type": "function", "function": {"name": name, "arguments": arguments}}
            for call, name, arguments in calls
        ]
    return {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "served-model",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": usage or {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
    }


def chunk(delta: dict[str, Any] | None = None, *, finish: str | None = None, **extra: Any) -> str:
    data = {
        "id": "c1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "served-model",
        "choices": [{"index": 0, "delta": delta or {}, "finish_reason": finish}],
        **extra,
    }
    return f"data: {json.dumps(data, ensure_ascii=False)}\n\n"


def call_fragment(
    index: int, arguments: str, *, call: str | None = None, name: str | None = None
) -> str:
    function = {"arguments": arguments, **({"name": name} if name else {})}
    fragment: dict[str, Any] = {"index": index, "function": function}
    if call:
        fragment |= {"id": call, "type": "function"}
    return chunk({"tool_calls": [fragment]})


USAGE_CHUNK = chunk(
    choices=[],
    usage={
        "prompt_tokens": 11,
        "completion_tokens": 7,
        "total_tokens": 18,
        "prompt_tokens_details": {"cached_tokens": 4},
    },
)
DONE = "data: [DONE]\n\n"
