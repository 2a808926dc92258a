"""Which runtimes an execution selects (spec/execution.md 3.2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from covel_host.base.errors import HostError
from covel_host.turn.schedule_types import (
    CommittedRuns,
    RuntimeDeclaration,
    Situation,
    Trigger,
)

_NEVER_RAN = CommittedRuns(runs=0, last_turn=0)


class UnknownRuntimeError(HostError):
    """A manual request names `runtime_id`, which no active package of the session has."""

    def __init__(self, runtime_id: str) -> None:
        super().__init__(
            f"The request names runtime {runtime_id!r}, which no active package has.",
            code="unknown-runtime",
            hint="Name a runtime of an active package.",
        )
        self.runtime_id = runtime_id


def select_runtimes(
    declarations: Iterable[RuntimeDeclaration], situation: Situation
) -> tuple[str, ...]:
    """IDs of the runtimes selected before any of them runs, by code points.

    A manual request selects the named runtime and nothing else. In phase `setup` only pending
    setup runtimes are selected; in phase `playing` they come beside the main loop, as a pass
    before `pre-turn`. Event runtimes are matched later, when their topic is emitted.

    Raises:
        UnknownRuntimeError: The manual request names a runtime that no declaration has.
    """
    if situation.manual_runtime_id is not None:
        return (_manual(declarations, situation.manual_runtime_id),)
    return tuple(sorted(d.runtime_id for d in declarations if _is_selected(d, situation)))


def trigger_allows(trigger: Trigger, runs: CommittedRuns | None, *, logical_turn: int) -> bool:
    """Whether `startTurn`, `maxTriggerCount` and `cooldownTurns` let a runtime run in this turn.

    The cooldown is a distance: a runtime whose last run was committed in turn 8 with a cooldown of
    3 may run in turn 11 (spec/decisions.md 5).
    """
    runs = runs or _NEVER_RAN
    if logical_turn < trigger.start_turn:
        return False
    if trigger.max_runs is not None and runs.runs >= trigger.max_runs:
        return False
    return runs.runs == 0 or logical_turn - runs.last_turn >= trigger.cooldown_turns


def subscribers_by_topic(
    declarations: Iterable[RuntimeDeclaration],
) -> Mapping[str, tuple[RuntimeDeclaration, ...]]:
    """Event runtimes of each topic, ordered by ID."""
    found: dict[str, list[RuntimeDeclaration]] = {}
    for declaration in declarations:
        if declaration.trigger.kind == "event" and declaration.trigger.topic is not None:
            found.setdefault(declaration.trigger.topic, []).append(declaration)
    return {
        topic: tuple(sorted(group, key=lambda d: d.runtime_id)) for topic, group in found.items()
    }


def _manual(declarations: Iterable[RuntimeDeclaration], runtime_id: str) -> str:
    if any(declaration.runtime_id == runtime_id for declaration in declarations):
        return runtime_id
    raise UnknownRuntimeError(runtime_id)


def _is_selected(declaration: RuntimeDeclaration, situation: Situation) -> bool:
    if declaration.stage == "setup":
        return situation.setup_state(declaration.runtime_id) == "pending"
    if situation.phase == "setup" or declaration.stage is None:
        return False
    trigger = declaration.trigger
    if trigger.kind == "scheduled":
        if situation.logical_turn % trigger.interval:
            return False
    elif trigger.kind != "auto":
        return False
    return trigger_allows(
        trigger,
        situation.ledger.get(declaration.runtime_id),
        logical_turn=situation.logical_turn,
    )
