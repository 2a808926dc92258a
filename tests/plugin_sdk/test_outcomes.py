"""Outcomes of function runtimes and guards."""

import pytest

from plugin_sdk import (
    Effects,
    Event,
    Failed,
    Skip,
    Skipped,
    Success,
    Suspended,
    ToolError,
    failed,
    skip,
    skipped,
    success,
    suspended,
)


def test_success_tells_no_value_from_none() -> None:
    assert success() == Success()
    assert not success().has_value
    assert success(None) == Success(value=None, has_value=True)
    assert success({"rolled": 14}).value == {"rolled": 14}


def test_success_carries_effects_and_completion() -> None:
    effects = Effects(events=[Event("check.resolved", {"dc": 12})])
    outcome = success(1, effects=effects, completion="pending")
    assert outcome.outcome == "success"
    assert outcome.effects is effects
    assert outcome.completion == "pending"
    assert success().completion == "done"
    assert success().effects == Effects()


def test_failed_keeps_what_a_tool_error_says() -> None:
    assert failed("No tide table.") == Failed(error="No tide table.")
    assert failed(ToolError("not-found", "No bell.", hint="Ring another.")) == Failed(
        error="No bell.", code="not-found", hint="Ring another."
    )
    assert failed(ValueError("bad")) == Failed(error="bad")
    assert failed(ValueError()) == Failed(error="ValueError")
    assert failed("") == failed(" ") == Failed(error="The handler gave no reason.")
    assert failed("x").outcome == "failed"


def test_skipped_and_suspended_name_their_reason() -> None:
    assert skipped("nothing to do") == Skipped(reason="nothing to do")
    assert skipped("x").outcome == "skipped"
    schema = {"type": "object"}
    assert suspended("Name?", schema) == Suspended(reason="Name?", resume_schema=schema)
    assert suspended("Name?").resume_schema is None
    assert suspended("Name?").outcome == "suspended"


def test_a_guards_skip_keeps_fields_apart_from_the_reason() -> None:
    assert skip(reason="already set up", preGameDone=True) == Skip(
        reason="already set up", fields={"preGameDone": True}
    )
    assert skip() == Skip()


def test_events_do_not_share_their_default_data() -> None:
    Event("a").data["x"] = 1
    assert Event("a").data == {}


def test_outcomes_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        success().value = 1  # type: ignore[misc]
