"""`covel jobs`."""

import os
from pathlib import Path

import click

from covel_host.cli.options import (
    json_option,
    plugins_dir_option,
    safe_option,
    trust_option,
)

session_argument = click.argument("session_id", metavar="SESSION")
job_argument = click.argument("job_id", metavar="JOB")


@click.group("jobs", epilog="Reference: docs/jobs.md.")
def command() -> None:
    """List the jobs of a session, run them, cancel one, or try one again."""


@command.command("list")
@session_argument
@click.option(
    "--limit",
    type=click.IntRange(1, 10_000),
    default=20,
    show_default=True,
    help="How many, newest first.",
)
@json_option
def list_command(*, session_id: str, limit: int, as_json: bool) -> None:
    """List the jobs of a session, newest first."""
    from covel_host.cli.job_reports import report_jobs
    from covel_host.settings import read_settings

    report_jobs(read_settings(os.environ), session_id, limit=limit, as_json=as_json)


@command.command("run")
@session_argument
@click.option(
    "--model", metavar="SLOT|offline|scripted:FILE", help="What answers every model call."
)
@trust_option
@safe_option
@plugins_dir_option
@json_option
def run_command(
    *,
    session_id: str,
    model: str | None,
    trusted: tuple[str, ...],
    is_safe: bool,
    plugins_dirs: tuple[Path, ...],
    as_json: bool,
) -> int:
    """Run the jobs of a session that wait, until none is left."""
    from covel_host.cli.log_file import log_to_file
    from covel_host.cli.safe_mode import begin_safe_mode
    from covel_host.models.selector import parse_model_selector
    from covel_host.settings import read_settings

    selector = None if model is None else parse_model_selector(model)
    if is_safe:
        begin_safe_mode(plugins_dirs)
    settings = read_settings(os.environ, extra_folders=plugins_dirs, trust=trusted, is_safe=is_safe)
    with log_to_file(settings) as output:
        from covel_host.cli.job_running import run_waiting

        return run_waiting(session_id, settings, selector=selector, output=output, as_json=as_json)


@command.command("cancel")
@session_argument
@job_argument
@json_option
def cancel_command(*, session_id: str, job_id: str, as_json: bool) -> None:
    """Cancel a job; one that runs is stopped, and nothing of it is committed."""
    from covel_host.cli.job_reports import report_job
    from covel_host.cli.session_desk import at_desk
    from covel_host.settings import read_settings
    from covel_host.turn.job_queue import cancel_job

    job = at_desk(
        read_settings(os.environ),
        session_id,
        lambda desk: cancel_job(desk.store, desk.clock, session_id, job_id),
    )
    report_job(job, as_json=as_json)


@command.command("retry")
@session_argument
@job_argument
@json_option
def retry_command(*, session_id: str, job_id: str, as_json: bool) -> None:
    """Queue a job that did not succeed once more, as a new job with the same input."""
    from covel_host.cli.job_reports import report_job
    from covel_host.cli.session_desk import at_desk
    from covel_host.settings import read_settings
    from covel_host.turn.job_queue import retry_job

    job = at_desk(
        read_settings(os.environ),
        session_id,
        lambda desk: retry_job(desk.store, desk.clock, session_id, job_id, new_id=desk.ids.new),
    )
    report_job(job, as_json=as_json)
