"""Records of setup runtimes move only as the rules of the session model allow."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from covel_host.store.setup_states import SetupBlocked, SetupDone, SetupPending, SetupState
from covel_host.turn.schedule_setup_records import (
    ATTEMPTS_USED_UP,
    SetupNotBlockedError,
    after_attempt,
    block,
    for_version,
    is_setup_finished,
    new_setup,
    retry,
    waive,
)

NOW = datetime(2031, 5, 1, tzinfo=UTC)


def test_only_the_explicit_signal_makes_a_setup_done() -> None:
    tried = after_attempt(new_setup("1.0.0"), completed=False, now=NOW)
    assert tried == SetupPending(plugin_version="1.0.0", attempts=1)
    done = after_attempt(tried, completed=True, now=NOW)
    assert done == SetupDone(plugin_version="1.0.0", completed_at=NOW, attempts=2)


def test_a_used_up_budget_blocks_and_keeps_the_error() -> None:
    state: SetupState = new_setup("1.0.0")
    for error in ("no model", "no model still"):
        assert isinstance(state, SetupPending)
        state = after_attempt(state, completed=False, error=error, max_attempts=2, now=NOW)
    assert state == SetupBlocked(
        plugin_version="1.0.0",
        reason=ATTEMPTS_USED_UP,
        blocked_at=NOW,
        attempts=2,
        last_error="no model still",
    )


def test_a_signal_in_the_last_attempt_counts() -> None:
    record = after_attempt(new_setup(None), completed=True, max_attempts=1, now=NOW)
    assert record.state == "done"


def test_a_retry_starts_the_next_generation_with_a_fresh_budget() -> None:
    pending = SetupPending(plugin_version="1.0.0", generation=2, attempts=3, last_error="no model")
    blocked = block(pending, reason="x", now=NOW)
    assert retry(blocked) == SetupPending(plugin_version="1.0.0", generation=3)


def test_a_waiver_is_done_with_a_warning() -> None:
    waived = waive(
        block(new_setup("1.0.0"), reason="x", now=NOW), warning="no opening scene", now=NOW
    )
    assert (waived.state, waived.resolution, waived.warning) == (
        "done",
        "waived",
        "no opening scene",
    )


DONE = SetupDone(plugin_version="1.0.0", completed_at=NOW)


@pytest.mark.parametrize("record", [new_setup("1.0.0"), DONE])
def test_what_is_not_blocked_cannot_be_retried_or_waived(record: SetupState) -> None:
    with pytest.raises(SetupNotBlockedError, match=record.state):
        retry(record)
    with pytest.raises(SetupNotBlockedError):
        waive(record, warning="", now=NOW)


@pytest.mark.parametrize(
    ("version", "state"), [("1.0.0", "done"), ("1.1.0", "pending"), (None, "done")]
)
def test_a_changed_version_makes_a_done_setup_run_again(version: str | None, state: str) -> None:
    record = for_version(DONE, version)
    assert record.state == state
    assert record.generation == (2 if state == "pending" else 1)


def test_a_changed_version_leaves_a_blocked_setup_to_the_player() -> None:
    record = for_version(block(new_setup("1.0.0"), reason="x", now=NOW), "2.0.0")
    assert (record.state, record.plugin_version) == ("blocked", "2.0.0")


def test_setup_is_finished_when_every_record_is_done() -> None:
    assert is_setup_finished([])
    assert is_setup_finished([DONE, DONE])
    assert not is_setup_finished([DONE, new_setup(None)])
