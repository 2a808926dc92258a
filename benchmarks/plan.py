"""What it costs to decide which runtimes of a turn run, in which order."""

from graphlib import TopologicalSorter
from typing import Any

from benchmarks.rounds import median_times, table, verdict
from covel_host.turn.schedule import Schedule
from covel_host.turn.schedule_manifest import declare_runtime
from covel_host.turn.schedule_types import RunOutcome, RuntimeDeclaration, Situation

RUNTIMES = 200
GOAL_MS = 5.0
SETTING = (
    f"{RUNTIMES} runtimes in four stages: most wait for one before them and read a contract that "
    "five offer; one in ten follows an event. Floor: a bare topological sort of the edges between "
    "runtimes, without stages, triggers, skips, events and hazards."
)
STAGES = ("pre-turn", "narrative", "post-turn", "audit")


def report() -> str:
    """The section of RESULTS.md."""
    declarations = [_declaration(number) for number in range(RUNTIMES)]
    floor = "graphlib, edges only (floor)"
    times = median_times(
        {
            "Schedule, from declarations to the last layer": lambda: plan(declarations),
            floor: lambda: sort(declarations),
        },
        rounds=25,
        repeat=5,
    )
    rows = []
    for name, seconds in times.items():
        goal = None if name == floor else GOAL_MS
        milliseconds = seconds * 1000
        cells = [f"{milliseconds:.2f}", f"{seconds / times[floor]:.1f}", goal or ""]
        rows.append([name, *cells, verdict(milliseconds, goal)])
    return "\n".join(
        [
            "## Plan of a turn",
            "",
            SETTING,
            "",
            table(["plan", "ms", "ratio to floor", "goal ms", ""], rows),
        ]
    )


def _declaration(number: int) -> RuntimeDeclaration:
    offers = number % 40 == 0
    schedule: dict[str, Any] = {"stage": STAGES[number * len(STAGES) // RUNTIMES]}
    if number % 10 == 9:
        schedule = {"trigger": {"type": "event", "topic": "bell.rung"}}
    elif number % 10:
        schedule["needs"] = [_runtime_id(number - 1)]
    return declare_runtime(
        _runtime_id(number),
        plugin_id=_runtime_id(number).split("/")[0],
        schedule=schedule,
        io={
            "inputs": {} if offers else {"facts": {"from": {"contract": "facts@1"}}},
            "output": {"contract": "facts@1" if offers else None},
        },
        effects={"reads": ["characters:*"], "writes": [f"plugin-data:self:rows-{number}"]},
    )


def _runtime_id(number: int) -> str:
    return f"plugin-{number // 10}/runtime-{number % 10}"


def plan(declarations: list[RuntimeDeclaration]) -> int:
    """The number of runs of a turn in which every runtime succeeds and the first one rings."""
    schedule = Schedule(declarations, Situation(logical_turn=4))
    rings = RunOutcome(events=(("bell.rung", {}),))
    runs = 0
    while layer := schedule.next_layer():
        runs += len(layer)
        schedule.settle(
            {
                one.runtime_id: rings if one.runtime_id == _runtime_id(0) else RunOutcome()
                for one in layer
            }
        )
    return runs


def sort(declarations: list[RuntimeDeclaration]) -> list[str]:
    """The runtimes in an order that the edges between them allow."""
    offers = [one.runtime_id for one in declarations if one.contract]
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for one in declarations:
        direct = [edge.runtime_id for edge in one.dependencies if edge.runtime_id]
        sorter.add(one.runtime_id, *direct, *(() if one.contract else offers))
    return list(sorter.static_order())
