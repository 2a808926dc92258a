"""`covel run`."""

import os
from pathlib import Path

import click

from covel_host.cli.options import (
    json_option,
    locale_option,
    plugins_dir_option,
    trust_option,
)


@click.command("run")
@click.argument("target", metavar="PLUGIN[/RUNTIME]|PATH")
@click.option("--payload", metavar="JSON", help="What the runtime is given.")
@click.option("--message", metavar="TEXT", help="What the player says with it.")
@click.option("--session", "session_id", metavar="ID", help="Go on in this session.")
@click.option(
    "--model", metavar="SLOT|offline|scripted:FILE", help="What answers every model call."
)
@trust_option
@locale_option
@plugins_dir_option
@json_option
def command(
    *,
    target: str,
    payload: str | None,
    message: str | None,
    session_id: str | None,
    model: str | None,
    trusted: tuple[str, ...],
    locale: str | None,
    plugins_dirs: tuple[Path, ...],
    as_json: bool,
) -> int:
    """Run one runtime of a package and commit its turn."""
    from covel_host.cli.log_file import log_to_file
    from covel_host.cli.run_request import payload_value
    from covel_host.cli.targets import parse_target
    from covel_host.models.selector import parse_model_selector
    from covel_host.settings import read_settings

    named = parse_target(target)
    given = None if payload is None else payload_value(payload)
    selector = None if model is None else parse_model_selector(model)
    folders = [*([] if named.folder is None else [named.folder]), *plugins_dirs]
    settings = read_settings(os.environ, extra_folders=folders, trust=trusted, locale=locale)
    with log_to_file(settings) as output:
        from covel_host.cli.run_execution import execute
        from covel_host.turn.admission import ManualRequest

        request = ManualRequest(
            target=named.name, payload=given, message=message, session_id=session_id
        )
        return execute(request, settings, selector=selector, output=output, as_json=as_json)
