"""Workers of this process: they claim jobs and run several at a time (spec/execution.md 9.3)."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any, Final

from covel_host.base.errors import HostError
from covel_host.base.tasks import TaskTracker
from covel_host.store.errors import StoreError
from covel_host.store.jobs import JobRecord
from covel_host.turn.job_lease import RENEW_EVERY_S, JobLease
from covel_host.turn.job_queue import JobQueue

WORKERS: Final = 4
SWEEP_EVERY_S: Final = 30.0
SWEEP_AGAIN_S: Final = 1.0
_POLL_S: Final = 0.2
"""How often jobs are looked at that another process runs."""

Runner = Callable[[JobLease], Coroutine[Any, Any, None]]
"""Runs the job of a lease to its end, whatever that is."""

_LOG = logging.getLogger(__name__)


class JobWorkers:
    """Runs jobs of `queue`, at most `limit` at a time, each of another runtime."""

    def __init__(self, queue: JobQueue, tasks: TaskTracker, *, limit: int = WORKERS) -> None:
        self._queue = queue
        self._tasks = tasks
        self._limit = limit
        self._claiming = asyncio.Lock()
        self._running: dict[asyncio.Task[None], JobLease] = {}
        self._woken = asyncio.Event()

    def wake(self) -> None:
        """Let the workers look for new jobs at once."""
        self._woken.set()

    async def serve(self, run: Runner, *, session_id: str | None = None) -> None:
        """Run the jobs of all sessions until cancelled; those under way are cancelled with it.

        With `session_id` only those of that session.

        Sweeps at the start and every 30 s, and 1 s after one that failed.
        """
        try:
            while True:
                wait_s = await self._swept()
                await self._start_all(session_id, run)
                await self._until(wait_s)
        finally:
            await self._stop()

    async def drain(self, session_id: str, run: Runner) -> None:
        """Run the jobs of one session until none is left that this process could run.

        Jobs that another process runs are waited for.
        """
        try:
            while True:
                await self._swept()
                await self._start_all(session_id, run)
                if not self._running and not await self._queue.open_jobs(session_id):
                    return
                await self._until(SWEEP_EVERY_S if self._running else _POLL_S)
        finally:
            await self._stop()

    async def settle(self, session_id: str, run: Runner, jobs: Callable[[JobRecord], bool]) -> None:
        """Run or wait until no open job of the session is one of `jobs`.

        Whoever limits the wait cancels it; jobs under way here go on.
        """
        while any(map(jobs, await self._queue.open_jobs(session_id))):
            await self._start_all(session_id, run)
            await self._until(_POLL_S)

    async def _start_all(self, session_id: str | None, run: Runner) -> None:
        """Claim as long as there is room and something to claim.

        What was claimed is run, also when nobody waits for it any more.
        """
        await self._tasks.finish(self._claim_all(session_id, run), name="claim jobs")

    async def _claim_all(self, session_id: str | None, run: Runner) -> None:
        async with self._claiming:
            while len(self._running) < self._limit:
                busy = frozenset(lease.record.runtime_id for lease in self._running.values())
                lease = await self._queue.claim(session_id, busy=busy)
                if lease is None:
                    return
                task = self._tasks.start(self._held(lease, run), name=f"job {lease.record.job_id}")
                self._running[task] = lease
                task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.pop(task, None)
        self._woken.set()

    async def _held(self, lease: JobLease, run: Runner) -> None:
        """Run a job, and keep its lease meanwhile; without the lease it is stopped."""
        running = self._tasks.start(run(lease), name=f"run of {lease.record.job_id}")
        try:
            while not running.done():
                await asyncio.wait({running}, timeout=RENEW_EVERY_S)
                if not running.done() and not await self._renewed(lease):
                    running.cancel()
                    break
            await asyncio.wait({running})
        finally:
            if not running.done():
                running.cancel()
                await asyncio.wait({running})
            _keep_error(running, lease)

    async def _renewed(self, lease: JobLease) -> bool:
        try:
            return await lease.renew()
        except StoreError:
            _LOG.exception("The lease of %r could not be renewed.", lease.record.job_id)
            return True

    async def _swept(self) -> float:
        try:
            await self._queue.sweep()
        except HostError:
            _LOG.exception("Looking for overdue jobs failed.")
            return SWEEP_AGAIN_S
        return SWEEP_EVERY_S

    async def _until(self, wait_s: float | None) -> None:
        """Wait until a job ends here or somebody wakes the workers, `wait_s` at most."""
        try:
            async with asyncio.timeout(wait_s):
                await self._woken.wait()
        except TimeoutError:
            return
        finally:
            self._woken.clear()

    async def _stop(self) -> None:
        running = dict(self._running)
        for task in running:
            task.cancel()
        if not running:
            return
        await asyncio.wait(running)
        for lease in running.values():
            # One that was cancelled before its first step has ended nothing itself.
            await lease.end("cancelled", code="cancelled", message="The run was cancelled.")


def _keep_error(running: "asyncio.Task[None]", lease: JobLease) -> None:
    if running.cancelled():
        return
    error = running.exception()
    if error is not None:
        _LOG.error("The job %r failed.", lease.record.job_id, exc_info=error)
