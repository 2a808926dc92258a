"""Which failures count, what runtime-done may do, prose, and how a function runtime ends."""

from dataclasses import replace

import pytest

from covel_host.runtime.completion_calls import CallFailure, CallOutcome, RaisedBy
from covel_host.runtime.completion_function import settle_function
from covel_host.runtime.completion_prose import sanitize_prose
from covel_host.runtime.completion_settings import CompletionSettings

SYSTEM = CompletionSettings(visibility="system")
STORY = CompletionSettings(visibility="story")
TOOL_USE = CompletionSettings(require="tool-use")
EXPLICIT = CompletionSettings(require="explicit")


def call(tool: str, failure: CallFailure | None = None) -> CallOutcome:
    return CallOutcome(f"id-{tool}", tool, failure=failure)


@pytest.mark.parametrize(
    ("code", "raised_by", "refused", "counts"),
    [
        ("refused", "tool", True, False),
        ("not-found", "tool", False, True),
        ("refused", "host", False, True),
        ("timeout", "host", False, True),
        ("unavailable", "host", False, True),
        ("cancelled", "host", False, True),
        ("refused", "hook", False, False),
        ("cancelled", "loop", False, False),
        ("unavailable", "service", True, False),
        ("conflict", "service", True, False),
        ("cancelled", "service", False, True),
        ("invalid-input", "service", False, True),
        ("not-found", "delegate", True, False),
        ("cancelled", "delegate", True, False),
        ("invalid-input", "delegate", False, True),
    ],
)
def test_code_and_blame_are_two_things(
    code: str, raised_by: RaisedBy, refused: bool, counts: bool
) -> None:
    failure = CallFailure(code, raised_by)
    assert (failure.is_refused, failure.counts_in_agent) == (refused, counts)


@pytest.mark.parametrize(
    ("settings", "authorized", "wording"),
    [
        (SYSTEM, True, "runtime-done"),
        (TOOL_USE, True, "runtime-done"),
        (replace(TOOL_USE, after_tools=("sync",)), False, "output"),
        (replace(EXPLICIT, after_tools=("sync",)), True, "runtime-done"),
        (replace(SYSTEM, has_output_schema=True), True, "output"),
        (STORY, True, "prose"),
    ],
)
def test_runtime_done_may_run_where_it_can_end_the_run(
    settings: CompletionSettings, authorized: bool, wording: str
) -> None:
    assert settings.authorizes_runtime_done is authorized
    assert settings.convention == wording


def test_sanitized_prose_keeps_joined_emoji_and_drops_reasoning() -> None:
    assert sanitize_prose("<thinking>hm</thinking>\r\nFog 👩\u200d🚀\x07.\n") == "Fog 👩\u200d🚀."
    assert sanitize_prose("<think>never closed") == ""


def test_a_caught_service_failure_fails_a_function_without_blame() -> None:
    settled = settle_function("success", [call("front", CallFailure("timeout", "service"))])
    assert (settled.status, settled.counts_as_error) == ("failed", False)
    assert settled.failed_tool == "front"


def test_an_own_failed_call_blames_the_function_even_beside_a_foreign_one() -> None:
    calls = [
        call("front", CallFailure("timeout", "service")),
        call("log", CallFailure("invalid-input", "host")),
    ]
    assert settle_function("suspended", calls).counts_as_error is True


@pytest.mark.parametrize("status", ["success", "skipped", "suspended", "failed"])
def test_a_function_without_failed_calls_ends_as_its_handler_says(status: str) -> None:
    settled = settle_function(status, [call("log")])  # type: ignore[arg-type]
    assert (settled.status, settled.counts_as_error) == (status, status == "failed")


def test_a_skipped_call_fails_a_function_too() -> None:
    assert settle_function("success", [call("log", CallFailure("cancelled", "loop"))]).status == (
        "failed"
    )
