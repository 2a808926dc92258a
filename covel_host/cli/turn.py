"""`covel turn`."""

import os
from pathlib import Path

import click

from covel_host.cli.options import (
    explain_option,
    json_option,
    plugins_dir_option,
    record_option,
    safe_option,
    trust_option,
)


@click.command(
    "turn",
    epilog="A MESSAGE that begins with '-' goes after '--'. What runs next is shown by covel plan. "
    "Reference: docs/turns.md.",
)
@click.argument("session_id", metavar="SESSION")
@click.argument("message", metavar="[MESSAGE]", required=False)
@click.option(
    "--start", "is_start", is_flag=True, help="Run unfinished setup, or the opening; no message."
)
@click.option(
    "--answer",
    "answers",
    multiple=True,
    metavar="INTERACTION=JSON",
    help="Answer an open question by field; the turn goes on with it. May be given several times.",
)
@click.option("--seat", "seat_id", metavar="ID", help="The seat that acts.")
@click.option(
    "--model", metavar="SLOT|offline|scripted:FILE", help="What answers every model call."
)
@click.option("-v", "--verbose", "is_verbose", is_flag=True, help="Show tool calls as well.")
@record_option
@explain_option
@trust_option
@safe_option
@plugins_dir_option
@json_option
def command(
    *,
    session_id: str,
    message: str | None,
    is_start: bool,
    answers: tuple[str, ...],
    seat_id: str | None,
    model: str | None,
    is_verbose: bool,
    is_recorded: bool,
    is_explained: bool,
    trusted: tuple[str, ...],
    is_safe: bool,
    plugins_dirs: tuple[Path, ...],
    as_json: bool,
) -> int:
    """Play one turn of a session: say MESSAGE, or let it start."""
    from covel_host.cli.log_file import log_to_file
    from covel_host.cli.safe_mode import begin_safe_mode
    from covel_host.models.selector import parse_model_selector
    from covel_host.settings import read_settings

    if is_start == (message is not None or bool(answers)):
        raise click.UsageError(
            "Give a MESSAGE or an --answer, or --start, which goes with neither."
        )
    selector = None if model is None else parse_model_selector(model)
    if is_safe:
        begin_safe_mode(plugins_dirs)
    settings = read_settings(os.environ, extra_folders=plugins_dirs, trust=trusted, is_safe=is_safe)
    with log_to_file(settings) as output:
        from covel_host.cli.answering import given_answers
        from covel_host.cli.explained_tools import ExplainedTools
        from covel_host.cli.turn_playing import play_one
        from covel_host.turn.turns import TurnRequest

        request = TurnRequest(
            answers=given_answers(settings, session_id, answers),
            session_id=session_id,
            message=message,
            start=is_start,
            seat_id=seat_id,
            record=is_recorded,
        )
        return play_one(
            request,
            settings,
            selector=selector,
            output=output,
            as_json=as_json,
            is_verbose=is_verbose,
            explained=ExplainedTools(settings.tool_rules) if is_explained else None,
        )
