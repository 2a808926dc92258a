"""The four outcomes of a call, in their order and their words (seed: emit-event)."""

from typing import Any

import pytest

from covel_host.tools.builtin.installed import builtin_tools
from covel_host.tools.calls import ToolCallResult
from plugin_sdk.outcomes import Event
from tests.support.events import events
from tests.support.tool_calls import ToolBench
from tests.tools.builtin.calling import answer, called, error

HERB = {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}
DIRECTORY = events(herb_found=HERB, bell_rung={"type": "object"})


def emit(
    arguments: Any, *, emitted: tuple[str, ...] = (), known: Any = DIRECTORY
) -> ToolCallResult:
    bench = ToolBench(builtins=builtin_tools(events=known))
    bench.emitted = emitted
    return called("emit-event", arguments, bench)


def test_an_event_that_fits_is_recorded_and_leaves_in_the_event_channel_alone() -> None:
    result = emit({"topic": "herb.found", "data": {"name": "sage"}})
    assert result.events == (Event("herb.found", {"name": "sage"}),)
    assert (result.proposals, result.shows) == ((), ())
    read = answer(result)
    assert read["summary"] == (
        'event "herb.found" emitted and recorded for this turn. Do not emit it again.'
    )
    assert (read["staged"]["count"], read["staged"]["kinds"]) == (1, ["event"])
    assert "data" not in read
    assert result.content == {"topic": "herb.found", "emitted": True}


def test_data_left_out_is_an_empty_object() -> None:
    assert emit({"topic": "bell.rung"}).events == (Event("bell.rung", {}),)


def test_a_topic_of_this_loop_is_a_success_without_a_second_event() -> None:
    result = emit({"topic": "herb.found", "data": {"name": 7}}, emitted=("herb.found",))
    assert answer(result) == {
        "summary": 'event "herb.found" was already emitted this turn and is recorded. Do not emit '
        "it again; continue with the task."
    }
    assert result.events == ()
    assert emit({"topic": "gone.topic"}, emitted=("gone.topic",)).error is None


def test_an_unknown_topic_is_refused_with_those_that_are_known() -> None:
    result = emit({"topic": "ghost.seen", "data": {"a": 1}})
    assert answer(result)["error"] == {
        "code": "refused",
        "message": 'unknown topic "ghost.seen"; no active plugin consumes it, so it cannot be '
        "emitted. Do not retry it. Available topics: bell.rung, herb.found",
    }
    nothing = emit({"topic": "ghost.seen"}, known=events())
    assert answer(nothing)["error"]["message"].endswith(
        "Available topics: (none — no consumer plugin active)"
    )


def test_a_payload_that_does_not_fit_is_a_failure_the_model_can_mend() -> None:
    result = emit({"topic": "herb.found", "data": {"name": 7}})
    assert error(result) == ("invalid-input", ["data.name"])
    assert answer(result)["error"]["message"] == "event payload rejected: name: 7 is not text."
    assert result.events == ()


@pytest.mark.parametrize("arguments", [{}, {"topic": 7}, {"topic": "bell.rung", "data": "x"}])
def test_arguments_of_another_shape_are_refused_as_such(arguments: Any) -> None:
    assert error(emit(arguments))[0] == "invalid-input"


def test_data_written_as_text_is_read() -> None:
    result = emit({"topic": "herb.found", "data": '{"name": "sage"}'})
    assert result.events == (Event("herb.found", {"name": "sage"}),)
