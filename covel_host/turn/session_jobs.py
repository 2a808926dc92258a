"""The jobs of sessions on a host: who runs them, and what waits for them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from covel_host.store.jobs import JobRecord
from covel_host.turn.job_execution import run_job
from covel_host.turn.job_rules import settles
from covel_host.turn.job_workers import Runner
from covel_host.turn.ports import Observer, SilentObserver, TurnPorts
from covel_host.turn.session_locks import session_held


def job_runner(ports: TurnPorts, observer: Observer) -> Runner:
    """Runs jobs on these ports; `observer` watches them."""
    return partial(run_job, ports=ports, observer=observer)


@asynccontextmanager
async def settled_session(ports: TurnPorts, session_id: str) -> AsyncIterator[tuple[str, ...]]:
    """Hold a session once the jobs have ended that its next execution waits for.

    The wait is outside the locks, since a job commits under them, and what was queued meanwhile is
    waited for as well. Gives the IDs of jobs that did not end within the earliest of their limits
    (`maxSettleWaitMs`): they go on, and so does the execution (spec/execution.md 9.4). A cancelled
    wait cancels no job.

    Raises:
        ExecutionLockTakenError: another process is executing on this database.
    """
    late: frozenset[str] = frozenset()
    while True:
        late |= await _settled(ports, session_id, but=late)
        async with session_held(ports, session_id):
            if await _awaited(ports, session_id, but=late):
                continue
            yield tuple(sorted(late))
            return


async def _settled(ports: TurnPorts, session_id: str, *, but: frozenset[str]) -> frozenset[str]:
    """The jobs that did not end in time."""
    awaited = await _awaited(ports, session_id, but=but)
    if not awaited:
        return frozenset()
    limits: list[Any] = [job.facts["maxSettleWaitMs"] for job in awaited]
    wanted = {job.job_id for job in awaited}
    try:
        async with asyncio.timeout(min(limits) / 1000):
            await ports.workers.settle(
                session_id, job_runner(ports, SilentObserver()), lambda job: job.job_id in wanted
            )
    except TimeoutError:
        left = await _awaited(ports, session_id, but=but)
        return frozenset(job.job_id for job in left)
    return frozenset()


async def _awaited(ports: TurnPorts, session_id: str, *, but: frozenset[str]) -> list[JobRecord]:
    jobs = await ports.jobs.open_jobs(session_id)
    return [job for job in jobs if settles(job) and job.job_id not in but]
