"""The record of a call."""

from datetime import UTC, datetime

import pytest

from covel_host.tools.call_arguments import unread_text
from covel_host.tools.calls import ToolCallResult, ToolRequest
from plugin_sdk.values import JsonValue


def record(text: str, **members: JsonValue) -> ToolCallResult:
    request = ToolRequest(0, "c1", "give", text)
    made = ToolCallResult(request, datetime(2026, 1, 1, tzinfo=UTC), **members)  # type: ignore[arg-type]
    made.history_arguments = unread_text(text)
    return made


@pytest.mark.parametrize(
    ("text", "kept"), [('{"n":1}', {"n": 1}), ('{"n":1}]', {"n": 1}), ("n = 1", "n = 1")]
)
def test_the_audit_keeps_the_value_or_the_text_as_it_came(text: str, kept: JsonValue) -> None:
    assert record(text).arguments == kept


def test_arguments_that_no_text_could_hold_are_kept_as_they_are() -> None:
    assert record("{}", unwritten_arguments={"n": None}).arguments == {"n": None}
