"""`covel suspensions`."""

import os
from pathlib import Path

import click

from covel_host.cli.options import (
    json_option,
    payload_option,
    plugins_dir_option,
    safe_option,
    trust_option,
)

session_argument = click.argument("session_id", metavar="SESSION")
suspension_argument = click.argument("suspension_id", metavar="SUSPENSION")


@click.group("suspensions", epilog="Reference: docs/suspensions.md.")
def command() -> None:
    """List the runs of a session that wait for an answer, give one, or give it up."""


@command.command("list")
@session_argument
@json_option
def list_command(*, session_id: str, as_json: bool) -> None:
    """List what waits, oldest first, and what each asks."""
    from covel_host.cli.suspension_reports import report_suspensions
    from covel_host.settings import read_settings

    report_suspensions(read_settings(os.environ), session_id, as_json=as_json)


@command.command("resume")
@session_argument
@suspension_argument
@payload_option("The answer, by field.", name="--data")
@click.option("--seat", "seat_id", metavar="ID", help="The seat that answers.")
@click.option(
    "--model", metavar="SLOT|offline|scripted:FILE", help="What answers every model call."
)
@click.option("-v", "--verbose", "is_verbose", is_flag=True, help="Show tool calls as well.")
@trust_option
@safe_option
@plugins_dir_option
@json_option
def resume_command(
    *,
    session_id: str,
    suspension_id: str,
    data: str | None,
    seat_id: str | None,
    model: str | None,
    is_verbose: bool,
    trusted: tuple[str, ...],
    is_safe: bool,
    plugins_dirs: tuple[Path, ...],
    as_json: bool,
) -> int:
    """Answer a run that waits, and let it go on."""
    from covel_host.cli.log_file import log_to_file
    from covel_host.cli.run_request import given_value
    from covel_host.cli.safe_mode import begin_safe_mode
    from covel_host.models.selector import parse_model_selector
    from covel_host.settings import read_settings

    answer = {} if data is None else given_value(data, option="--data")
    selector = None if model is None else parse_model_selector(model)
    if is_safe:
        begin_safe_mode(plugins_dirs)
    settings = read_settings(os.environ, extra_folders=plugins_dirs, trust=trusted, is_safe=is_safe)
    with log_to_file(settings) as output:
        from covel_host.cli.turn_playing import play_one
        from covel_host.proposals.seats import DEFAULT_SEAT_ID
        from covel_host.turn.resuming import ResumeRequest

        request = ResumeRequest(
            session_id=session_id,
            suspension_id=suspension_id,
            data=answer,
            seat_id=seat_id or DEFAULT_SEAT_ID,
        )
        return play_one(
            request,
            settings,
            selector=selector,
            output=output,
            as_json=as_json,
            is_verbose=is_verbose,
        )


@command.command("discard")
@session_argument
@suspension_argument
@json_option
def discard_command(*, session_id: str, suspension_id: str, as_json: bool) -> None:
    """Give a run up that waits; nothing of it is ever committed."""
    from covel_host.cli.session_desk import at_desk
    from covel_host.cli.session_reports import report_change
    from covel_host.settings import read_settings
    from covel_host.turn.suspension_listing import discard_suspension

    settings = read_settings(os.environ)
    changed = at_desk(
        settings, session_id, lambda desk: discard_suspension(desk, session_id, suspension_id)
    )
    report_change(changed, f"gave up {suspension_id}", as_json=as_json)
