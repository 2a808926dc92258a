"""Running a claimed job: outside the session's lock, committed under it (spec/execution.md 9.3)."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from pydantic import ValidationError

from covel_host.base.errors import HostError
from covel_host.catalog.catalog import Catalog
from covel_host.runtime.result import RunFailure
from covel_host.runtime.suspension import RunScene, scene_of
from covel_host.store.execution_lock import ExecutionLockTakenError
from covel_host.store.jobs import JobRecord
from covel_host.store.records import SessionRecord
from covel_host.store.sessions import get_session
from covel_host.turn.admission import loaded_generation
from covel_host.turn.errors import RequestRefused
from covel_host.turn.execution import Execution
from covel_host.turn.execution_facts import execution_facts
from covel_host.turn.facts import ExecutionFacts, JobTarget, ManualTarget, PlayerInput
from covel_host.turn.job_lease import JobLease, JobLost
from covel_host.turn.ports import Observer, TurnPorts
from covel_host.turn.session_locks import session_held
from covel_host.turn.session_runtimes import SessionRuntime, session_runtime

REJECTED: Final = "pre-execution-rejected"
BARRIER: Final = "commit-barrier-rejected"
EXECUTION_FAILED: Final = "execution-failed"


class JobRejected(HostError):
    """A job that may not run any more."""

    def __init__(self, why: str) -> None:
        super().__init__(f"The job cannot run any more: {why}.", code=REJECTED)


async def run_job(lease: JobLease, ports: TurnPorts, observer: Observer) -> None:
    """Run the job of `lease` and what its events start, commit it, and end it.

    Its writes, its audit and its own success are one transaction. What fails ends the job, and
    nothing is tried again.

    Raises:
        asyncio.CancelledError: the worker was cancelled; the job has ended as cancelled.
        Exception: a defect of the host; the job has ended as failed.
    """
    try:
        await _run(lease, ports, observer)
    except JobLost:
        return
    except JobRejected as rejected:
        await lease.end("stale", code=rejected.code, message=rejected.message)
    except HostError as error:
        await lease.end("failed", code=error.code, message=error.message)
    except asyncio.CancelledError:
        ending = lease.end("cancelled", code="cancelled", message="The run was cancelled.")
        await ports.tasks.finish(ending, name=f"end {lease.record.job_id}")
        raise
    except Exception:
        await lease.end("failed", code="internal", message="The host itself failed in this job.")
        raise


async def _run(lease: JobLease, ports: TurnPorts, observer: Observer) -> None:
    job = lease.record
    session = await ports.store.read(lambda reading: get_session(reading, job.session_id))
    why = _why_not(job, session)
    if why is not None or session is None:
        raise JobRejected(why or "its session is gone")
    await ports.catalogs.need(session.active_packages)
    with ports.catalogs.lease() as catalogs:
        runtime = _runtime(job, catalogs.catalog)
        facts = await _facts(lease, runtime, session, catalogs.catalog, ports)
        await lease.move("running", turn_id=facts.turn_id)
        barrier = CommitBarrier(lease, ports)
        report = await Execution(facts, ports, observer, barrier=barrier).run()
        if report.failure is not None:
            await _end(lease, report.failure)


async def _end(lease: JobLease, failure: RunFailure) -> None:
    if failure.code == BARRIER:
        await lease.end("stale", code=BARRIER, message=failure.message)
    elif failure.code == "timeout":
        await lease.end("timed_out", code=failure.code, message=failure.message)
    else:
        await lease.end("failed", code=EXECUTION_FAILED, message=failure.message)


class CommitBarrier:
    """What a job passes before its commit: the session's lock, and the question whether it may.

    However long another execution of the session takes, the job waits; its lease is kept meanwhile.
    """

    def __init__(self, lease: JobLease, ports: TurnPorts) -> None:
        self._lease = lease
        self._ports = ports

    @asynccontextmanager
    async def entered(self) -> AsyncIterator[RunFailure | None]:
        """Hold the session for the block; gives why the job must not be committed, None if it may.

        Raises:
            JobLost: the job is not held any more.
        """
        job = self._lease.record
        while True:
            try:
                async with session_held(self._ports, job.session_id):
                    obstacle = await self._obstacle()
                    if obstacle is None:
                        await self._lease.move("committing")
                    yield obstacle
                    return
            except ExecutionLockTakenError:
                continue

    async def _obstacle(self) -> RunFailure | None:
        job, store = self._lease.record, self._ports.store
        session = await store.read(lambda reading: get_session(reading, job.session_id))
        why = _why_not(job, session) or self._why_changed(job)
        if why is None:
            return None
        return RunFailure(BARRIER, f"The job was not committed: {why}.", counts_as_error=False)

    def _why_changed(self, job: JobRecord) -> str | None:
        try:
            _runtime(job, self._ports.catalogs.current)
        except JobRejected as rejected:
            return rejected.message.rstrip(".")
        return None


def _why_not(job: JobRecord, session: SessionRecord | None) -> str | None:
    """Why nothing of the job may be committed in the session, as a clause."""
    if session is None or session.incarnation != job.facts["incarnation"]:
        return "its session is gone"
    if session.status != "active":
        return f"its session is {session.status}"
    if job.plugin_id not in session.active_packages:
        return f"the package {job.plugin_id!r} is not in its session any more"
    return None


def _runtime(job: JobRecord, catalog: Catalog) -> SessionRuntime:
    """The runtime of the job, as it is loaded now.

    Raises:
        JobRejected: it is not loaded, such as for want of leave, or has another version.
    """
    try:
        generation = loaded_generation(job.plugin_id, catalog)
    except RequestRefused as refused:
        raise JobRejected(refused.message.rstrip(".")) from refused
    reading = generation.runtime(job.runtime_id)
    if reading is None or reading.manifest is None:
        raise JobRejected(f"there is no runtime {job.runtime_id!r} any more")
    runtime = session_runtime(generation, reading, reading.manifest)
    before = job.facts.get("pluginVersion", runtime.version)
    if runtime.version != before:
        raise JobRejected(f"its package has changed from version {before!r} to {runtime.version!r}")
    return runtime


async def _facts(
    lease: JobLease,
    runtime: SessionRuntime,
    session: SessionRecord,
    catalog: Catalog,
    ports: TurnPorts,
) -> ExecutionFacts:
    job = lease.record
    scene = _scene(job)
    return await execution_facts(
        ports,
        catalog,
        session,
        origin="background",
        given=PlayerInput(),
        target=ManualTarget(runtime, None, job=JobTarget(lease=lease, scene=scene)),
        slot=scene.slot,
        parent_turn_id=job.source_turn_id,
    )


def _scene(job: JobRecord) -> RunScene:
    try:
        return scene_of(job.input)
    except ValidationError as error:
        raise JobRejected("another version of the host wrote what it was to run with") from error
