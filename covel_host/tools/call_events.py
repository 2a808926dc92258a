"""The domain events of a result, checked and copied (seed: 事件走哪条通道)."""

from collections.abc import Iterator, Sequence

from covel_host.base.answer_sizes import size_problem
from covel_host.base.json_text import JsonValueError, json_copy
from covel_host.tools.calls import CallError
from plugin_sdk.outcomes import Event


def checked_events(events: Sequence[Event]) -> tuple[Event, ...]:
    """`events` with copies of their data; nothing of them is shared with the tool any more.

    Raises:
        CallError: `internal`; an entry is no event, its topic no text, or its data no JSON object.
    """
    return tuple(_checked(events)) if events else ()


def _checked(events: Sequence[Event]) -> Iterator[Event]:
    for index, event in enumerate(events):
        if not isinstance(event, Event):
            raise _invalid(index, f"is a {type(event).__name__!r}, not an Event")
        if not isinstance(event.topic, str) or not event.topic:
            raise _invalid(index, f"has the topic {event.topic!r}, which is no text")
        try:
            data = json_copy(event.data)
        except JsonValueError as error:
            raise _invalid(index, f"has data without a JSON form: {error}") from error
        if not isinstance(data, dict):
            raise _invalid(index, "has data that is no object")
        problem = size_problem(data)
        if problem is not None:
            raise _invalid(index, f"has data that is too large: {problem}")
        yield Event(event.topic, data)


def _invalid(index: int, problem: str) -> CallError:
    return CallError("internal", f"the emitted event {index} {problem}", raised_by="tool")
