"""`covel replay`."""

import os
from pathlib import Path

import click

from covel_host.cli.options import (
    json_option,
    plugins_dir_option,
    safe_option,
    trust_option,
)


@click.command(
    "replay",
    epilog="Models, random numbers, the clock and HTTP answer from the recording; nothing is sent "
    "and the session is not touched. Without a TURN the recordings of the session are listed, and "
    "`last` is the newest. The exit code is 0 when nothing differs, 1 when something does. "
    "Reference: docs/replay.md.",
)
@click.argument("session_id", metavar="SESSION")
@click.argument("turn_id", metavar="[TURN]", required=False)
@click.option(
    "--forget",
    "is_forgotten",
    is_flag=True,
    help="Delete the recording instead, and let go of the revision that it keeps.",
)
@trust_option
@safe_option
@plugins_dir_option
@json_option
def command(
    *,
    session_id: str,
    turn_id: str | None,
    is_forgotten: bool,
    trusted: tuple[str, ...],
    is_safe: bool,
    plugins_dirs: tuple[Path, ...],
    as_json: bool,
) -> int:
    """Run a recorded turn again, with the packages of now, and compare what comes of it."""
    from covel_host.cli.log_file import log_to_file
    from covel_host.cli.safe_mode import begin_safe_mode
    from covel_host.settings import read_settings

    if is_forgotten and turn_id is None:
        raise click.UsageError(f"Which turn? covel replay {session_id} TURN --forget")
    if is_safe:
        begin_safe_mode(plugins_dirs)
    settings = read_settings(os.environ, extra_folders=plugins_dirs, trust=trusted, is_safe=is_safe)
    from covel_host.cli import replaying

    if turn_id is None:
        replaying.show_recordings(settings, session_id, as_json=as_json)
        return 0
    session_id, turn_id = replaying.recording_meant(settings, session_id, turn_id)
    if is_forgotten:
        replaying.forget(settings, session_id, turn_id, as_json=as_json)
        return 0
    with log_to_file(settings) as output:
        return replaying.replay(settings, session_id, turn_id, output=output, as_json=as_json)
