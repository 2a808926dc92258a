"""The vectors of scheduling, played by real packages in real turns."""

from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from covel_host.opening import open_catalog
from covel_host.store.session_clock import TriggerLedgerRow, write_clock
from covel_host.store.sessions import advance_session
from covel_host.store.setup_states import SetupBlocked, SetupDone, SetupPending, SetupState
from covel_host.store.transaction import Transaction
from covel_host.turn.admission import ManualRequest
from covel_host.turn.job_freezing import DEFERRED
from covel_host.turn.schedule_setup_records import UNVERSIONED
from tests.support.casts import Member, Table, at_table, cast, function
from tests.support.hosts import Recorder, settings_of
from tests.vectors import load_vectors

MANIFEST_KEYS = ("stage", "trigger", "needs", "after", "background", "detached")
REFUSED = {"setup-phase"}
"""Vectors that the manifest has no words for: `after` names a runtime of another package."""


def member(runtime: dict[str, Any], outcome: dict[str, Any]) -> Member:
    """The runtime of a vector as a function that ends as the vector says."""
    lines = [
        f"Event({one['topic']!r}, {one.get('data', {})!r})" for one in outcome.get("events", ())
    ]
    code = f"return success(1, effects=Effects(events=[{', '.join(lines)}]))"
    if outcome.get("status") == "failed":
        code = "raise ValueError('as the vector says')"
    io: dict[str, Any] = {"inputs": runtime.get("inputs", {})}
    if "contract" in runtime:
        io["output"] = {"contract": runtime["contract"]}
    if "visibility" in runtime:
        io["visibility"] = runtime["visibility"]
    schedule = {key: runtime[key] for key in MANIFEST_KEYS if key in runtime}
    return function(code, schedule=schedule, io=io)


def packages(home: Path, vector: dict[str, Any]) -> None:
    """Write the packages of a vector, and one that declares its topics."""
    outcomes = vector.get("outcomes") or {}
    casts: dict[str, dict[str, Member]] = {}
    contracts: dict[str, set[str]] = {}
    taken: set[str] = set()
    for runtime in vector["runtimes"]:
        plugin_id, _, name = runtime["id"].partition("/")
        casts.setdefault(plugin_id, {})[name] = member(runtime, outcomes.get(runtime["id"], {}))
        if "contract" in runtime:
            contracts.setdefault(plugin_id, set()).add(runtime["contract"])
        taken |= {
            given["from"]["contract"]
            for given in runtime.get("inputs", {}).values()
            if "contract" in given["from"]
        }
    for plugin_id, members in casts.items():
        offered = sorted(contracts.get(plugin_id, ()))
        cast(
            home,
            plugin_id,
            members,
            provides=offered,
            optional=sorted(taken),
            contracts={contract: {"schema": "./any.json"} for contract in offered},
        )
    topics = {
        event["topic"] for outcome in outcomes.values() for event in outcome.get("events", ())
    }
    topics |= {
        runtime["trigger"]["topic"]
        for runtime in vector["runtimes"]
        if runtime.get("trigger", {}).get("topic")
    }
    events = [
        {"topic": topic, "schema": "./any.json", "description": "It happened."}
        for topic in sorted(topics)
    ]
    cast(home, "zz-topics", {}, contributes={"events": events})


async def prepare(table: Table, vector: dict[str, Any]) -> None:
    """Give the session the clock of the vector."""
    ports, session = table.host.ports, table.session
    wanted = replace(
        session,
        phase=vector.get("phase", "playing"),
        completed_player_turns=vector["turn"] - 1,
    )
    rows = [
        TriggerLedgerRow(runtime_id=name, runs=row["runs"], last_turn=row["lastTurn"])
        for name, row in vector.get("history", {}).items()
    ]
    now = ports.clock.now()

    def write(transaction: Transaction) -> None:
        advance_session(transaction, wanted, turn_id=None, at=now)
        write_clock(
            transaction,
            session.session_id,
            triggers=rows,
            setup={
                name: state(progress, now) for name, progress in vector.get("setup", {}).items()
            },
            revision=session.revision + 1,
            at=now,
        )

    await ports.store.transaction(write)


def state(progress: str, now: datetime) -> SetupState:
    """A stored state of that progress, of packages without a version."""
    if progress == "done":
        return SetupDone(plugin_version=UNVERSIONED, completed_at=now)
    if progress == "blocked":
        return SetupBlocked(plugin_version=UNVERSIONED, reason="attempts-used-up", blocked_at=now)
    return SetupPending(plugin_version=UNVERSIONED)


async def played(table: Table, vector: dict[str, Any]) -> tuple[Any, Recorder]:
    await prepare(table, vector)
    if "manual" in vector:
        observer = Recorder()
        request = ManualRequest(target=vector["manual"], session_id=table.session_id)
        return await table.host.run(request, observer=observer), observer
    turn = await table.play()
    return turn.report.executions[0], turn.observer


VECTORS = {vector.id: vector for vector in load_vectors("scheduling")}


@pytest.mark.parametrize("vector", [VECTORS[name] for name in sorted(VECTORS.keys() - REFUSED)])
def test_a_turn_runs_what_the_vector_says(vector: dict[str, Any], tmp_path: Path) -> None:
    packages(tmp_path, vector)
    report, observer = at_table(tmp_path, lambda table: played(table, vector))
    expect = vector["expect"]
    started = [
        str(event.payload["runtimeId"])
        for event in observer.events
        if event.type == "runtime.started" and event.turn_id == report.turn_id
    ]
    if "layers" in expect:
        assert started == [name for layer in expect["layers"] for name in layer], vector["why"]
    reasons = {
        one.runtime_id: one.reason
        for one in report.results
        if one.status == "skipped" and one.reason != DEFERRED
    }
    if "skipped" in expect:
        assert reasons.keys() == expect["skipped"].keys(), vector["why"]
    if "jobs" in expect:
        jobs = [one.runtime_id for one in report.results if one.reason == DEFERRED]
        assert jobs == expect["jobs"], vector["why"]
    if "hazards" in expect:
        hazards = [one.data for one in observer.trace if one.type == "scheduling.hazard"]
        assert hazards == expect["hazards"], vector["why"]


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_waiting_for_a_runtime_of_another_package_is_refused_before(
    name: str, tmp_path: Path
) -> None:
    (vector,) = VECTORS[name].values
    packages(tmp_path, vector)
    catalog = open_catalog(settings_of(tmp_path))
    assert any(state.reading.blocks_loading for state in catalog.packages.values())
