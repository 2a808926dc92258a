"""`covel run`."""

import os
from pathlib import Path

import click

from covel_host.cli.options import (
    explain_option,
    json_option,
    locale_option,
    payload_option,
    plugins_dir_option,
    record_option,
    safe_option,
    trust_option,
)


@click.command("run")
@click.argument("target", metavar="PLUGIN[/RUNTIME]|PATH")
@payload_option("What the runtime is given.")
@click.option("--message", metavar="TEXT", help="What the player says with it.")
@click.option("--session", "session_id", metavar="ID", help="Go on in this session.")
@click.option(
    "--with",
    "packages",
    metavar="PLUGIN",
    multiple=True,
    help="Another package of the session, such as a provider of services; may be repeated.",
)
@click.option(
    "--model", metavar="SLOT|offline|scripted:FILE", help="What answers every model call."
)
@record_option
@explain_option
@trust_option
@safe_option
@locale_option
@plugins_dir_option
@json_option
def command(
    *,
    target: str,
    payload: str | None,
    message: str | None,
    session_id: str | None,
    packages: tuple[str, ...],
    model: str | None,
    is_recorded: bool,
    is_explained: bool,
    trusted: tuple[str, ...],
    is_safe: bool,
    locale: str | None,
    plugins_dirs: tuple[Path, ...],
    as_json: bool,
) -> int:
    """Run one runtime of a package and commit its turn."""
    from covel_host.cli.log_file import log_to_file
    from covel_host.cli.run_request import given_value
    from covel_host.cli.safe_mode import begin_safe_mode
    from covel_host.cli.targets import parse_target
    from covel_host.models.selector import parse_model_selector
    from covel_host.settings import read_settings

    named = parse_target(target)
    given = None if payload is None else given_value(payload)
    selector = None if model is None else parse_model_selector(model)
    folders = [*([] if named.folder is None else [named.folder]), *plugins_dirs]
    if is_safe:
        begin_safe_mode(folders)
    settings = read_settings(
        os.environ, extra_folders=folders, trust=trusted, locale=locale, is_safe=is_safe
    )
    with log_to_file(settings) as output:
        from covel_host.cli.explained_tools import ExplainedTools
        from covel_host.cli.run_execution import execute
        from covel_host.turn.admission import ManualRequest

        request = ManualRequest(
            target=named.name,
            payload=given,
            message=message,
            session_id=session_id,
            packages=packages,
            record=is_recorded,
        )
        return execute(
            request,
            settings,
            selector=selector,
            output=output,
            as_json=as_json,
            explained=ExplainedTools(settings.tool_rules) if is_explained else None,
        )
