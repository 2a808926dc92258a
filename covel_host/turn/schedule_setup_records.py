"""How a setup runtime moves between pending, done and blocked.

The rules are those of spec/execution.md 1.3; each function returns the new state and leaves the
old one as it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from covel_host.base.errors import HostError
from covel_host.store.setup_states import (
    SetupBlocked,
    SetupDone,
    SetupPending,
    SetupProgress,
    SetupState,
)

UNVERSIONED = "0.0.0"
"""The version of a package that states none; it never makes a setup run again."""

ATTEMPTS_USED_UP = "attempts-used-up"


class SetupNotBlockedError(HostError):
    """A retry or waiver asks for a setup runtime that is not blocked; `state` is what it is."""

    def __init__(self, state: SetupProgress) -> None:
        super().__init__(
            f"The setup runtime is {state!r}; only a blocked one can be retried or waived.",
            code="setup-not-blocked",
        )
        self.state = state


def new_setup(plugin_version: str | None) -> SetupPending:
    """The state of a setup runtime that never ran."""
    return SetupPending(plugin_version=plugin_version or UNVERSIONED)


def after_attempt(
    state: SetupPending,
    *,
    completed: bool,
    now: datetime,
    max_attempts: int | None = None,
    error: str | None = None,
) -> SetupState:
    """The state after an attempt that ended, suspensions aside.

    Only the explicit signal (`completed`) makes it done. An attempt without it uses up budget, and
    the last one of `max_attempts` blocks: an empty budget is no completion.
    """
    counted = replace(state, attempts=state.attempts + 1, last_error=error)
    if completed:
        return SetupDone(
            plugin_version=counted.plugin_version,
            completed_at=now,
            generation=counted.generation,
            attempts=counted.attempts,
        )
    if max_attempts is not None and counted.attempts >= max_attempts:
        return block(counted, reason=ATTEMPTS_USED_UP, now=now)
    return counted


def block(state: SetupPending, *, reason: str, now: datetime) -> SetupBlocked:
    """The state of a runtime that waits for the player's decision."""
    return SetupBlocked(
        plugin_version=state.plugin_version,
        reason=reason,
        blocked_at=now,
        generation=state.generation,
        attempts=state.attempts,
        last_error=state.last_error,
    )


def retry(state: SetupState) -> SetupPending:
    """A blocked runtime pending again, with a fresh budget in the next generation.

    Raises:
        SetupNotBlockedError: The runtime is not blocked.
    """
    blocked = _blocked(state)
    return SetupPending(plugin_version=blocked.plugin_version, generation=blocked.generation + 1)


def waive(state: SetupState, *, warning: str, now: datetime) -> SetupDone:
    """A blocked runtime counted as done without its work; `warning` says what is missing.

    Raises:
        SetupNotBlockedError: The runtime is not blocked.
    """
    blocked = _blocked(state)
    return SetupDone(
        plugin_version=blocked.plugin_version,
        completed_at=now,
        resolution="waived",
        generation=blocked.generation,
        attempts=blocked.attempts,
        warning=warning,
    )


def for_version(state: SetupState, plugin_version: str | None) -> SetupState:
    """The state under the present version: a done setup of another version runs again."""
    version = plugin_version or UNVERSIONED
    if version in (UNVERSIONED, state.plugin_version):
        return state
    if isinstance(state, SetupDone):
        return SetupPending(plugin_version=version, generation=state.generation + 1)
    return replace(state, plugin_version=version)


def is_setup_finished(states: Iterable[SetupState]) -> bool:
    """Whether the session may go from phase `setup` to `playing`."""
    return all(isinstance(state, SetupDone) for state in states)


def _blocked(state: SetupState) -> SetupBlocked:
    if not isinstance(state, SetupBlocked):
        raise SetupNotBlockedError(state.state)
    return state
