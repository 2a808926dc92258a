"""`covel answer`."""

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


@click.command(
    "answer",
    epilog="Values by field: a form has one per field, a choice has selectedId, a confirmation has "
    "confirmed. Without INTERACTION the open questions are listed. An answer is stored and runs "
    "nothing; the next run reads it. Reference: docs/answers.md.",
)
@click.argument("session_id", metavar="SESSION")
@click.argument("interaction_id", metavar="[INTERACTION]", required=False)
@payload_option("The answer, by field.", name="--values")
@click.option("--turn", "turn_id", metavar="TURN_ID", help="The turn that asked. [default: newest]")
@click.option("--seat", "seat_id", metavar="SEAT", help="Who answers. [default: seat-1]")
@trust_option
@safe_option
@plugins_dir_option
@json_option
def command(
    *,
    session_id: str,
    interaction_id: str | None,
    values: str | None,
    turn_id: str | None,
    seat_id: str | None,
    trusted: tuple[str, ...],
    is_safe: bool,
    plugins_dirs: tuple[Path, ...],
    as_json: bool,
) -> int:
    """Answer a question that a package has asked the player."""
    from covel_host.cli.log_file import log_to_file
    from covel_host.cli.run_request import given_value
    from covel_host.cli.safe_mode import begin_safe_mode
    from covel_host.settings import read_settings

    given = {} if values is None else given_value(values, option="--values")
    if not isinstance(given, dict):
        raise click.UsageError("--values is no JSON object of values by field.")
    if is_safe:
        begin_safe_mode(plugins_dirs)
    settings = read_settings(os.environ, extra_folders=plugins_dirs, trust=trusted, is_safe=is_safe)
    with log_to_file(settings) as output:
        from covel_host.cli.answering import list_questions, send_answer, values_missing

        if interaction_id is None:
            return list_questions(session_id, settings, output=output, as_json=as_json)
        if values is None:
            raise values_missing(session_id, interaction_id, settings, turn_id=turn_id)
        return send_answer(
            session_id,
            interaction_id,
            given,
            settings,
            turn_id=turn_id,
            seat_id=seat_id,
            output=output,
            as_json=as_json,
        )
