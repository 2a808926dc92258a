"""What the next turn of a session would run, and why each runtime would or would not.

Nothing is run or loaded: every run is taken to go well and to emit nothing.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from covel_host.manifest.reading import PackageReading
from covel_host.store.records import SessionPhase, SessionStatus
from covel_host.store.session_clock import SessionClock
from covel_host.turn.declared_runtimes import DeclaredRuntime, declared_runtimes
from covel_host.turn.job_freezing import DEFERRED
from covel_host.turn.plan_reasons import why_not_selected, why_selected
from covel_host.turn.schedule import Schedule
from covel_host.turn.schedule_selection import select_runtimes
from covel_host.turn.schedule_types import (
    CommittedRuns,
    Hazard,
    RunOutcome,
    RuntimeDeclaration,
    Situation,
)
from covel_host.turn.storytellers import Storytellers, storytellers
from covel_host.turn.turn_clock import present_setup


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """A runtime of the plan; `why` is a clause that says why it runs, or does not.

    `code` is stable where it does not run, and None where it does.
    """

    runtime_id: str
    stage: str | None
    why: str
    code: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnPlan:
    """The layers of the next turn in order, and every other runtime of the session.

    `missing` are active packages that are not installed, `untrusted` those whose code nobody
    allowed to run: a turn is played without them. With a status other than `active` nothing runs.
    `stories` are the runtimes that tell the story of some turn, whether of this one or another.
    """

    session_id: str
    status: SessionStatus
    phase: SessionPhase
    logical_turn: int
    layers: tuple[tuple[PlannedRun, ...], ...]
    others: tuple[PlannedRun, ...]
    hazards: tuple[Hazard, ...]
    stories: Storytellers
    missing: tuple[str, ...] = ()
    untrusted: tuple[str, ...] = ()


def plan_turn(
    session_id: str,
    status: SessionStatus,
    clock: SessionClock,
    packages: Mapping[str, PackageReading | None],
    *,
    paused: frozenset[str] = frozenset(),
    broken: frozenset[str] = frozenset(),
    untrusted: frozenset[str] = frozenset(),
) -> TurnPlan:
    """The plan for the session's next turn; `packages` are its active ones, None where missing.

    Those of `paused` are set aside after repeated errors. Those of `broken` and `untrusted` are not
    loaded for a turn, which then knows nothing of them.
    """
    installed = [reading for reading in packages.values() if reading is not None]
    readings = [one for one in installed if one.plugin_id not in broken | untrusted]
    found, left_out = declared_runtimes(readings, paused=paused)
    declarations = [one.declaration for one in found]
    situation = _situation(clock, found)
    selected = select_runtimes(declarations, situation) if status == "active" else ()
    schedule = Schedule(declarations, situation, selected=selected)
    layers = tuple(_layers(schedule, {one.runtime_id: one for one in declarations}))
    planned = {run.runtime_id for layer in layers for run in layer}
    return TurnPlan(
        session_id=session_id,
        status=status,
        phase=clock.phase,
        logical_turn=situation.logical_turn,
        layers=layers,
        others=(
            *_others(declarations, situation, schedule, planned, status),
            *(PlannedRun(one.runtime_id, None, one.message, one.code) for one in left_out),
            *_unloaded(installed, broken, untrusted),
        ),
        hazards=schedule.hazards,
        stories=storytellers(found),
        missing=tuple(name for name, reading in packages.items() if reading is None),
        untrusted=tuple(name for name in packages if name in untrusted),
    )


def _situation(clock: SessionClock, found: Iterable[DeclaredRuntime]) -> Situation:
    return Situation(
        logical_turn=clock.completed_player_turns + 1,
        phase=clock.phase,
        setup_states={
            one.reading.runtime_id: present_setup(clock, one.reading.runtime_id, one.version).state
            for one in found
            if one.declaration.stage == "setup"
        },
        ledger={
            name: CommittedRuns(row.runs, row.last_turn) for name, row in clock.triggers.items()
        },
    )


def _layers(
    schedule: Schedule, declarations: Mapping[str, RuntimeDeclaration]
) -> Iterable[tuple[PlannedRun, ...]]:
    while layer := schedule.next_layer():
        yield tuple(
            PlannedRun(run.runtime_id, run.stage, why_selected(declarations[run.runtime_id]))
            for run in layer
        )
        schedule.settle({run.runtime_id: RunOutcome(completes_setup=True) for run in layer})


def _unloaded(
    installed: Iterable[PackageReading], broken: frozenset[str], untrusted: frozenset[str]
) -> Iterable[PlannedRun]:
    for package in installed:
        if package.plugin_id in broken:
            code, why = "package-not-loaded", "has problems and is not loaded"
        elif package.plugin_id in untrusted:
            code, why = "package-untrusted", "has code that nobody allowed to run"
        else:
            continue
        for runtime in package.runtimes:
            why_not = f"its package {package.plugin_id!r} {why}"
            yield PlannedRun(runtime.runtime_id, None, why_not, code)


def _others(
    declarations: Sequence[RuntimeDeclaration],
    situation: Situation,
    schedule: Schedule,
    planned: set[str],
    status: SessionStatus,
) -> Iterable[PlannedRun]:
    skipped = {skip.runtime_id: skip.reason for skip in schedule.skips}
    jobs = {job.runtime_id for job in schedule.jobs}
    for declaration in sorted(declarations, key=lambda one: one.runtime_id):
        runtime_id = declaration.runtime_id
        if runtime_id in planned:
            continue
        if status != "active":
            code, why = "session-not-active", f"the session is {status}"
        elif runtime_id in jobs:
            code, why = DEFERRED, "it runs as a job after the turn"
        else:
            code, why = why_not_selected(declaration, situation, skipped.get(runtime_id))
        yield PlannedRun(runtime_id, declaration.stage, why, code)
