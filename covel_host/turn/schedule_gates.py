"""Why a selected runtime may not run yet or at all (spec/execution.md 1.3, 3.1, 3.2)."""

from __future__ import annotations

from collections.abc import Iterable

from covel_host.turn.schedule_results import Results
from covel_host.turn.schedule_selection import trigger_allows
from covel_host.turn.schedule_setup import SetupNeeds
from covel_host.turn.schedule_types import (
    CommittedRuns,
    Dependency,
    RunOutcome,
    RuntimeDeclaration,
    Situation,
    SkipReason,
)


class Gates:
    """The gates of one execution, fed with what started and how it ended."""

    def __init__(self, declarations: Iterable[RuntimeDeclaration], situation: Situation) -> None:
        self._situation = situation
        self._setup = SetupNeeds.of(declarations, situation)
        self._setup_cycle = self._setup.cycle_members()
        self._results = Results()
        self._started_here: dict[str, int] = {}
        self._unfinished_setup: dict[str, set[str]] = {}
        for runtime_id, declaration in self._setup.runtimes.items():
            if situation.setup_state(runtime_id) != "done":
                self._unfinished_setup.setdefault(declaration.plugin_id, set()).add(runtime_id)

    def before_ordering(self, declaration: RuntimeDeclaration) -> SkipReason | None:
        """The reason that keeps a runtime out of its stage or depth altogether.

        A package's setup counts as finished as soon as its last setup runtime reported completion
        in this execution: the late pass before `pre-turn` is there to let the package go on. What
        was started by hand is held back by neither.
        """
        if declaration.runtime_id == self._situation.manual_runtime_id:
            return None
        if declaration.runtime_id in self._setup_cycle:
            return "setup-session-cycle"
        if declaration.stage != "setup" and self._unfinished_setup.get(declaration.plugin_id):
            return "setup-incomplete"
        return None

    def before_start(self, declaration: RuntimeDeclaration) -> SkipReason | None:
        """The reason that keeps a runtime from starting once its layer has come."""
        if declaration.is_story and self._results.dimensions_failed:
            return "dimension-snapshot-unavailable"
        for dependency in declaration.dependencies:
            if dependency.gates and not self._is_met(dependency):
                return _reason(dependency)
        return None

    def allows_follower(self, declaration: RuntimeDeclaration) -> bool:
        """Whether the trigger gates let an event start the runtime.

        Runs of this execution count as well, so that a topic emitted in several layers cannot pass
        `maxTriggerCount` or a cooldown.
        """
        runs = self._situation.ledger.get(declaration.runtime_id)
        started = self._started_here.get(declaration.runtime_id, 0)
        turn = self._situation.logical_turn
        if started:
            runs = CommittedRuns((runs.runs if runs else 0) + started, turn)
        return trigger_allows(declaration.trigger, runs, logical_turn=turn)

    def expect(self, declaration: RuntimeDeclaration) -> None:
        """Count a selected runtime among the providers of its contract."""
        self._results.expect(declaration)

    def note_start(self, runtime_id: str) -> None:
        """Count a run that starts now."""
        self._started_here[runtime_id] = self._started_here.get(runtime_id, 0) + 1

    def record(self, declaration: RuntimeDeclaration, outcome: RunOutcome) -> None:
        """Take up how a run ended."""
        self._results.record(declaration, outcome)
        if outcome.completes_setup and declaration.plugin_id in self._unfinished_setup:
            self._unfinished_setup[declaration.plugin_id].discard(declaration.runtime_id)

    def _is_met(self, dependency: Dependency) -> bool:
        if dependency.scope == "session":
            return self._setup.is_met(dependency)
        return self._results.is_met(dependency)


def _reason(dependency: Dependency) -> SkipReason:
    if dependency.scope == "session":
        return "session-need-unmet"
    return "need-unmet" if dependency.kind == "need" else "input-unmet"
