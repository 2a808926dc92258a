"""What a session remembers of its setup runtimes: one of three states each, and their JSON.

The rules that move them are those of `turn.schedule_setup_records` (spec/execution.md 1.3).
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Literal, TypeAlias

from covel_host.store.values import parsed_time, time_text
from plugin_sdk.values import JsonObject, JsonValue

SetupProgress: TypeAlias = Literal["pending", "done", "blocked"]
SetupResolution: TypeAlias = Literal["completed", "waived"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupPending:
    """Not finished; `attempts` ended ones of this `generation`, the last with `last_error`."""

    state: ClassVar[Literal["pending"]] = "pending"

    plugin_version: str
    generation: int = 1
    attempts: int = 0
    last_error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupDone:
    """Finished by its explicit signal, or waived by the player; `warning` says what is missing."""

    state: ClassVar[Literal["done"]] = "done"

    plugin_version: str
    completed_at: datetime
    resolution: SetupResolution = "completed"
    generation: int = 1
    attempts: int = 0
    warning: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupBlocked:
    """Waits for the player's decision: to retry it, or to go on without it."""

    state: ClassVar[Literal["blocked"]] = "blocked"

    plugin_version: str
    reason: str
    blocked_at: datetime
    generation: int = 1
    attempts: int = 0
    last_error: str | None = None


SetupState: TypeAlias = SetupPending | SetupDone | SetupBlocked


def setup_state_json(state: SetupState) -> JsonObject:
    """The state as it is stored and shown; members that are not set are left out."""
    given: dict[str, JsonValue] = {
        "state": state.state,
        "pluginVersion": state.plugin_version,
        "generation": state.generation,
        "attempts": state.attempts,
    }
    if isinstance(state, SetupDone):
        given["resolution"] = state.resolution
        given["completedAt"] = time_text(state.completed_at)
        given["warning"] = state.warning
        return _set(given)
    if isinstance(state, SetupBlocked):
        given["reason"] = state.reason
        given["blockedAt"] = time_text(state.blocked_at)
    given["lastError"] = state.last_error
    return _set(given)


def setup_state_of(stored: Any) -> SetupState:
    """The state that `setup_state_json` wrote."""
    common: dict[str, Any] = {
        "plugin_version": stored["pluginVersion"],
        "generation": stored["generation"],
        "attempts": stored["attempts"],
    }
    match stored["state"]:
        case "done":
            return SetupDone(
                **common,
                resolution=stored["resolution"],
                completed_at=parsed_time(stored["completedAt"]),
                warning=stored.get("warning"),
            )
        case "blocked":
            return SetupBlocked(
                **common,
                reason=stored["reason"],
                blocked_at=parsed_time(stored["blockedAt"]),
                last_error=stored.get("lastError"),
            )
        case _:
            return SetupPending(**common, last_error=stored.get("lastError"))


def _set(given: dict[str, JsonValue]) -> JsonObject:
    return {name: value for name, value in given.items() if value is not None}
