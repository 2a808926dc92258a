"""`scheduling.json`: selection, order, skips and events of one turn."""

import dataclasses
from typing import Any

from covel_host.turn.schedule import Schedule
from covel_host.turn.schedule_manifest import declare_runtime
from covel_host.turn.schedule_types import (
    CommittedRuns,
    Hazard,
    RunOutcome,
    RuntimeDeclaration,
    Situation,
)
from tests.vector_adapters.comparing import same_json


def check(vector: dict[str, Any]) -> None:
    schedule = Schedule(
        [declaration_of(runtime) for runtime in vector["runtimes"]], situation_of(vector)
    )
    layers = drive(schedule, vector.get("outcomes"))
    expect = vector["expect"]
    if "layers" in expect:
        assert layers == expect["layers"]
    skipped = {skip.runtime_id: skip.reason for skip in schedule.skips}
    if "skipped" in expect:
        assert skipped.keys() == expect["skipped"].keys(), skipped
        for runtime_id, reason in expect["skipped"].items():
            assert reason in (None, skipped[runtime_id]), skipped
    if "deliveries" in expect:
        deliveries = [
            {"topic": one.event.topic, "data": one.event.data, "to": sorted(one.to)}
            for one in schedule.deliveries
        ]
        wanted = [{**one, "to": sorted(one["to"])} for one in expect["deliveries"]]
        assert same_json(deliveries, wanted), deliveries
    if "hazards" in expect:
        assert same_json([members_of(one) for one in schedule.hazards], expect["hazards"])
    if "jobs" in expect:
        assert [job.runtime_id for job in schedule.jobs] == expect["jobs"]


def situation_of(vector: dict[str, Any]) -> Situation:
    return Situation(
        logical_turn=vector["turn"],
        phase=vector.get("phase", "playing"),
        setup_states=vector.get("setup", {}),
        ledger={
            runtime_id: CommittedRuns(row["runs"], row["lastTurn"])
            for runtime_id, row in vector.get("history", {}).items()
        },
        manual_runtime_id=vector.get("manual"),
    )


def declaration_of(runtime: dict[str, Any]) -> RuntimeDeclaration:
    """A declaration from the flat form of the vectors."""
    return declare_runtime(
        runtime["id"],
        plugin_id=runtime["id"].split("/")[0],
        schedule={
            key: runtime[key]
            for key in ("stage", "trigger", "needs", "after", "background", "detached")
            if key in runtime
        },
        io={
            "inputs": runtime.get("inputs", {}),
            "output": {"contract": runtime.get("contract")},
            "visibility": runtime.get("visibility", "plugin"),
        },
        effects=runtime.get("effects"),
    )


def outcome_of(given: dict[str, Any]) -> RunOutcome:
    """An outcome from the form of the vectors."""
    return RunOutcome(
        status=given.get("status", "success"),
        events=tuple((event["topic"], event.get("data", {})) for event in given.get("events", ())),
        explicit_skip=given.get("explicit_skip", False),
        completes_setup=given.get("completes_setup", False),
    )


def drive(schedule: Schedule, outcomes: dict[str, dict[str, Any]] | None = None) -> list[list[str]]:
    """Run `schedule` to its end with the given outcomes; the layers that ran."""
    layers = []
    while layer := schedule.next_layer():
        layers.append([run.runtime_id for run in layer])
        schedule.settle(
            {run.runtime_id: outcome_of((outcomes or {}).get(run.runtime_id, {})) for run in layer}
        )
    return layers


def members_of(hazard: Hazard) -> dict[str, object]:
    """A hazard with the member names of the vectors."""
    names = {"runtime_id": "runtimeId", "runtime_ids": "runtimeIds", "consumer_id": "consumerId"}
    return {names.get(name, name): value for name, value in dataclasses.asdict(hazard).items()}


CHECKS = {None: check}
