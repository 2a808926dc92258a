"""What the model reads after a call, and its limits."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covel_host.base.json_text import JsonValueError, dump_json
from covel_host.tools.envelope import (
    answer_envelope,
    content_envelope,
    failure_envelope,
    success_envelope,
)
from covel_host.tools.envelope_texts import unexpected_text
from plugin_sdk.errors import ToolError
from plugin_sdk.outcomes import Event
from plugin_sdk.results import (
    ModelView,
    get_emitted_events,
    get_model_view,
    get_pending_proposals,
    get_tool_content,
    with_emitted_events,
    with_model_view,
)

UUID = "3f2b8c1e-9d4a-4c7b-8a6e-1f0d2c3b4a59"


def test_a_result_of_the_sdk_gives_its_envelope() -> None:
    result = with_emitted_events(
        with_model_view({"secret": 1}, summary="Rang.", data=None), [Event("bell.rung", {})]
    )
    text = success_envelope(
        get_tool_content(result),  # type: ignore[arg-type]
        view=get_model_view(result),
        proposal_types=[proposal.type for proposal in get_pending_proposals(result)],
        event_count=len(get_emitted_events(result)),
        language="en",
    )
    envelope = json.loads(text)
    assert list(envelope) == ["summary", "data", "staged"]
    assert envelope["data"] is None
    assert envelope["staged"]["kinds"] == ["event"]


def test_a_ui_list_alone_leaves_an_empty_object() -> None:
    assert success_envelope({"ui": []}, language="en") == '{"data":{}}'


def test_the_content_given_is_not_changed() -> None:
    content: Any = {"ui": [1], "row": {"sessionId": "s"}}
    success_envelope(content, language="en")
    assert content == {"ui": [1], "row": {"sessionId": "s"}}


def test_view_data_without_a_json_form_is_the_callers_error() -> None:
    with pytest.raises(JsonValueError):
        success_envelope(None, view=ModelView(data={1}, has_data=True), language="en")  # type: ignore[arg-type]


def test_the_players_answer_stays_whole() -> None:
    answer = {"id": UUID, "createdAt": "2024-05-01T10:00:00Z"}
    assert json.loads(answer_envelope("Answered.", answer)) == {  # type: ignore[arg-type]
        "summary": "Answered.",
        "data": answer,
    }


def test_an_authored_internal_message_is_kept() -> None:
    error = ToolError("internal", "The npcs dataset's schema cannot be used.")
    text = failure_envelope("npcs-get", error.code, error.message, authored=True)
    assert json.loads(text)["error"]["message"] == error.message


def test_a_hint_has_the_limit_of_a_message_and_shows_the_cut() -> None:
    text = failure_envelope("t", "not-found", "No.", hint="h" * 5_000)
    assert json.loads(text)["error"]["hint"] == "h" * 1_999 + "…"


@pytest.mark.parametrize("message", ["", " \n", "\n\nfirst\nsecond", "bad \ud800 text"])
def test_any_message_of_an_unexpected_error_can_be_told(message: str) -> None:
    text = json.loads(failure_envelope("t", "internal", message))["error"]["message"]
    assert text.startswith('Tool "t" failed: ')
    assert "\n" not in text
    assert not text.endswith(": ")


@pytest.mark.parametrize("around", ["记录{}不存在", "row_{}_x", "e{}", "/s/{}.json"])
def test_uuids_are_masked_inside_a_word_too(around: str) -> None:
    assert unexpected_text("t", around.format(UUID)).endswith(around.format("<id>"))


def test_uuids_are_masked_before_the_text_is_cut() -> None:
    text = unexpected_text("t", "x" * 280 + " " + UUID.upper())
    assert text == 'Tool "t" failed: ' + "x" * 280 + " <id>"


@given(st.text(), st.text(), st.text())
def test_a_failure_is_always_an_object_with_error_alone(name: str, message: str, hint: str) -> None:
    envelope = json.loads(failure_envelope(name, "conflict", message, hint=hint))
    assert list(envelope) == ["error"]


_KEYS = st.sampled_from(
    ["id", "rowId", "ids", "rowIds", "createdAt", "timestamp", "ui", "sessionId"]
)
_CONTENTS = st.recursive(
    st.none()
    | st.integers(-5, 5)
    | st.text(max_size=5)
    | st.sampled_from([UUID, "2024-05-01T10:00Z"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(_KEYS | st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(_CONTENTS)
def test_nothing_but_content_gives_the_same_envelope_from_its_text(content: Any) -> None:
    written = content_envelope(content, dump_json(content), language="en")
    assert written == success_envelope(content, language="en")
