"""`covel sessions`."""

import os
from pathlib import Path

import click

from covel_host.cli.options import json_option, locale_option, plugins_dir_option
from covel_host.cli.output import write_json, write_text
from covel_host.cli.session_commands import COMMANDS as CHANGES
from covel_host.cli.session_copies import COMMANDS as COPIES


@click.group("sessions", epilog="Reference: docs/sessions.md.")
def command() -> None:
    """List sessions, show one, begin, change, fork, export or delete one."""


for _one in (*CHANGES, *COPIES):
    command.add_command(_one)


@command.command("list")
@click.option(
    "--limit",
    type=click.IntRange(1, 10_000),
    default=20,
    show_default=True,
    help="How many, last changed first.",
)
@json_option
def list_command(*, limit: int, as_json: bool) -> None:
    """List sessions, last changed first."""
    from covel_host.cli.session_facts import read_sessions
    from covel_host.cli.session_json import sessions_json
    from covel_host.cli.session_text import sessions_text
    from covel_host.settings import read_settings

    sessions = read_sessions(read_settings(os.environ), limit=limit)
    if as_json:
        write_json(sessions_json(sessions))
    else:
        write_text(sessions_text(sessions))


@command.command("show")
@click.argument("session_id", metavar="ID")
@click.option("--turn", "turn_id", metavar="TURN_ID", help="Show this turn instead of the newest.")
@json_option
def show_command(*, session_id: str, turn_id: str | None, as_json: bool) -> None:
    """Show one session: messages, turns, tool calls, and the trace of a turn as a tree."""
    from covel_host.cli.session_facts import read_session
    from covel_host.cli.session_json import session_json
    from covel_host.settings import read_settings

    facts = read_session(read_settings(os.environ), session_id, turn_id=turn_id)
    if as_json:
        write_json(session_json(facts))
        return
    from covel_host.cli.session_text import session_text, write_trace

    write_text(session_text(facts))
    if facts.traced is not None:
        write_trace(facts.traced)


@command.command("new", epilog="Reference: docs/worlds.md.")
@click.option(
    "--world",
    type=click.Path(path_type=Path, exists=True),
    metavar="PATH",
    help="The world pack to play in. Without one the session begins empty.",
)
@click.option(
    "--with",
    "packages",
    multiple=True,
    metavar="PLUGIN",
    help="A package of the session, beside those the world asks for; may be given several times.",
)
@locale_option
@plugins_dir_option
@json_option
def new_command(
    *,
    world: Path | None,
    packages: tuple[str, ...],
    locale: str | None,
    plugins_dirs: tuple[Path, ...],
    as_json: bool,
) -> int:
    """Begin a session, and import a world pack into it; all of it is stored, or nothing."""
    from covel_host.cli.session_start import begin_session
    from covel_host.settings import read_settings

    settings = read_settings(os.environ, extra_folders=plugins_dirs, locale=locale)
    return begin_session(settings, world=world, packages=packages, as_json=as_json)
