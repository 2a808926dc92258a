"""How the record of a setup runtime moves between pending, done and blocked.

The rules are those of spec/execution.md 1.3; each function returns the new record and leaves the
old one as it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from covel_host.base.errors import HostError
from covel_host.turn.schedule_types import SetupProgress

UNVERSIONED = "0.0.0"
"""The version of a package that states none; it never makes a setup run again."""

ATTEMPTS_USED_UP = "attempts-used-up"


@dataclass(frozen=True, slots=True)
class SetupRecord:
    """The committed progress of one setup runtime in one session.

    `attempts` counts ended attempts of this `generation`. `resolution` and `completed_at` belong to
    `done`, `reason` and `blocked_at` to `blocked`; the other fields may stand in any state.
    """

    state: SetupProgress
    plugin_version: str
    generation: int = 1
    attempts: int = 0
    last_error: str | None = None
    resolution: Literal["completed", "waived"] | None = None
    completed_at: datetime | None = None
    warning: str | None = None
    reason: str | None = None
    blocked_at: datetime | None = None


class SetupNotBlockedError(HostError):
    """A retry or waiver asks for a setup runtime that is not blocked; `state` is what it is."""

    def __init__(self, state: SetupProgress) -> None:
        super().__init__(
            f"The setup runtime is {state!r}; only a blocked one can be retried or waived.",
            code="setup-not-blocked",
        )
        self.state = state


def new_setup(plugin_version: str | None) -> SetupRecord:
    """The record of a setup runtime that never ran."""
    return SetupRecord("pending", plugin_version or UNVERSIONED)


def after_attempt(
    record: SetupRecord,
    *,
    completed: bool,
    now: datetime,
    max_attempts: int | None = None,
    error: str | None = None,
) -> SetupRecord:
    """The record after an attempt that ended, suspensions aside.

    Only the explicit signal (`completed`) makes it done. An attempt without it uses up budget, and
    the last one of `max_attempts` blocks: an empty budget is no completion.
    """
    counted = replace(record, attempts=record.attempts + 1, last_error=error)
    if completed:
        return replace(
            counted, state="done", resolution="completed", completed_at=now, last_error=None
        )
    if max_attempts is not None and counted.attempts >= max_attempts:
        return block(counted, reason=ATTEMPTS_USED_UP, now=now)
    return counted


def block(record: SetupRecord, *, reason: str, now: datetime) -> SetupRecord:
    """The record of a runtime that waits for the player's decision."""
    return replace(record, state="blocked", reason=reason, blocked_at=now)


def retry(record: SetupRecord) -> SetupRecord:
    """A blocked runtime pending again, with a fresh budget in the next generation.

    Raises:
        SetupNotBlockedError: The runtime is not blocked.
    """
    _require_blocked(record)
    return SetupRecord("pending", record.plugin_version, generation=record.generation + 1)


def waive(record: SetupRecord, *, warning: str, now: datetime) -> SetupRecord:
    """A blocked runtime counted as done without its work; `warning` says what is missing.

    Raises:
        SetupNotBlockedError: The runtime is not blocked.
    """
    _require_blocked(record)
    return replace(
        record,
        state="done",
        resolution="waived",
        completed_at=now,
        warning=warning,
        reason=None,
        blocked_at=None,
    )


def for_version(record: SetupRecord, plugin_version: str | None) -> SetupRecord:
    """The record under the present version: a done setup of another version runs again."""
    version = plugin_version or UNVERSIONED
    if version in (UNVERSIONED, record.plugin_version):
        return record
    if record.state == "done":
        return SetupRecord("pending", version, generation=record.generation + 1)
    return replace(record, plugin_version=version)


def is_setup_finished(records: Iterable[SetupRecord]) -> bool:
    """Whether the session may go from phase `setup` to `playing`."""
    return all(record.state == "done" for record in records)


def _require_blocked(record: SetupRecord) -> None:
    if record.state != "blocked":
        raise SetupNotBlockedError(record.state)
