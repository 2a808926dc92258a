"""What a deferred run is given, frozen while its source turn runs (spec/execution.md 9.2, 9.5).

The queue keeps values alone: neither keys nor code.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from covel_host.proposals.commit_units import HardDependency, RunRole, fallen_with
from covel_host.runtime.prompt_inputs import (
    Activation,
    BoundValue,
    EventActivation,
    InputBinding,
    StageActivation,
)
from covel_host.runtime.suspension import RunScene
from covel_host.store.jobs import JobActivation, JobRecord, enqueue_job
from covel_host.store.transaction import Transaction
from covel_host.trace.events import SessionEvent
from covel_host.turn.bindings import KERNEL
from covel_host.turn.facts import ExecutionFacts
from covel_host.turn.schedule_types import Job
from covel_host.turn.session_runtimes import SessionRuntime
from plugin_sdk.values import JsonObject

DEFERRED: Final = "deferred"
"""The reason of the result that a deferred run has in its source turn."""

DEFAULT_SETTLE_WAIT_MS: Final = 30_000


@dataclass(frozen=True, slots=True, kw_only=True)
class DeferredRun:
    """A run that the commit of its source execution queues.

    It is not queued where a run that it rests on is dropped from that commit.
    """

    job_id: str
    runtime: SessionRuntime
    activation: JobActivation
    scene: RunScene
    rests_on: tuple[HardDependency, ...] = ()
    role: RunRole = "other"

    @property
    def run_id(self) -> str:
        """What it is called among the runs of its source execution."""
        return self.job_id


def deferred_run(
    job: Job,
    runtime: SessionRuntime,
    facts: ExecutionFacts,
    *,
    job_id: str,
    inputs: Mapping[str, InputBinding],
    stories: tuple[str, ...],
    rests_on: tuple[HardDependency, ...],
) -> DeferredRun:
    """What `job` is to run with, as its source execution is now."""
    return DeferredRun(
        job_id=job_id,
        runtime=runtime,
        activation=job.activation,
        scene=frozen_scene(
            runtime, facts, activation=_activation(job, runtime), inputs=inputs, stories=stories
        ),
        rests_on=rests_on,
    )


def frozen_scene(
    runtime: SessionRuntime,
    facts: ExecutionFacts,
    *,
    activation: Activation,
    inputs: Mapping[str, InputBinding],
    stories: tuple[str, ...] = (),
) -> RunScene:
    """The values that a job runs with."""
    runtime_id = runtime.runtime_id
    return RunScene(
        activation=activation,
        locale=facts.session.locale,
        logical_turn=facts.logical_turn,
        turn_number=facts.frozen.journal.player_messages,
        inputs=dict(inputs),
        exports=dict(facts.frozen.exports.get(runtime_id, {})),
        player_message=facts.input.message,
        slot=facts.slot or facts.frozen.model_slots.get(runtime_id),
        stories=stories,
    )


def queue_deferred(
    transaction: Transaction,
    facts: ExecutionFacts,
    deferred: Sequence[DeferredRun],
    *,
    dropped: Collection[str],
    runtime_of: Mapping[str, str],
    at: datetime,
) -> tuple[SessionEvent, ...]:
    """Queue what a committed execution deferred; the events that tell of it.

    `dropped` are the IDs of runs that are not in the commit, `runtime_of` says whose each run was.
    They are shown to the jobs as failed, and what they gave is taken out of their inputs.
    """
    gone = {runtime_of[run_id] for run_id in dropped if run_id in runtime_of}
    kept = [one for one in deferred if fallen_with(one, dropped) is None]
    for one in kept:
        scene = replace(one.scene, inputs=_without(one.scene.inputs, gone))
        enqueue_job(transaction, new_job(facts, replace(one, scene=scene), at=at))
    return tuple(deferred_event(facts, one) for one in kept)


def new_job(facts: ExecutionFacts, one: DeferredRun, *, at: datetime) -> JobRecord:
    """The job as it is queued."""
    runtime = one.runtime
    limits: Any = runtime.manifest.schedule.detached_limits
    is_stage = one.activation == "stage"
    queue_ms = limits.max_queue_ms if is_stage and limits is not None else None
    described: JsonObject = {
        "incarnation": facts.session.incarnation,
        "pluginVersion": runtime.version,
        "sourceLogicalTurn": facts.logical_turn,
    }
    if is_stage and limits is not None:
        described["maxQueueMs"] = limits.max_queue_ms
        described["maxExecutionMs"] = limits.max_execution_ms
        described["settles"] = limits.settle is not None
        described["maxSettleWaitMs"] = limits.max_settle_wait_ms or DEFAULT_SETTLE_WAIT_MS
    return JobRecord(
        session_id=facts.session.session_id,
        job_id=one.job_id,
        plugin_id=runtime.plugin_id,
        runtime_id=runtime.runtime_id,
        activation=one.activation,
        source_turn_id=facts.turn_id,
        created_at=at,
        facts={name: value for name, value in described.items() if value is not None},
        input=one.scene.to_json(),
        queue_until=None if queue_ms is None else at + timedelta(milliseconds=queue_ms),
    )


def _without(inputs: Mapping[str, InputBinding], gone: Collection[str]) -> dict[str, InputBinding]:
    """The inputs without what runs gave that were dropped, and with a digest that says so."""
    kept = {}
    for slot, binding in inputs.items():
        values = tuple(
            _corrected(bound, gone) for bound in binding.values if bound.source not in gone
        )
        if values:
            kept[slot] = replace(binding, values=values)
    return kept


def _corrected(bound: BoundValue, gone: Collection[str]) -> BoundValue:
    value = bound.value
    if bound.source != KERNEL or not isinstance(value, dict):
        return bound
    results: Any = value.get("runtimeResults", [])
    told = [{**one, "status": "failed"} if one["runtimeId"] in gone else one for one in results]
    return replace(bound, value={**value, "runtimeResults": told})


def _activation(job: Job, runtime: SessionRuntime) -> Activation:
    if job.event is not None:
        return EventActivation(job.event.topic, job.event.data)
    assert runtime.declaration.stage is not None, "only what has a stage is detached from a turn"
    return StageActivation(runtime.declaration.stage)


def deferred_event(facts: ExecutionFacts, one: DeferredRun) -> SessionEvent:
    """What is told of a run that was queued."""
    return SessionEvent(
        type="runtime.deferred",
        session_id=facts.session.session_id,
        turn_id=facts.turn_id,
        payload={
            "runtimeId": one.runtime.runtime_id,
            "pluginId": one.runtime.plugin_id,
            "jobId": one.job_id,
            "sourceTurnId": facts.turn_id,
        },
    )
