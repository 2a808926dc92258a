import asyncio
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covel_host.models import wire_watch
from covel_host.models.provider_errors import AnswerTooLarge, provider_error
from covel_host.models.wire_watch import EndMarkWatch, watch_answer, watching
from tests.models.support import make_slot

MARKS = frozenset({"message_stop"})
END = b'event: message_stop\ndata: {"type": "message_stop"}\n\n'


def seen(*pieces: bytes, marks: frozenset[str] = MARKS) -> bool | None:
    watch = EndMarkWatch(marks)
    watch.begins()
    for piece in pieces:
        watch.sees(piece)
    return watch.is_complete


@given(st.binary(max_size=300), st.integers(0, len(END)), st.integers(0, len(END)))
def test_an_end_mark_is_seen_however_it_is_cut(before: bytes, first: int, second: int) -> None:
    first, second = sorted((first, second))
    assert seen(before, END[:first], END[first:second], END[second:])


@given(st.integers(1, len(END) - 1), st.integers(0, 20))
def test_text_about_an_end_mark_is_none(size: int, cut: int) -> None:
    told = b'data: {"type":"text_delta","text":"\\"type\\": \\"message_stop\\""}\n\n'
    assert seen(told[:size], told[size:]) is False
    assert seen(told[:cut], told[cut:]) is False


def test_nothing_is_said_of_what_is_not_watched() -> None:
    assert seen(END, marks=frozenset()) is None
    assert EndMarkWatch(MARKS).is_complete is None


def read(*pieces: bytes, **headers: str) -> tuple[bool | None, bytes]:
    async def body() -> Any:
        for piece in pieces:
            yield piece

    async def run() -> tuple[bool | None, bytes]:
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        response = httpx2.Response(200, headers=names, content=body())
        with watching(MARKS) as watch:
            await watch_answer(response)
            data = b"".join([part async for part in response.aiter_raw()])
        return watch.is_complete, data

    return asyncio.run(run())


def test_an_answer_passes_unchanged() -> None:
    assert read(b"ab", END, content_type="text/event-stream") == (True, b"ab" + END)
    assert read(b"ab", content_type="text/event-stream; charset=utf-8") == (False, b"ab")
    assert read(END, content_type="application/json") == (None, END)


def test_packed_bytes_are_not_judged() -> None:
    packed = {"content_type": "text/event-stream", "content_encoding": "gzip"}
    assert read(b"xy", **packed) == (None, b"xy")


def test_a_body_over_the_limit_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire_watch, "MAX_BODY_BYTES", 10)
    with pytest.raises(AnswerTooLarge):
        read(b"12345", b"678901", content_type="application/json")
    with pytest.raises(AnswerTooLarge):
        read(b"12345", b"678901", content_type="text/event-stream")


def test_a_stream_may_be_long_if_its_events_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire_watch, "MAX_BODY_BYTES", 10)
    events = [b"1234567\n", b"1234567\n", b"12345", b"6\n"]
    assert read(*events, content_type="text/event-stream")[1] == b"".join(events)


def test_an_answer_too_large_is_not_asked_for_again() -> None:
    wrapped = RuntimeError("the library's own")
    wrapped.__cause__ = AnswerTooLarge()
    failure = provider_error(wrapped, make_slot())

    assert (failure.code, failure.error_kind) == ("reply-broken", "server")
    assert not failure.retriable
    assert not failure.facts.resend
