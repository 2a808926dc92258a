"""Results with channels compose in any order and keep the content as it is."""

import copy
import pickle
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugin_sdk import (
    Event,
    ModelView,
    PluginData,
    ProposalInvalid,
    ToolResult,
    get_emitted_events,
    get_model_view,
    get_pending_proposals,
    get_tool_content,
    with_emitted_events,
    with_model_view,
    with_pending_proposals,
)


@dataclass(frozen=True)
class Frozen:
    text: str


CONTENTS: st.SearchStrategy[object] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.text(),
    st.lists(st.integers()),
    st.dictionaries(st.text(), st.integers()),
    st.builds(Frozen, st.text()),
)
VIEWS = st.one_of(
    st.fixed_dictionaries({}, optional={"summary": st.text(), "data": st.none() | st.integers()})
)
PROPOSALS = st.lists(
    st.builds(
        lambda key, value: PluginData(namespace="notes", key=key, value=value),
        st.text(min_size=1),
        st.integers(),
    ),
    max_size=3,
)
EVENTS = st.lists(st.builds(Event, st.text(min_size=1)), max_size=3)

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("view"), VIEWS),
        st.tuples(st.just("proposals"), PROPOSALS),
        st.tuples(st.just("events"), EVENTS),
    ),
    max_size=8,
)


@given(content=CONTENTS, steps=STEPS)
def test_the_last_of_each_channel_counts_whatever_the_order(
    content: object, steps: list[tuple[str, Any]]
) -> None:
    before = copy.deepcopy(content)
    result = content
    view: ModelView | None = None
    proposals: tuple[PluginData, ...] = ()
    events: tuple[Event, ...] = ()
    for channel, value in steps:
        if channel == "view":
            result = with_model_view(result, **value)
            view = ModelView(value.get("summary"), value.get("data"), "data" in value)
        elif channel == "proposals":
            result = with_pending_proposals(result, value)
            proposals = tuple(value)
        else:
            result = with_emitted_events(result, value)
            events = tuple(value)

    assert get_tool_content(result) is content
    assert content == before
    assert get_model_view(result) == view
    assert get_pending_proposals(result) == proposals
    assert get_emitted_events(result) == events
    assert isinstance(result, ToolResult) == bool(steps)


@given(content=CONTENTS, steps=STEPS)
def test_copies_keep_every_channel(content: object, steps: list[tuple[str, Any]]) -> None:
    result = with_pending_proposals(content, [])
    for channel, value in steps:
        if channel == "view":
            result = with_model_view(result, **value)
        elif channel == "proposals":
            result = with_pending_proposals(result, value)
        else:
            result = with_emitted_events(result, value)
    for other in (
        copy.copy(result),
        copy.deepcopy(result),
        replace(result),
        pickle.loads(pickle.dumps(result)),
    ):
        assert other == result


def test_an_empty_list_still_makes_a_result() -> None:
    result = with_pending_proposals("x", [])
    assert result == ToolResult("x")
    assert result.kind == "covel.tool-result"


def test_a_view_tells_no_data_from_none() -> None:
    assert get_model_view(with_model_view(1)) == ModelView()
    assert get_model_view(with_model_view(1, data=None)) == ModelView(has_data=True)
    assert get_model_view(with_model_view(1, summary="Done.")) == ModelView(summary="Done.")


def test_proposals_may_be_given_as_objects() -> None:
    payload = {"namespace": "notes", "key": "a", "value": 1}
    result = with_pending_proposals(None, [{"type": "plugin.data", "payload": payload}])
    assert result.pending_proposals == (PluginData(namespace="notes", key="a", value=1),)
    with pytest.raises(ProposalInvalid):
        with_pending_proposals(None, [{"type": "plugin.date", "payload": payload}])


def test_results_cannot_be_changed() -> None:
    result = with_model_view("x")
    with pytest.raises(AttributeError):
        result.content = "y"  # type: ignore[misc]
