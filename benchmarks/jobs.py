"""Jobs whose workers are killed again and again: what is lost, done twice or out of order."""

import asyncio
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from benchmarks.rounds import table
from covel_host.host import Host
from covel_host.models.selector import UseOffline
from covel_host.settings import Settings, read_settings
from covel_host.store.jobs import TERMINAL, JobRecord, list_jobs
from covel_host.store.plugin_data import DataKey, get_data
from covel_host.store.store import Store
from covel_host.turn.admission import ManualRequest
from covel_host.turn.job_queue import retry_job

SESSIONS, JOBS, RUNTIMES, RESTARTS = 10, 1_000, 8, 20
ALIVE_S = (0.3, 1.2)
"""How long a worker process lives after it has begun to work, at random."""

MANIFEST = "---\ndescription: Writes down what it is told.\n---\n"
RUNTIME = """---
schedule: { trigger: { type: manual }, background: true }
function: { handler: ./handler.py }
---
"""
HANDLER = """
async def handle(ctx):
    seen = await ctx.plugin_data.get("notes", ctx.runtime_id) or []
    await ctx.plugin_data.set("notes", ctx.runtime_id, [*seen, ctx.manual_payload])
"""
TEXT = (
    f"{JOBS:,} jobs of {RUNTIMES} function runtimes in {SESSIONS} sessions wait in an SQLite file "
    "(`synchronous=FULL`). A process serves them with four workers and is killed (SIGKILL) at a "
    f"random moment, {RESTARTS} times; the last one serves the rest. What was running when its "
    "process died is orphaned, which is an end of its own: it is tried again by hand afterwards. "
    "Each job adds its number to a record of its runtime."
)


@dataclass
class Outcome:
    """What stands in the store: the jobs of each session, and what they wrote."""

    jobs: dict[str, list[JobRecord]]
    written: dict[tuple[str, str], list[int]]


def report() -> str:
    """The section of RESULTS.md."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        _package(home)
        session_ids = asyncio.run(_queue(home))
        started = time.perf_counter()
        for _ in range(RESTARTS):
            _serve(home, random.uniform(*ALIVE_S))
        _serve_rest(home, session_ids)
        taken_s = time.perf_counter() - started
        first = _outcome(home, session_ids)
        states = Counter(job.state for jobs in first.jobs.values() for job in jobs)
        again = asyncio.run(_retry(home, first))
        _serve_rest(home, session_ids)
        last = _outcome(home, session_ids)
    rows = [
        ["jobs", f"{JOBS:,}", ""],
        ["worker processes killed", RESTARTS, ""],
        ["succeeded / orphaned", f"{states['succeeded']} / {states['orphaned']}", ""],
        ["seconds", f"{taken_s:.0f}", ""],
        ["done twice", _twice(last), "0"],
        ["out of order", _disordered(first), "0"],
        [f"lost, after {again} were tried again", JOBS - _done(last), "0"],
        ["in no end", sum(states[state] for state in states if state not in TERMINAL), "0"],
    ]
    return f"## Jobs\n\n{TEXT}\n\n{table(['what', 'found', 'goal'], rows)}"


def serve(home: Path) -> None:
    """Serve the jobs of that home until killed; says when it has begun."""

    async def main() -> None:
        host = await Host.open(_settings(home), load=["notes"], selector=UseOffline())
        print("serving", flush=True)
        await host.serve_jobs()

    asyncio.run(main())


def _package(home: Path) -> None:
    folder = home / "plugins" / "notes"
    for number in range(RUNTIMES):
        place = folder / "runtimes" / f"r{number}"
        place.mkdir(parents=True)
        (place / "RUNTIME.md").write_text(RUNTIME)
        (place / "handler.py").write_text(HANDLER)
    (folder / "PLUGIN.md").write_text(MANIFEST)


def _settings(home: Path) -> Settings:
    environ = {"COVEL_HOME": str(home), "COVEL_PLUGINS_DIR": str(home / "bundled")}
    return read_settings(environ, trust=["notes"])


async def _queue(home: Path) -> list[str]:
    host = await Host.open(_settings(home), load=["notes"], selector=UseOffline())
    try:
        session_ids = [await host.open_session(["notes"]) for _ in range(SESSIONS)]
        for number in range(JOBS):
            target = f"notes/r{number // SESSIONS % RUNTIMES}"
            session_id = session_ids[number % SESSIONS]
            await host.queue(ManualRequest(target=target, payload=number, session_id=session_id))
        return session_ids
    finally:
        await host.close()


def _serve(home: Path, alive_s: float) -> None:
    child = _child(home)
    time.sleep(alive_s)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()


def _serve_rest(home: Path, session_ids: list[str]) -> None:
    child = _child(home)
    while any(
        job.state not in TERMINAL
        for jobs in _outcome(home, session_ids).jobs.values()
        for job in jobs
    ):
        time.sleep(0.5)
    child.kill()
    child.wait()


def _child(home: Path) -> "subprocess.Popen[str]":
    child = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.jobs", str(home)], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    child.stdout.readline()
    return child


async def _retry(home: Path, outcome: Outcome) -> int:
    host = await Host.open(_settings(home), load=["notes"], selector=UseOffline())
    try:
        ports, count = host.ports, 0
        for session_id, jobs in outcome.jobs.items():
            for job in jobs:
                if job.state != "succeeded":
                    await retry_job(
                        ports.store, ports.clock, session_id, job.job_id, new_id=ports.ids.new
                    )
                    count += 1
        return count
    finally:
        await host.close()


def _outcome(home: Path, session_ids: list[str]) -> Outcome:
    from covel_host.opening import store_options

    reader = Store.open_reader(store_options(_settings(home)))
    try:
        jobs, written = {}, {}
        for session_id in session_ids:
            jobs[session_id] = reader.read_now(
                lambda reading, sid=session_id: list_jobs(reading, sid, limit=500)  # type: ignore[misc]
            )
            for number in range(RUNTIMES):
                key = DataKey(
                    session_id=session_id,
                    plugin_id="notes",
                    namespace="notes",
                    key=f"notes/r{number}",
                )
                found = reader.read_now(lambda reading, key=key: get_data(reading, key))  # type: ignore[misc]
                value = [] if found is None else found.value
                written[(session_id, f"notes/r{number}")] = value
        return Outcome(jobs, written)
    finally:
        reader.close()


def _done(outcome: Outcome) -> int:
    return len({number for numbers in outcome.written.values() for number in numbers})


def _twice(outcome: Outcome) -> int:
    return sum(len(numbers) for numbers in outcome.written.values()) - _done(outcome)


def _disordered(outcome: Outcome) -> int:
    return sum(
        before > after
        for numbers in outcome.written.values()
        for before, after in pairwise(numbers)
    )


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
