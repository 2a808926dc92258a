"""Which job is claimed next, and how jobs go on; pure rules (spec/execution.md 9.3, 9.4)."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Final

from covel_host.store.jobs import ACTIVE, JobRecord, JobState

_NEVER: Final = datetime.min.replace(tzinfo=UTC)


def next_job(
    jobs: Iterable[JobRecord],
    last_claims: Mapping[str, datetime],
    *,
    now: datetime,
    busy: frozenset[str] = frozenset(),
) -> JobRecord | None:
    """The job to claim among the open ones, in queue order per session; None when none may be.

    Of one runtime of a session one job is active at a time, and the jobs of its source turns are
    claimed in their order. The session whose last claim is longest ago comes first, so that no
    session keeps the others waiting. Jobs over their time in the queue are not claimed, nor are
    those of runtimes that are `busy`: of one runtime one job runs at a time in a process.
    """
    heads: dict[tuple[str, str], JobRecord] = {}
    for job in jobs:
        heads.setdefault((job.session_id, job.runtime_id), job)
    claimable = [
        job
        for job in heads.values()
        if job.state == "queued" and job.runtime_id not in busy and not is_overdue(job, now)
    ]
    return min(
        claimable,
        key=lambda job: (last_claims.get(job.session_id, _NEVER), job.session_id, job.sequence),
        default=None,
    )


def is_overdue(job: JobRecord, now: datetime) -> bool:
    """Whether a job waited too long to be claimed, or its owner has gone without a word."""
    if job.state == "queued":
        return job.queue_until is not None and job.queue_until < now
    return job.state in ACTIVE and job.lease_until is not None and job.lease_until < now


def end_of_overdue(job: JobRecord) -> JobState:
    """What becomes of an overdue job; nothing is tried again by itself."""
    return "timed_out" if job.state == "queued" else "orphaned"


def settles(job: JobRecord) -> bool:
    """Whether the next execution of the session waits for the job."""
    return bool(job.facts.get("settles"))
