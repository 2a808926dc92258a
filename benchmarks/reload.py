"""How long after a save the new code serves, what is missed, and what watching costs at rest."""

import math
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.reload_calls import calls_section
from benchmarks.reload_hosts import Served, covel, covel_with_moves, write_package
from benchmarks.reload_peers import BARE_RELOAD, FLOOR, PEERS
from benchmarks.rounds import table, verdict
from covel_host.catalog.folders import PluginFolder
from covel_host.catalog.watching import PluginWatcher
from covel_host.catalog.watching_files import SETTLED_AFTER_S
from covel_host.catalog.watching_pending import QUIET_S

ROUNDS = 100
SLOW_ROUNDS = 12
PAIRS = 200
PEER_PAIRS = 20
PAIR_S = 0.06
PATIENCE_S = 15.0
MISSED_AFTER_S = 0.6
WATCHED = 1_000
REST_S = 25.0
MEDIAN_MS = QUIET_S * 1000 + 20
P99_MS = 300
REST_PERCENT = 1.0
SETTING = (
    "A package with one tool is saved; the time runs until a call gives the new value. Covel waits "
    f"{QUIET_S * 1000:.0f} ms for quiet, reads the whole package, checks its manifest, loads it "
    "beside the old one and swaps. Floor: one file compiled and run at the first notice, without "
    "waiting. uvicorn and fastmcp are timed until the new process has imported the file, which is "
    "before it serves. Peers that are not installed are left out."
)


@dataclass(frozen=True, slots=True)
class Case:
    """One way to take edits over; only our own has goals."""

    name: str
    opened: Callable[[Path], AbstractContextManager[Served]]
    rounds: int = ROUNDS
    has_goals: bool = False


def report() -> str:
    """The section of RESULTS.md."""
    parts = ["## Reload", "", SETTING, "", _latency(), _misses(), _rest(), calls_section()]
    return "\n".join(parts)


def _cases() -> list[Case]:
    own = [
        Case("Covel", covel, has_goals=True),
        Case("Covel, a package moved out or in just before", covel_with_moves, has_goals=True),
    ]
    peers = [
        Case(peer.name, peer.opened, SLOW_ROUNDS if peer.is_slow else ROUNDS)
        for peer in PEERS
        if peer.is_installed()
    ]
    return [Case(FLOOR.name, FLOOR.opened), *own, *peers]


def _latency() -> str:
    rows, floor_ms = [], math.nan
    for case in _cases():
        times = [seconds * 1000 for seconds in _saves(case)]
        taken = sorted(each for each in times if each < math.inf)
        if not taken:
            rows.append([case.name, "nothing was taken over", "", "", "", ""])
            continue
        median_ms, p99_ms = statistics.median(taken), taken[math.ceil(len(taken) * 0.99) - 1]
        floor_ms = median_ms if math.isnan(floor_ms) else floor_ms
        goals = f"{MEDIAN_MS:.0f} / {P99_MS}" if case.has_goals else ""
        share = max(median_ms / MEDIAN_MS, p99_ms / P99_MS, len(times) - len(taken) + 0.0)
        lost = f", {len(times) - len(taken)} never" if len(taken) < len(times) else ""
        cells = [f"{median_ms:.0f}", f"{p99_ms:.0f}{lost}", f"{median_ms / floor_ms:.1f}", goals]
        rows.append([case.name, *cells, verdict(share, 1.0 if case.has_goals else None)])
    return table(["save → new code", "median ms", "p99 ms", "ratio to floor", "goals ms", ""], rows)


def _saves(case: Case) -> Iterator[float]:
    """Seconds from each save to the new value; infinite where it never came."""
    with tempfile.TemporaryDirectory() as folder, case.opened(Path(folder)) as served:
        if not _is_served(served, 0, PATIENCE_S):
            # Some only take over what changes after they have started.
            served.save(1)
            if not _is_served(served, 1, PATIENCE_S):
                return
        # 200,001 and so on: every save has the same length.
        for value in range(200_001, 200_001 + case.rounds):
            # At no fixed distance from the last one, so that no timer is met in step.
            time.sleep(0.1 + value % 7 * 0.013)
            started = time.perf_counter()
            served.save(value)
            came = _is_served(served, value, MISSED_AFTER_S * (10 if case.rounds < ROUNDS else 3))
            yield time.perf_counter() - started if came else math.inf


def _is_served(served: Served, value: int, patience_s: float) -> bool:
    ends_at = time.monotonic() + patience_s
    while served.value() != value:
        if time.monotonic() > ends_at:
            return False
        time.sleep(0.0005)
    return True


def _misses() -> str:
    rows = []
    for name, opened, pairs, goal in (
        ("Covel", covel, PAIRS, 0),
        (BARE_RELOAD.name, BARE_RELOAD.opened, PEER_PAIRS, None),
    ):
        missed = _missed(opened, pairs)
        rows.append([name, f"{missed} of {pairs}", goal if goal is not None else "",
                     verdict(missed, goal)])  # fmt: skip
    head = [f"edits of equal length {PAIR_S * 1000:.0f} ms after another", "left on old code"]
    return table([*head, "goal", ""], rows)


def _missed(opened: Callable[[Path], AbstractContextManager[Served]], pairs: int) -> int:
    missed = 0
    with tempfile.TemporaryDirectory() as folder, opened(Path(folder)) as served:
        for pair in range(pairs):
            served.save(300_000 + 2 * pair)
            time.sleep(PAIR_S)
            served.save(300_001 + 2 * pair)
            missed += not _is_served(served, 300_001 + 2 * pair, MISSED_AFTER_S)
    return missed


def _rest() -> str:
    with tempfile.TemporaryDirectory() as folder:
        for number in range(WATCHED):
            write_package(Path(folder), f"package-{number}")
        # Files that were written just now are read once more later, which is no rest.
        time.sleep(SETTLED_AFTER_S + 1)
        watcher = PluginWatcher(
            [PluginFolder(Path(folder), "community")], on_batch=print, on_note=print
        )
        started = time.perf_counter()
        watcher.start()
        start_s = time.perf_counter() - started
        cpu_s = time.process_time()
        time.sleep(REST_S)
        percent = (time.process_time() - cpu_s) / REST_S * 100
        watcher.close()
    cells = [f"{start_s:.2f}", f"{percent:.2f}", REST_PERCENT, verdict(percent, REST_PERCENT)]
    head = ["packages watched", "start s", f"% of a CPU over {REST_S:.0f} s at rest", "goal", ""]
    return table(head, [[f"{WATCHED:,}", *cells]])
