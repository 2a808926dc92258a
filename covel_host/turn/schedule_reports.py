"""Telling what scheduling decided: runtimes left out, and hazards (spec/execution.md 3.3, 3.4)."""

from collections.abc import Iterable
from dataclasses import asdict

from covel_host.base.ids import IdSource
from covel_host.runtime.result import RuntimeResult
from covel_host.trace.log import TraceLog
from covel_host.turn.announcer import Announcer
from covel_host.turn.declared_runtimes import PACKAGE_PAUSED
from covel_host.turn.execution_inputs import inputs_of
from covel_host.turn.facts import ExecutionFacts
from covel_host.turn.finished_runs import FinishedRun, FinishedRuns
from covel_host.turn.job_freezing import DEFERRED, deferred_run
from covel_host.turn.schedule import Schedule
from covel_host.turn.schedule_selection import select_runtimes
from covel_host.turn.schedule_types import Hazard, Job
from plugin_sdk.values import JsonValue

DROPPED_BY_HOOK = "A PreSchedule hook left it out."


class ScheduleReports:
    """Keeps a result for each runtime that was selected and does not run, and tells of it."""

    def __init__(
        self,
        facts: ExecutionFacts,
        finished: FinishedRuns,
        trace: TraceLog,
        announcer: Announcer,
        ids: IdSource,
    ) -> None:
        self._facts = facts
        self._finished = finished
        self._trace = trace
        self._announcer = announcer
        self._ids = ids
        self._skips = 0
        self._jobs = 0
        self._hazards = 0

    async def dropped(self, runtime_ids: Iterable[str]) -> None:
        """Tell of the runtimes that a hook dropped from the selection."""
        for runtime_id in runtime_ids:
            await self._left_out(runtime_id, DROPPED_BY_HOOK)

    async def tell(self, schedule: Schedule) -> None:
        """Tell what is new since the last call."""
        for hazard in schedule.hazards[self._hazards :]:
            self._trace.append("scheduling.hazard", _members(hazard), run_id=None, parent_id=None)
        for skip in schedule.skips[self._skips :]:
            await self._left_out(skip.runtime_id, skip.reason)
        for job in schedule.jobs[self._jobs :]:
            self._defer(job)
            await self._left_out(job.runtime_id, DEFERRED)
        self._hazards = len(schedule.hazards)
        self._skips, self._jobs = len(schedule.skips), len(schedule.jobs)

    def _defer(self, job: Job) -> None:
        """Freeze what a run that is queued is to run with, as the execution is now."""
        facts, finished = self._facts, self._finished
        runtime = facts.runtimes.by_id[job.runtime_id]
        finished.deferred.append(
            deferred_run(
                job,
                runtime,
                facts,
                job_id=self._ids.new("job"),
                inputs=inputs_of(runtime, facts, finished),
                stories=finished.stories,
                rests_on=finished.rests_on(runtime.declaration, job.event),
            )
        )

    async def paused(self) -> None:
        """Tell, at the end, of what would have run were its package not set aside."""
        paused = self._facts.runtimes.paused
        if not paused or self._facts.target is not None:
            return
        declarations = {name: runtime.declaration for name, runtime in paused.items()}
        selected = set(select_runtimes(declarations.values(), self._facts.situation))
        topics = {topic for run in self._finished.runs for topic, _ in run.outcome.events}
        for runtime_id, declaration in declarations.items():
            if runtime_id in selected or declaration.trigger.topic in topics:
                await self._left_out(runtime_id, PACKAGE_PAUSED)

    async def _left_out(self, runtime_id: str, reason: str) -> None:
        runtimes = self._facts.runtimes
        runtime = runtimes.by_id.get(runtime_id) or runtimes.paused[runtime_id]
        result = RuntimeResult(
            plugin_id=runtime.plugin_id,
            runtime_id=runtime_id,
            run_id=self._ids.new("run"),
            turn_id=self._facts.turn_id,
            status="skipped",
            duration_ms=0,
            reason=reason,
        )
        self._finished.runs.append(FinishedRun(runtime=runtime, result=result, was_left_out=True))
        self._trace.of_run(result.run_id).add(
            "runtime.skipped", runtimeId=runtime_id, pluginId=runtime.plugin_id, reason=reason
        )
        await self._announcer.tell_runtime_end(result)


def _members(hazard: Hazard) -> dict[str, JsonValue]:
    """The hazard with the member names of the trace."""
    members = asdict(hazard)
    for name, shown in _NAMES.items():
        if name in members:
            members[shown] = members.pop(name)
    return {name: list(v) if isinstance(v, tuple) else v for name, v in members.items()}


_NAMES = {"runtime_id": "runtimeId", "runtime_ids": "runtimeIds", "consumer_id": "consumerId"}
