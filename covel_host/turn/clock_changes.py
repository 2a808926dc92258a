"""What an execution changes of its session's clock (spec/execution.md 1.3, 3.2)."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from covel_host.runtime.shown_result import shown_failure
from covel_host.store.records import SessionPhase
from covel_host.store.session_clock import TriggerLedgerRow
from covel_host.store.setup_states import SetupPending, SetupState
from covel_host.turn.facts import ExecutionFacts
from covel_host.turn.finished_runs import FinishedRun
from covel_host.turn.schedule_setup_records import after_attempt, block, is_setup_finished
from covel_host.turn.schedule_types import CommittedRuns

SETUP_CYCLE = "setup-session-cycle"


@dataclass(frozen=True, slots=True)
class SetupChanges:
    """The setup states that change, by runtime ID, and the session's new phase, None as it was."""

    states: dict[str, SetupState]
    phase: SessionPhase | None = None


def setup_changes(
    facts: ExecutionFacts, runs: Iterable[FinishedRun], *, now: datetime
) -> SetupChanges:
    """What a commit makes of the session's setup.

    Each attempt counts. When every setup runtime is done the session begins to play.
    """
    if facts.is_by_hand:
        return SetupChanges({})
    states = dict(_attempts(facts, runs, now=now, is_committed=True))
    after = {**facts.clock.setup, **states}
    is_over = facts.session.phase == "setup" and is_setup_finished(after.values())
    return SetupChanges(states, "playing" if is_over else None)


def attempts_lost(
    facts: ExecutionFacts, runs: Iterable[FinishedRun], *, error: str, now: datetime
) -> dict[str, SetupState]:
    """What an execution that was rolled back makes of the session's setup.

    An attempt uses up budget all the same, and none of them is done; `error` is kept of those that
    had gone well.
    """
    if facts.is_by_hand:
        return {}
    return dict(_attempts(facts, runs, now=now, is_committed=False, error=error))


def trigger_rows(
    facts: ExecutionFacts, runs: Iterable[FinishedRun], *, dropped: Collection[str]
) -> list[TriggerLedgerRow]:
    """The rows of the trigger ledger that change: runs that succeeded and were committed count.

    A run by hand moves no clock, and setup has budgets of its own.
    """
    if facts.is_by_hand:
        return []
    counted: dict[str, int] = {}
    for run in runs:
        is_setup = run.runtime.declaration.stage == "setup"
        if run.result.status == "success" and not is_setup and run.result.run_id not in dropped:
            runtime_id = run.runtime.runtime_id
            counted[runtime_id] = counted.get(runtime_id, 0) + 1
    return [
        TriggerLedgerRow(
            runtime_id=runtime_id,
            runs=facts.clock.ledger.get(runtime_id, CommittedRuns(0, 0)).runs + count,
            last_turn=facts.logical_turn,
        )
        for runtime_id, count in counted.items()
    ]


def _attempts(
    facts: ExecutionFacts,
    runs: Iterable[FinishedRun],
    *,
    now: datetime,
    is_committed: bool,
    error: str | None = None,
) -> Iterable[tuple[str, SetupState]]:
    for run in runs:
        state = facts.clock.setup.get(run.runtime.runtime_id)
        if not isinstance(state, SetupPending):
            continue
        result = run.result
        if run.was_left_out:
            if result.reason == SETUP_CYCLE:
                yield run.runtime.runtime_id, block(state, reason=SETUP_CYCLE, now=now)
        elif result.status != "suspended":
            failure = shown_failure(result)
            yield (
                run.runtime.runtime_id,
                after_attempt(
                    state,
                    completed=is_committed and run.outcome.completes_setup,
                    now=now,
                    max_attempts=run.runtime.declaration.trigger.max_runs,
                    error=error if failure is None else failure.message,
                ),
            )
