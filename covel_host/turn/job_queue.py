"""The queue of jobs as workers use it: claiming, sweeping, cancelling, retrying.

Workers see this protocol alone, so that the queue may lie elsewhere one day.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

from covel_host.base.clock import Clock
from covel_host.store.jobs import (
    OPEN,
    TERMINAL,
    JobMove,
    JobRecord,
    enqueue_job,
    get_job,
    last_claims,
    list_jobs,
    move_job,
    open_jobs,
    overdue_jobs,
)
from covel_host.store.limits import MAX_LIMIT
from covel_host.store.sessions import require_session
from covel_host.store.store import Store
from covel_host.store.transaction import Transaction
from covel_host.turn.errors import RequestRefused
from covel_host.turn.job_lease import LEASE, JobLease
from covel_host.turn.job_rules import end_of_overdue, next_job
from plugin_sdk.values import JsonObject


class JobQueue(Protocol):
    """Where jobs wait."""

    async def claim(self, session_id: str | None, *, busy: frozenset[str]) -> JobLease | None:
        """Take the next job, of that session or of any; None when none may be taken now."""
        ...

    async def sweep(self) -> None:
        """End the jobs that waited too long, and those whose owner has gone without a word."""
        ...

    async def open_jobs(self, session_id: str) -> list[JobRecord]:
        """The jobs of a session that have not ended, in the order of the queue."""
        ...


class StoredJobQueue:
    """The queue in the database; `owner` names this process in leases."""

    def __init__(self, store: Store, clock: Clock, *, owner: str) -> None:
        self._store = store
        self._clock = clock
        self._owner = owner

    async def claim(self, session_id: str | None, *, busy: frozenset[str]) -> JobLease | None:
        """Take the next job; see `job_rules.next_job` for which that is."""

        def take(transaction: Transaction) -> JobRecord | None:
            now = self._clock.now()
            job = next_job(
                open_jobs(transaction, session_id),
                last_claims(transaction),
                now=now,
                busy=busy,
            )
            if job is None:
                return None
            until = now + LEASE
            move = JobMove(state="claimed", at=now, owner=self._owner, lease_until=until)
            if not move_job(transaction, job, move):
                return None
            return replace(
                job, state="claimed", claimed_at=now, lease_owner=self._owner, lease_until=until
            )

        if not await self._store.read(lambda reading: open_jobs(reading, session_id)):
            return None
        job = await self._store.transaction(take)
        return None if job is None else JobLease(job, self._store, self._clock)

    async def sweep(self) -> None:
        """End what is overdue; nothing is tried again by itself."""
        now = self._clock.now()
        if not await self._store.read(lambda reading: overdue_jobs(reading, now=now)):
            return

        def end(transaction: Transaction) -> None:
            for job in overdue_jobs(transaction, now=now):
                state = end_of_overdue(job)
                why = (
                    "It was not claimed in time."
                    if state == "timed_out"
                    else "The process that ran it ended without a word."
                )
                failure: JsonObject = {"code": state.replace("_", "-"), "message": why}
                move_job(transaction, job, JobMove(state=state, at=now, failure=failure))

        await self._store.transaction(end)

    async def open_jobs(self, session_id: str) -> list[JobRecord]:
        """The jobs of a session that have not ended, in the order of the queue."""
        return await self._store.read(lambda reading: open_jobs(reading, session_id))


async def cancel_job(store: Store, clock: Clock, session_id: str, job_id: str) -> JobRecord:
    """The job as it is after it was cancelled; one that runs is stopped by its holder.

    Raises:
        RequestRefused: `job-not-found`, or `job-ended`.
        SessionNotFoundError: there is no such session.
    """

    def cancel(transaction: Transaction) -> JobRecord:
        job = _found(transaction, session_id, job_id)
        if job.state not in OPEN:
            raise RequestRefused(
                f"The job {job_id!r} has ended already: {job.state}.", code="job-ended"
            )
        failure: JsonObject = {"code": "cancelled", "message": "It was cancelled by a person."}
        move_job(transaction, job, JobMove(state="cancelled", at=clock.now(), failure=failure))
        return _found(transaction, session_id, job_id)

    return await store.transaction(cancel)


async def retry_job(
    store: Store, clock: Clock, session_id: str, job_id: str, *, new_id: Callable[[str], str]
) -> JobRecord:
    """A new job with the frozen input of one that did not succeed.

    It belongs to the session as it is now: incarnation, locale and the package's version of now.

    Raises:
        RequestRefused: `job-not-found`, `job-not-failed`, or `job-superseded`: one of a later turn
            has succeeded since.
        SessionNotFoundError: there is no such session.
    """

    def again(transaction: Transaction) -> JobRecord:
        job = _found(transaction, session_id, job_id)
        if job.state not in TERMINAL or job.state == "succeeded":
            raise RequestRefused(
                f"The job {job_id!r} is {job.state}; only one that has failed is tried again.",
                code="job-not-failed",
            )
        _refuse_superseded(transaction, job)
        session = require_session(transaction, session_id)
        now = clock.now()
        facts: JsonObject = {
            **job.facts,
            "incarnation": session.incarnation,
            "retryOf": job.job_id,
        }
        # It runs with the version that is loaded then.
        facts.pop("pluginVersion", None)
        given: Any = {**job.input, "locale": session.locale, "slot": None}
        record = JobRecord(
            session_id=session_id,
            job_id=new_id("job"),
            plugin_id=job.plugin_id,
            runtime_id=job.runtime_id,
            activation=job.activation,
            source_turn_id=job.source_turn_id,
            created_at=now,
            facts=facts,
            input=given,
        )
        enqueue_job(transaction, record)
        return _found(transaction, session_id, record.job_id)

    return await store.transaction(again)


def _refuse_superseded(transaction: Transaction, job: JobRecord) -> None:
    """Keep a run of an older turn from overwriting what that of a newer one wrote."""
    newer = [
        other
        for other in list_jobs(transaction, job.session_id, limit=MAX_LIMIT)
        if other.runtime_id == job.runtime_id
        and other.sequence > job.sequence
        and other.state == "succeeded"
    ]
    if job.activation == "stage" and newer:
        raise RequestRefused(
            f"The job {newer[0].job_id!r} of a later turn has succeeded since.",
            code="job-superseded",
        )


def _found(transaction: Transaction, session_id: str, job_id: str) -> JobRecord:
    require_session(transaction, session_id)
    job = get_job(transaction, session_id, job_id)
    if job is None:
        raise RequestRefused(
            f"The session {session_id!r} has no job {job_id!r}.",
            code="job-not-found",
            hint=f"See: covel jobs list {session_id}",
        )
    return job
