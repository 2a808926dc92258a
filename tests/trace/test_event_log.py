"""The log of sessions: order, replay after a reconnect, and what cannot be bridged."""

import asyncio
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covel_host.trace import event_log
from covel_host.trace.event_log import MAX_KEPT, EventLog
from covel_host.trace.events import SessionEvent
from covel_host.trace.subscription import MAX_WAITING, Subscription, TooManySubscriptions
from plugin_sdk.testing import ManualClock


def new_log(**options: Any) -> EventLog:
    numbers = count(1)
    return EventLog(clock=ManualClock(), new_epoch=lambda: f"e{next(numbers)}", **options)


def event(number: int = 0, *, session_id: str = "s1", type: str = "event.emitted") -> SessionEvent:
    payload: dict[str, Any] = {"topic": "t", "data": {"n": number}, "pluginId": "p"}
    return SessionEvent(type=type, session_id=session_id, turn_id="t1", payload=payload)


def delta(text: str) -> SessionEvent:
    return SessionEvent(
        type="narrative.delta", session_id="s1", turn_id="t1", payload={"delta": text}
    )


def waiting(subscription: Subscription) -> list[SessionEvent]:
    """What waits for the listener now."""
    subscription.close()

    async def main() -> list[SessionEvent]:
        return [one async for one in subscription]

    return asyncio.run(main())


def test_numbers_of_a_session_rise_by_one_under_its_epoch() -> None:
    log = new_log()
    told = [log.add(event()), log.add(event(session_id="s2")), log.add(event())]
    assert [one.event_id for one in told] == ["e1:1", "e2:1", "e1:2"]
    assert [one.seq for one in told] == [1, 1, 2]
    assert all(one.at is not None for one in told)


def test_deltas_take_no_number_and_are_not_sent_again() -> None:
    log = new_log()
    log.add(event(1))
    assert log.add(delta("Once")).event_id is None
    assert log.add(event(2)).event_id == "e1:2"
    types = [one.type for one in waiting(log.subscribe("s1", after="e1:0"))]
    assert types == ["system.connected", "event.emitted", "event.emitted"]


def test_a_subscription_begins_with_the_cursor_and_goes_on_live() -> None:
    log = new_log()
    log.add(event(1))
    subscription = log.subscribe("s1")
    log.add(delta("Once"))
    log.add(event(2))
    connected, *rest = waiting(subscription)
    assert connected.type == "system.connected"
    assert connected.payload["cursor"] == "e1:1"
    assert connected.event_id is None
    assert [one.type for one in rest] == ["narrative.delta", "event.emitted"]


def test_topics_choose_and_traces_must_be_asked_for() -> None:
    log = new_log()
    everything, traces = log.subscribe("s1"), log.subscribe("s1", topics=["trace"])
    log.add(event(type="turn.started"))
    log.add(event())
    assert [one.type for one in waiting(everything)][1:] == ["event.emitted"]
    assert [one.type for one in waiting(traces)][1:] == ["turn.started"]


@pytest.mark.parametrize(
    ("after", "reason"),
    [
        ("e9:1", "epoch-change"),
        ("nonsense", "epoch-change"),
        ("e1:", "epoch-change"),
        ("e1:-1", "epoch-change"),
        ("e1:4", "gap"),
        ("e1:" + "9" * 5_000, "gap"),
    ],
)
def test_what_cannot_be_bridged_is_one_reset(after: str, reason: str) -> None:
    log = new_log()
    for number in range(3):
        log.add(event(number))
    _, *rest = waiting(log.subscribe("s1", after=after))
    [reset] = rest
    assert (reset.type, reset.payload["reason"]) == ("system.reset", reason)
    assert (reset.payload["cursor"], reset.payload["latestSeq"]) == ("e1:3", 3)
    assert reset.event_id is None


def test_what_is_older_than_the_buffer_is_a_gap() -> None:
    log = new_log()
    for number in range(MAX_KEPT + 2):
        log.add(event(number))
    assert waiting(log.subscribe("s1", after="e1:1"))[1].payload["reason"] == "gap"
    assert len(waiting(log.subscribe("s1", after="e1:2"))) == MAX_KEPT + 1


@given(st.integers(0, 30), st.integers(0, 30))
def test_nothing_is_lost_or_told_twice_across_a_reconnect(before: int, missed: int) -> None:
    log = new_log()
    log.add(event(-1))
    for number in range(before):
        last = log.add(event(number))
    cursor = f"e1:{before + 1}" if before == 0 else last.event_id
    for number in range(missed):
        log.add(event(before + number))
    _, *rest = waiting(log.subscribe("s1", after=cursor))
    assert [one.payload["data"] for one in rest] == [{"n": before + n} for n in range(missed)]


def test_a_failed_fan_out_begins_a_new_epoch() -> None:
    log = new_log()
    log.add(event())
    heard = log.subscribe("s1")
    reset = log.renew("s1", reason="publish-failed")
    assert (reset.payload["epoch"], reset.payload["cursor"]) == ("e2", "e2:0")
    assert waiting(heard)[-1].type == "system.reset"
    assert log.add(event()).event_id == "e2:1"
    assert waiting(log.subscribe("s1", after="e1:1"))[1].payload["reason"] == "epoch-change"


def test_sessions_nobody_listens_to_are_given_up_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_log, "MAX_SESSIONS", 2)
    log = new_log()
    heard = log.subscribe("s1")
    for name in ("s2", "s3", "s4"):
        log.add(event(session_id=name))
    log.add(event(1))
    assert [one.type for one in waiting(heard)] == ["system.connected", "event.emitted"]
    assert log.add(event(session_id="s2")).event_id != "e2:2"


def test_a_listener_that_falls_behind_is_closed_and_nobody_else() -> None:
    log = new_log()
    slow, quick = log.subscribe("s1"), log.subscribe("s1", topics=["game"])
    for number in range(MAX_WAITING + 1):
        log.add(event(number))
    assert slow.is_overrun
    assert not quick.is_overrun
    assert waiting(slow) == []


def test_listeners_of_a_session_are_limited_and_a_closed_one_makes_room() -> None:
    log = new_log()
    opened = [log.subscribe("s1") for _ in range(event_log.MAX_PER_SESSION)]
    with pytest.raises(TooManySubscriptions):
        log.subscribe("s1")
    opened[0].close()
    opened[0].close()
    log.subscribe("s1")


def test_a_waiting_listener_is_woken_by_an_event_and_by_its_end() -> None:
    async def main() -> list[str]:
        log, told = new_log(), []
        with log.subscribe("s1") as heard:

            async def listen() -> None:
                told.extend([one.type async for one in heard])

            task = asyncio.create_task(listen())
            await asyncio.sleep(0)
            log.add(event())
            await asyncio.sleep(0)
        await task
        return told

    assert asyncio.run(main()) == ["system.connected", "event.emitted"]


def test_configured_keys_are_in_no_event_and_errors_have_no_credentials() -> None:
    log = new_log(secrets=["hunter2-hunter2"])
    told = log.add(
        SessionEvent(
            type="event.emitted",
            session_id="s1",
            turn_id="t1",
            payload={
                "data": {"a": ["it is hunter2-hunter2"], "hunter2-hunter2": 1},
                "error": "Authorization: Bearer abcdefghijkl",
            },
        )
    )
    assert "hunter2" not in str(told.payload)
    assert "abcdefgh" not in str(told.payload)


def test_a_story_may_speak_of_cookies() -> None:
    payload: dict[str, Any] = {"content": "A note said: Cookie: oat and honey."}
    log = new_log(secrets=["hunter2-hunter2"])
    told = log.add(
        SessionEvent(type="narrative.completed", session_id="s1", turn_id="t", payload=payload)
    )
    assert told.payload == payload
