"""Reports on background work, told while they come (spec/execution.md 9.6)."""

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Final

from covel_host.base.clock import Clock
from covel_host.runtime.progress import ReportingRun
from covel_host.turn.announcer import Announcer
from plugin_sdk.outcomes import JobState, JobStatus
from plugin_sdk.values import JsonValue

_ENDED: Final[frozenset[JobState]] = frozenset({"succeeded", "failed", "cancelled"})
_LOST: Final = "What it did was not committed."


@dataclass(slots=True)
class _Work:
    """One piece of work of a run: the last word on it, and the numbers that were used."""

    last: JobStatus
    sequences: set[int] = field(default_factory=set)


class ExecutionProgress:
    """The reports of one execution; they are live and never taken back."""

    def __init__(
        self, announcer: Announcer, clock: Clock, *, session_id: str, turn_id: str
    ) -> None:
        self._announcer = announcer
        self._clock = clock
        self._session_id = session_id
        self._turn_id = turn_id
        self._works: dict[tuple[ReportingRun, str], _Work] = {}

    async def report(self, run: ReportingRun, status: JobStatus) -> None:
        """Tell of the work `status.job_id` of a run; a number that was used is ignored."""
        work = self._works.setdefault((run, status.job_id), _Work(status))
        if status.sequence in work.sequences:
            return
        work.sequences.add(status.sequence)
        work.last = status
        await self._tell(run, status)

    async def close(self, lost: Collection[str]) -> None:
        """Say the last word on every work, once it is known what was committed.

        What a run left open has succeeded with it; of the runs in `lost` nothing was committed, so
        what they reported as succeeded has failed after all.
        """
        for (run, _), work in self._works.items():
            state: JobState = "failed" if run.run_id in lost else "succeeded"
            is_wrong = state == "failed" and work.last.state == "succeeded"
            if work.last.state in _ENDED and not is_wrong:
                continue
            message = _LOST if state == "failed" else None
            number = max(work.sequences) + 1
            await self._tell(run, replace(work.last, state=state, message=message, sequence=number))

    async def _tell(self, run: ReportingRun, status: JobStatus) -> None:
        told: dict[str, JsonValue] = {
            "sessionId": self._session_id,
            "progressScopeId": self._turn_id,
            "pluginId": run.plugin_id,
            "runtimeId": run.runtime_id,
            "jobId": status.job_id,
            "state": status.state,
            "progress": status.progress,
            "message": status.message,
            "data": status.data,
            "sequence": status.sequence,
            "createdAt": self._clock.now().isoformat(),
        }
        kept = {name: value for name, value in told.items() if value is not None}
        await self._announcer.tell("job-status.updated", **kept)
