"""`create-notification` and `render-ui`: blocks in the conversation."""

from typing import Any

import pytest

from tests.tools.builtin.calling import answer, called, error

PART = {"id": "p1", "type": "Card", "status": "success", "content": {"title": None}}


def test_a_notification_is_an_alert_of_level_title_and_message() -> None:
    given = {"level": "success", "title": "Found", "message": "A key."}
    result = called("create-notification", given)
    content: Any = result.content
    [block] = content["ui"]
    [part] = block["parts"]
    assert (part["type"], part["status"], part["content"]) == ("Alert", "success", given)
    assert list(answer(result)) == ["summary"]
    [shown] = result.shows
    assert shown.payload() == block


def test_an_unknown_level_is_refused() -> None:
    given = {"level": "loud", "title": "Found", "message": "A key."}
    assert error(called("create-notification", given)) == ("invalid-input", ["level"])


@pytest.mark.parametrize("layout", [None, "stream", "split", "overlay"])
def test_a_block_is_rendered_as_it_was_given(layout: str | None) -> None:
    retry = {**PART, "id": "p2", "status": "error", "retry": {"count": 2, "lastError": "Lost."}}
    given = {"parts": [PART, retry], **({} if layout is None else {"layout": layout})}
    result = called("render-ui", given)
    assert result.content == {"ui": [given]}
    assert [shown.payload() for shown in result.shows] == [given]


def test_null_is_content() -> None:
    part = {**PART, "content": None}
    assert called("render-ui", {"parts": [part]}).content == {"ui": [{"parts": [part]}]}


@pytest.mark.parametrize(
    ("given", "paths"),
    [
        ({}, ["parts"]),
        ({"parts": []}, ["parts"]),
        ({"parts": [PART, PART]}, ["parts.1.id"]),
        ({"parts": [{**PART, "status": "done"}]}, ["parts.0.status"]),
        ({"parts": [{"id": "a", "type": "b", "status": "success"}]}, ["parts.0.content"]),
        ({"parts": [PART], "layout": "grid"}, ["layout"]),
    ],
)
def test_a_block_without_parts_that_can_be_shown_is_refused(given: Any, paths: list[str]) -> None:
    assert error(called("render-ui", given)) == ("invalid-input", paths)
