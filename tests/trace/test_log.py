"""The trace log keeps order, time and run, and refuses names that are not listed."""

import pytest

from covel_host.trace.event_types import EVENT_TYPES
from covel_host.trace.events import TraceEvent
from covel_host.trace.log import TraceLog
from plugin_sdk.testing import ManualClock


def test_events_are_numbered_and_timed_in_order_of_adding() -> None:
    clock = ManualClock()
    log = TraceLog(turn_id="t1", clock=clock)
    log.add("turn.started", text="hello")
    clock.advance(2)
    last = log.add("turn.completed", committed=True)
    assert [event.position for event in log.events] == [0, 1]
    assert (last.at - log.events[0].at).total_seconds() == 2
    assert log.events[0].data == {"text": "hello"}
    assert {event.turn_id for event in log.events} == {"t1"}


def test_a_run_and_its_child_state_where_they_belong() -> None:
    log = TraceLog(turn_id="t1", clock=ManualClock())
    run = log.of_run("run-1")
    child = run.child("run-2", runtime_id="demo", plugin_id="demo")
    run.add("tool.calling", toolName="delegate")
    child.add("llm.calling")
    assert [(event.run_id, event.parent_id) for event in log.events] == [
        ("run-1", None),
        ("run-2", "run-1"),
    ]


def test_a_name_that_is_not_listed_is_refused_and_adds_nothing() -> None:
    log = TraceLog(turn_id="t1", clock=ManualClock())
    with pytest.raises(ValueError, match=r"'tool\.called' is not listed"):
        log.add("tool.called")
    assert log.events == ()


def test_data_is_redacted_before_anyone_sees_it() -> None:
    seen: list[TraceEvent] = []
    log = TraceLog(turn_id="t1", clock=ManualClock(), secrets=["hunter2-key"], listener=seen.append)
    event = log.add("llm.calling", apiKey="abc", messages=["my key is hunter2-key"])
    assert event.data == {"apiKey": "[redacted]", "messages": ["my key is [redacted]"]}
    assert seen == [event]


SECRETS = ("hunter2-key", "sk-" + "a1" * 20)


@pytest.mark.parametrize("secret", SECRETS)
def test_no_way_of_reading_an_event_shows_a_secret(secret: str) -> None:
    seen: list[str] = []
    log = TraceLog(
        turn_id="t1",
        clock=ManualClock(),
        secrets=["hunter2-key"],
        listener=lambda event: seen.append(f"{event.data} {event!r}"),
    )
    event = log.add("tool.calling", arguments=f"the key is {secret}", tool="look")
    log.add("tool.completed", result={"rows": [{"text": secret, secret: 1}]})
    read = [*seen, repr(event), str(event), *(str(one.data) for one in log.events)]
    assert all(secret not in text for text in read)
    assert event.data == {"arguments": "the key is [redacted]", "tool": "look"}


def test_an_event_read_twice_is_the_same() -> None:
    log = TraceLog(turn_id="t1", clock=ManualClock())
    event = log.add("tool.calling", arguments="Bearer abcdefgh12345678")
    assert event.data is event.data
    assert event.data == {"arguments": "Bearer [redacted]"}


def test_changing_what_was_added_later_changes_no_event() -> None:
    log = TraceLog(turn_id="t1", clock=ManualClock())
    arguments = {"list": [1]}
    log.add("tool.calling", arguments=arguments)
    arguments["list"].append(2)
    assert log.events[0].data == {"arguments": {"list": [1]}}


def test_every_listed_type_is_under_its_own_name() -> None:
    assert all(name == event_type.name for name, event_type in EVENT_TYPES.items())
    assert not EVENT_TYPES["plugin-data.changed"].is_trace
