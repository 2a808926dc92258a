"""What `covel jobs` prints."""

from typing import Any

from covel_host.cli.in_session import read_store, stored_session
from covel_host.cli.output import one_line, table, write_json, write_text
from covel_host.settings import Settings
from covel_host.store.jobs import JobRecord, list_jobs
from covel_host.store.values import time_text_or_null

_HEAD = ("JOB", "STATE", "RUNTIME", "WHY", "TURN")
_SHOWN = 80


def report_jobs(settings: Settings, session_id: str, *, limit: int, as_json: bool) -> None:
    """Print the newest jobs of a session.

    Raises:
        SessionNotFoundError: there is no such session.
    """
    stored_session(settings, session_id)
    jobs = read_store(settings, lambda reading: list_jobs(reading, session_id, limit=limit))
    if as_json:
        write_json({"items": [job_json(job) for job in jobs]})
    elif jobs:
        write_text(table([_HEAD, *(_row(job) for job in jobs)]))
    else:
        write_text("The session has no jobs.\n")


def report_job(job: JobRecord, *, as_json: bool) -> None:
    """Print one job as it is now."""
    if as_json:
        write_json(job_json(job))
    else:
        write_text(f"{job.job_id}: {_state(job)}\n")


def job_json(job: JobRecord) -> dict[str, object]:
    """One job as clients see it; what it runs with is not shown."""
    return {
        "id": job.job_id,
        "sessionId": job.session_id,
        "runtimeId": job.runtime_id,
        "pluginId": job.plugin_id,
        "activation": job.activation,
        "state": job.state,
        "sourceTurnId": job.source_turn_id,
        "turnId": job.turn_id,
        "createdAt": time_text_or_null(job.created_at),
        "claimedAt": time_text_or_null(job.claimed_at),
        "finishedAt": time_text_or_null(job.finished_at),
        "failure": job.failure,
        "retryOf": job.facts.get("retryOf"),
    }


def _row(job: JobRecord) -> tuple[str, ...]:
    return (
        job.job_id,
        job.state,
        job.runtime_id,
        _why(job),
        job.turn_id or f"from {job.source_turn_id}",
    )


def _state(job: JobRecord) -> str:
    why = _why(job)
    return f"{job.state}, {why}" if why else job.state


def _why(job: JobRecord) -> str:
    failure: Any = job.failure
    return "" if failure is None else one_line(str(failure["message"]), limit=_SHOWN)
