"""What a tool call costs on the host's one path, and a whole agent run with eight of them."""

import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import median
from typing import TypeAlias

from benchmarks.rounds import table, verdict
from benchmarks.tools_host import (
    AgentRuns,
    ExecutorCalls,
    eight_waits,
    floor,
    one_wait,
    searches,
)
from benchmarks.tools_peers import agent_peers, call_peers

Case: TypeAlias = Callable[[], Awaitable[object]]

ROUNDS = 15
GOAL_CALL, GOAL_LIMITED, GOAL_POOL = 6.0, 16.0, 1.06
GOAL_RUN_MS, GOAL_RUN_RATIO, GOAL_SEARCH_MS = 0.6, 0.12, 5.0

CALLS = (
    "A trivial async tool of two integers, called with 16 bytes of JSON text. Floor: pydantic's "
    "`validate_json` and an await. The executor's times hold authorisation, resolution, approval, "
    "arguments, context, function, read-only check, copy, envelope and the facts of the audit."
)
RUNS = (
    "A scripted model that asks for eight calls of such a tool and then ends the run: prompt, "
    "loop, pool, envelopes, audit, results. Peer: pydantic-ai's `Agent.run` with a `FunctionModel` "
    "that does the same."
)


def report() -> str:
    """The section of RESULTS.md."""
    return asyncio.run(_report())


async def _report() -> str:
    async with AsyncExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory()))
        calls = ExecutorCalls()
        peers, notes = await call_peers(opened)
        measured = await _medians(
            {
                "`validate_json` and await (floor)": (floor, 5_000),
                "executor": (calls.call, 1_000),
                "executor, with the trace": (calls.traced, 1_000),
                "executor, tool with a limit": (calls.limited, 500),
                **{f"peer: {name}": (case, 100) for name, case in peers.items()},
            }
        )
        plain = AgentRuns(folder / "plain")
        opened.callback(plain.close)
        heard = AgentRuns(folder / "heard", is_heard=True)
        opened.callback(heard.close)
        played = await _medians(
            {
                "agent run": (plain.play, 20),
                "agent run, two hooks at each call": (heard.play, 20),
                **{f"peer: {name}": (case, 10) for name, case in agent_peers().items()},
            }
        )
        pool = await _medians({"one wait": (one_wait, 1), "eight calls": (eight_waits(), 1)})
    parts = ["## Tools", "", CALLS, "", _call_table(measured), *notes, "", RUNS, ""]
    return "\n".join([*parts, _run_table(played), _other_table(pool)])


def _call_table(measured: Mapping[str, float]) -> str:
    goals = {"executor": GOAL_CALL, "executor, tool with a limit": GOAL_LIMITED}
    base = next(iter(measured.values()))
    rows = []
    for name, seconds in measured.items():
        ratio, goal = seconds / base, goals.get(name)
        cells = [f"{seconds * 1e6:.1f}", f"{ratio:.1f}", goal or "", verdict(ratio, goal)]
        rows.append([name, *cells])
    return table(["one call", "µs", "ratio to floor", "goal", ""], rows)


def _run_table(played: Mapping[str, float]) -> str:
    peer = min(seconds for name, seconds in played.items() if name.startswith("peer"))
    rows = []
    for name, seconds in played.items():
        is_peer = name.startswith("peer")
        met = seconds * 1e3 <= GOAL_RUN_MS and seconds / peer <= GOAL_RUN_RATIO
        goal = "" if is_peer else f"{GOAL_RUN_MS} ms, {GOAL_RUN_RATIO}"
        told = "" if is_peer else "met" if met else "missed"
        rows.append([name, f"{seconds * 1e3:.2f}", f"{seconds / peer:.2f}", goal, told])
    return table(["one run", "ms", "ratio to the best peer", "goal", ""], rows)


def _other_table(pool: Mapping[str, float]) -> str:
    ratio = pool["eight calls"] / pool["one wait"]
    search = searches()
    first = _seconds(search)
    again = median(_seconds(search) for _ in range(ROUNDS))
    measured = (
        ("8 calls of 5 ms in a pool, against one wait of 5 ms", ratio, GOAL_POOL),
        ("`search-tools` over 500 tools, ms", again * 1e3, GOAL_SEARCH_MS),
        ("the same, the first time in a process, ms", first * 1e3, None),
    )
    rows = [
        [name, f"{value:.2f}", goal or "", verdict(value, goal)] for name, value, goal in measured
    ]
    return table(["what", "measured", "goal", ""], rows)


def _seconds(case: Callable[[], object]) -> float:
    start = time.perf_counter()
    case()
    return time.perf_counter() - start


async def _medians(cases: Mapping[str, tuple[Case, int]]) -> dict[str, float]:
    """Median seconds per call; the cases alternate. The first round warms up."""
    times: dict[str, list[float]] = {name: [] for name in cases}
    for round_number in range(ROUNDS + 1):
        for name, (case, repeat) in cases.items():
            start = time.perf_counter()
            for _ in range(repeat):
                await case()
            if round_number:
                times[name].append((time.perf_counter() - start) / repeat)
    return {name: median(values) for name, values in times.items()}
