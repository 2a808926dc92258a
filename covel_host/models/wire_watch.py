"""What an answer's bytes say and no library tells: a stream's end mark, and the size.

The libraries take the end of the data for the end of a reply (design: traps, "Models through
pydantic-ai"); a stream cut just before its last event looks whole to them.
"""

import re
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from httpx2 import AsyncByteStream

from covel_host.models.provider_errors import MAX_BODY_BYTES, AnswerTooLarge

_LONGEST_MARK = 128


class EndMarkWatch:
    """Sees the end mark of one request's stream go by.

    `is_complete` is `None` while nothing can be said: no stream came, or its bytes are packed.
    """

    def __init__(self, end_marks: frozenset[str]) -> None:
        names = b"|".join(re.escape(mark.encode()) for mark in sorted(end_marks))
        # Inside a text the quotes would be escaped, so only the event's own type is found.
        self._mark = re.compile(rb'"type"\s*:\s*"(?:' + names + rb')"') if end_marks else None
        self._tail = b""
        self.is_complete: bool | None = None

    def begins(self) -> None:
        """A stream of events has begun."""
        if self._mark is not None:
            self.is_complete, self._tail = False, b""

    def sees(self, data: bytes) -> None:
        """The next bytes of the stream."""
        if self._mark is None or self.is_complete is not False:
            return
        seen = self._tail + data
        if self._mark.search(seen) is not None:
            self.is_complete = True
        self._tail = seen[-_LONGEST_MARK:]


_WATCH: ContextVar[EndMarkWatch | None] = ContextVar("end mark watch", default=None)


@contextmanager
def watching(end_marks: frozenset[str]) -> Iterator[EndMarkWatch]:
    """The watch of the requests that are sent within."""
    watch = EndMarkWatch(end_marks)
    token = _WATCH.set(watch)
    try:
        yield watch
    finally:
        _WATCH.reset(token)


async def watch_answer(response: Any) -> None:
    """The response hook of the HTTP client: every byte of the answer goes past the watch."""
    headers = response.headers
    is_stream = headers.get("content-type", "").startswith("text/event-stream")
    is_packed = headers.get("content-encoding", "identity") != "identity"
    watch = _WATCH.get()
    if watch is not None and is_stream and not is_packed:
        watch.begins()
    response.stream = _Watched(response.stream, watch, is_stream=is_stream)


class _Watched(AsyncByteStream):
    """An answer's bytes on their way to the library."""

    def __init__(
        self, stream: AsyncByteStream, watch: EndMarkWatch | None, *, is_stream: bool
    ) -> None:
        self._stream = stream
        self._watch = watch
        self._is_stream = is_stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for data in self._stream:
            size += len(data)
            if self._is_stream:
                if self._watch is not None:
                    self._watch.sees(data)
                # An event ends at an empty line at the latest, so a line end begins a new count.
                size = len(data) - data.rfind(b"\n") if b"\n" in data else size
            if size > MAX_BODY_BYTES:
                raise AnswerTooLarge
            yield data

    async def aclose(self) -> None:
        await self._stream.aclose()
