"""`covel plan`."""

import os
from pathlib import Path

import click

from covel_host.cli.options import json_option, plugins_dir_option
from covel_host.cli.output import write_json, write_text


@click.command(
    "plan",
    epilog="No code of a package is loaded, so none has to be trusted, and no hook is asked. Every "
    "run is taken to go well and to emit nothing. Reference: docs/turns.md.",
)
@click.argument("session_id", metavar="SESSION")
@plugins_dir_option
@json_option
def command(*, session_id: str, plugins_dirs: tuple[Path, ...], as_json: bool) -> None:
    """Show what the next turn of a session runs, and why each runtime does or does not."""
    from covel_host.cli.plan_text import plan_json, plan_of, plan_text
    from covel_host.settings import read_settings

    plan = plan_of(read_settings(os.environ, extra_folders=plugins_dirs), session_id)
    if as_json:
        write_json(plan_json(plan))
    else:
        write_text(plan_text(plan))
