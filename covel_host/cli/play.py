"""`covel play`."""

import os
import sys
from pathlib import Path

import click

from covel_host.cli.options import (
    locale_option,
    plugins_dir_option,
    record_option,
    safe_option,
    trust_option,
)


@click.command(
    "play",
    epilog="Without SESSION a new one is begun. Lines are said in the story; lines that begin with "
    "'/' are commands, '/help' lists them. Ctrl-C aborts the turn under way, and leaves at the "
    "prompt. Reference: docs/play.md.",
)
@click.argument("session_id", metavar="[SESSION]", required=False)
@click.option("--last", "is_last", is_flag=True, help="Go on with the session changed last.")
@click.option(
    "--world",
    type=click.Path(path_type=Path, exists=True),
    metavar="PATH",
    help="A world pack to begin in.",
)
@click.option(
    "--plugins",
    "packages",
    multiple=True,
    metavar="ID",
    help="A package that a new session gets, beside the core ones; may be given several times.",
)
@click.option(
    "--model", metavar="SLOT|offline|scripted:FILE", help="What answers every model call."
)
@click.option("--seat", "seat_id", metavar="ID", help="The seat that acts.")
@locale_option
@record_option
@click.option("-v", "--verbose", "is_verbose", is_flag=True, help="Show runtimes and tool calls.")
@trust_option
@safe_option
@plugins_dir_option
def command(
    *,
    session_id: str | None,
    is_last: bool,
    world: Path | None,
    packages: tuple[str, ...],
    model: str | None,
    seat_id: str | None,
    locale: str | None,
    is_recorded: bool,
    is_verbose: bool,
    trusted: tuple[str, ...],
    is_safe: bool,
    plugins_dirs: tuple[Path, ...],
) -> int:
    """Play a session in the terminal, a new one or one that is there."""
    from covel_host.cli.log_file import log_to_file
    from covel_host.cli.safe_mode import begin_safe_mode
    from covel_host.models.selector import parse_model_selector
    from covel_host.settings import read_settings

    if (session_id is not None or is_last) and (world is not None or packages):
        raise click.UsageError("--world and --plugins are for a new session.")
    if session_id is not None and is_last:
        raise click.UsageError("Give a SESSION or --last, and not both.")
    selector = None if model is None else parse_model_selector(model)
    if is_safe:
        begin_safe_mode(plugins_dirs)
    settings = read_settings(
        os.environ, extra_folders=plugins_dirs, trust=trusted, locale=locale, is_safe=is_safe
    )
    with log_to_file(settings) as output:
        from covel_host.cli.play_session import PlayOptions
        from covel_host.cli.playing import new_session, newest_session, play_game

        if session_id is None:
            session_id = (
                newest_session(settings) if is_last else new_session(settings, world, packages)
            )
        options = PlayOptions(seat_id=seat_id, record=is_recorded, is_verbose=is_verbose)
        return play_game(
            session_id,
            settings,
            options,
            selector=selector,
            input_stream=sys.stdin,
            output=output,
        )
