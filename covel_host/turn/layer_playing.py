"""Playing one layer of an execution: its runs side by side (spec/execution.md 3.1)."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from covel_host.base.ids import IdSource
from covel_host.base.tasks import TaskTracker
from covel_host.proposals.commit_units import HardDependency
from covel_host.runtime.prompt_inputs import (
    Activation,
    EventActivation,
    ManualActivation,
    StageActivation,
)
from covel_host.runtime.result import RunFailure, RuntimeResult
from covel_host.runtime.runs import Run, new_run
from covel_host.turn.announcer import Announcer
from covel_host.turn.execution_inputs import inputs_of
from covel_host.turn.facts import ExecutionFacts, ManualTarget
from covel_host.turn.finished_runs import FinishedRun, FinishedRuns
from covel_host.turn.nested_runs import ExecutionNestedRuns
from covel_host.turn.run_making import RunActivation, RunMaker
from covel_host.turn.schedule_types import RunOutcome, ScheduledRun
from covel_host.turn.session_runtimes import SessionRuntime

ABORTED = RunFailure("aborted-by-player", "The execution was aborted before its commit.")
CANCELLED = RunFailure(
    "cancelled", "The run was cancelled before its commit, such as by closing the host."
)
CANCELLED_ITSELF = RunFailure("cancelled", "The run was cancelled by code of its own package.")
BROKEN = RunFailure(
    "internal",
    "The host itself failed in this turn; its log says where.",
    counts_as_error=False,
)


@dataclass(slots=True)
class _Playing:
    """One run of the layer; `result` is there once it has ended, however that was."""

    runtime: SessionRuntime
    run: Run
    rests_on: tuple[HardDependency, ...]
    result: RuntimeResult | None = None


class LayerPlayer:
    """Plays the layers of one execution, one after the other."""

    def __init__(
        self,
        facts: ExecutionFacts,
        maker: RunMaker,
        finished: FinishedRuns,
        nested: ExecutionNestedRuns,
        *,
        announcer: Announcer,
        ids: IdSource,
        tasks: TaskTracker,
    ) -> None:
        self._facts = facts
        self._maker = maker
        self._finished = finished
        self._nested = nested
        self._announcer = announcer
        self._ids = ids
        self._tasks = tasks
        self.was_cancelled = False
        self._is_broken = False

    async def play(self, layer: Sequence[ScheduledRun]) -> dict[str, RunOutcome]:
        """How the runs of the layer ended, by runtime ID.

        They see what the layers before made and nothing of each other. One that something inside
        the host cancelled has failed, and `was_cancelled` says that the execution must not go on.

        Raises:
            asyncio.CancelledError: the execution was cancelled; runs that had begun are kept as
                aborted.
            Exception: a defect of the host; the run that met it is kept as failed, the others of
                the layer as cancelled.
        """
        self._finished.enter(layer)
        playing = [self._made(scheduled) for scheduled in layer]
        try:
            if len(playing) == 1:
                await self._played(playing[0])
            else:
                async with asyncio.TaskGroup() as group:
                    for one in playing:
                        group.create_task(self._played(one))
        except ExceptionGroup as defects:
            raise defects.exceptions[0] from defects
        finally:
            self._keep(playing)
        return {one.runtime.runtime_id: one.outcome for one in self._finished.runs[-len(playing) :]}

    def cut_short(self, scheduled: ScheduledRun, failure: RunFailure) -> None:
        """Keep a run that was never to begin; nobody is told of it."""
        playing = self._made(scheduled)
        playing.result = playing.run.cut_short(failure)
        self._keep([playing])

    def _keep(self, playing: Sequence[_Playing]) -> None:
        for one in playing:
            if one.result is not None:
                finished = FinishedRun(
                    runtime=one.runtime,
                    result=one.result,
                    band=self._finished.band,
                    rests_on=one.rests_on,
                    nested=self._nested.ended_in(one.result.run_id),
                )
                self._finished.add(finished)

    def _made(self, scheduled: ScheduledRun) -> _Playing:
        runtime = self._facts.runtimes.by_id[scheduled.runtime_id]
        target = None if scheduled.depth else self._facts.target
        continued = None if target is None else target.continued
        activation = RunActivation(
            runtime=runtime,
            run_id=self._ids.new("run"),
            activation=_activation(scheduled, target),
            inputs=inputs_of(runtime, self._facts, self._finished),
            upstream=self._finished.upstream,
            stories=self._finished.stories,
            call=None if target is None else target.call,
            frozen=None if target is None else target.scene,
            resumed=None if continued is None else continued.run,
        )
        rests_on = self._finished.rests_on(runtime.declaration, scheduled.event)
        return _Playing(runtime, new_run(*self._maker.make(activation)), rests_on)

    async def _played(self, playing: _Playing) -> None:
        try:
            playing.result = await playing.run.result()
        except asyncio.CancelledError:
            if is_cancelled():
                failure = CANCELLED if self._is_broken else ABORTED
                playing.result = playing.run.cut_short(failure)
                await self._announcer.tell_runtime_end(playing.result)
                raise
            # Not the execution was cancelled, but the run: by closing the host, which ends the
            # execution as well; or by the package's own code, which ends nothing but its run.
            self.was_cancelled = self.was_cancelled or self._tasks.is_closing
            failure = CANCELLED if self._tasks.is_closing else CANCELLED_ITSELF
            playing.result = playing.run.cut_short(failure)
        except Exception:
            # The host's own failure: the run has ended all the same, and its siblings must not go
            # for aborted by the player.
            self._is_broken = True
            playing.result = playing.run.cut_short(BROKEN)
            await self._announcer.tell_runtime_end(playing.result)
            raise
        await self._announcer.tell_runtime_end(playing.result)


def is_cancelled() -> bool:
    """Whether the caller was cancelled; if not, the run was, by something inside the host."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _activation(scheduled: ScheduledRun, target: ManualTarget | None) -> Activation:
    if scheduled.event is not None:
        return EventActivation(scheduled.event.topic, scheduled.event.data)
    if target is not None and target.scene is not None:
        return target.scene.activation
    if target is not None:
        return ManualActivation(target.payload)
    assert scheduled.stage is not None, f"{scheduled.runtime_id} has neither stage nor event"
    return StageActivation(scheduled.stage)
