"""`covel rpc`."""

import os
from pathlib import Path

import click

from covel_host.cli.options import (
    json_option,
    locale_option,
    payload_option,
    plugins_dir_option,
    safe_option,
    trust_option,
)


@click.command(
    "rpc",
    epilog="SESSION is an ID, or the word new for a session of its own with the package in it. "
    "A COMMAND is one argument such as '/roll 2d6'; '/help' lists those of the session. What an "
    "action writes is committed at once and stays. Reference: docs/actions.md, docs/commands.md.",
)
@click.argument("session_id", metavar="SESSION")
@click.argument("target", metavar="PLUGIN|PATH|COMMAND")
@click.argument("action", metavar="[ACTION]", required=False)
@payload_option("What the action is given, or a command's arguments by name.")
@click.option("--runtime", "runtime_id", metavar="ID", help="A runtime the action is to know of.")
@trust_option
@safe_option
@locale_option
@plugins_dir_option
@json_option
def command(
    *,
    session_id: str,
    target: str,
    action: str | None,
    payload: str | None,
    runtime_id: str | None,
    trusted: tuple[str, ...],
    is_safe: bool,
    locale: str | None,
    plugins_dirs: tuple[Path, ...],
    as_json: bool,
) -> int:
    """Run an RPC action of a package, or a player's command, in a session."""
    from covel_host.cli.log_file import log_to_file
    from covel_host.cli.run_request import given_value
    from covel_host.cli.safe_mode import begin_safe_mode
    from covel_host.cli.targets import parse_target
    from covel_host.settings import read_settings

    if action is None and not target.startswith("/"):
        raise click.UsageError(
            "An ACTION is missing. A player's command is one argument that begins with '/'."
        )
    if action is not None and target.startswith("/") and not os.path.exists(target):
        raise click.UsageError(
            f"A player's command is one argument, quoted for the shell: '{target} {action}'"
        )
    given = None if payload is None else given_value(payload)
    named = None if action is None else parse_target(target)
    folders = [*([] if named is None or named.folder is None else [named.folder]), *plugins_dirs]
    if is_safe:
        begin_safe_mode(folders)
    settings = read_settings(
        os.environ, extra_folders=folders, trust=trusted, locale=locale, is_safe=is_safe
    )
    with log_to_file(settings) as output:
        from covel_host.cli.rpc_calls import call_action, call_command
        from covel_host.turn.action_admission import ActionRequest

        if named is None or action is None:
            return call_command(session_id, target, given, settings, output=output, as_json=as_json)
        request = ActionRequest(
            session_id=session_id,
            plugin_id=named.name,
            action=action,
            payload={} if given is None else given,
            runtime_id=runtime_id,
        )
        return call_action(request, settings, output=output, as_json=as_json)
