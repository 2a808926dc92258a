"""What became of an execution, for whoever asked for it and for the session's clients."""

from dataclasses import dataclass

from covel_host.runtime.result import RunFailure, RuntimeResult
from covel_host.store.records import SessionRecord
from covel_host.turn.facts import ExecutionFacts
from covel_host.turn.finished_runs import FinishedRuns
from covel_host.turn.layer_playing import ABORTED
from covel_host.turn.settling import Settled
from plugin_sdk.values import JsonValue

TURN_VETOED = "turn-vetoed"
"""The code of an execution that a `turn_start` hook did not let start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionReport:
    """What became of an execution; `committed` is the only proof that anything was stored.

    `results` are those of all its runs in execution order, and of the runtimes that were selected
    and left out. `session` is the session after the commit. `failure` says why nothing was
    committed.
    """

    session_id: str
    turn_id: str
    results: tuple[RuntimeResult, ...]
    session: SessionRecord | None = None
    failure: RunFailure | None = None

    @property
    def committed(self) -> bool:
        """Whether the execution was committed."""
        return self.failure is None

    @property
    def revision(self) -> int | None:
        """The session's revision after it, None where nothing was committed."""
        return None if self.session is None else self.session.revision

    @property
    def result(self) -> RuntimeResult:
        """The result of what was started by hand: the first one."""
        return self.results[0]


def is_continued(facts: ExecutionFacts, report: ExecutionReport) -> bool:
    """Whether the opening follows: a player's action has finished the session's setup.

    Spec/execution.md 2.3.
    """
    return (
        facts.origin == "player"
        and facts.session.phase == "setup"
        and report.session is not None
        and report.session.phase == "playing"
    )


def end_facts(
    finished: FinishedRuns, settled: Settled, *, duration_ms: int
) -> dict[str, JsonValue]:
    """The members of `execution.completed` (spec/protocol.md 3.2)."""
    told: dict[str, JsonValue] = {
        "runtimeCount": len(finished.runs),
        "resultCount": len(finished.results),
        "durationMs": duration_ms,
        "committed": settled.failure is None,
    }
    failure = settled.failure
    if failure is ABORTED:
        told["abortReason"] = ABORTED.code
    elif failure is not None and failure.code == TURN_VETOED:
        # Like the player's own, this abort is a decision and no error.
        told["abortReason"] = failure.message
    elif failure is not None:
        told["error"] = {"code": failure.code, "message": failure.message}
    if settled.needs_resync:
        told["resync"] = True
    return told
