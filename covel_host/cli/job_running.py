"""Running the jobs of a session from the command line, and saying how they ended."""

from typing import TextIO

import click

from covel_host.base.json_text import dump_json
from covel_host.cli.failures import FINDINGS
from covel_host.cli.in_session import play, read_packages, stored_session
from covel_host.cli.job_reports import job_json
from covel_host.cli.output import note
from covel_host.host import Host
from covel_host.models.selector import ModelSelector
from covel_host.settings import Settings
from covel_host.store.jobs import JobRecord, get_job
from covel_host.turn.ports import Observer


def run_waiting(
    session_id: str,
    settings: Settings,
    *,
    selector: ModelSelector | None,
    output: TextIO,
    as_json: bool,
) -> int:
    """Run what waits in a session; the exit code is 0 when all of it succeeded.

    Raises:
        SessionNotFoundError: there is no such session.
        click.Abort: a person ended it; jobs under way are cancelled, the others wait.
    """
    session = stored_session(settings, session_id)
    catalog = read_packages(settings, (), session.active_packages)

    async def body(host: Host) -> list[JobRecord]:
        if host.offline_note:
            note(host.offline_note)
        return await drained(host, session_id)

    jobs = play(settings, catalog, body, may_ask=not as_json, selector=selector)
    if as_json:
        click.echo(dump_json({"items": [job_json(job) for job in jobs]}), file=output)
    elif not jobs:
        click.echo("No job waits.", file=output)
    else:
        for job in jobs:
            note(end_line(job))
    return 0 if all(job.state == "succeeded" for job in jobs) else FINDINGS


async def drained(
    host: Host, session_id: str, *, observer: Observer | None = None
) -> list[JobRecord]:
    """The jobs of a session that were open, as they are once none is left."""
    waiting = await host.ports.jobs.open_jobs(session_id)
    if not waiting:
        return []
    await host.drain_jobs(session_id, observer=observer)
    return await host.ports.store.read(
        lambda reading: [
            found
            for job in waiting
            if (found := get_job(reading, session_id, job.job_id)) is not None
        ]
    )


def end_line(job: JobRecord) -> str:
    """How a job ended, in a line."""
    failure = job.failure
    why = "" if failure is None else f": {failure['message']}"
    return f"job {job.job_id} of {job.runtime_id}: {job.state}{why}"
