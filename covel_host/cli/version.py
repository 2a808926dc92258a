"""`covel version`."""

import platform

import click

from covel_host import __version__
from covel_host.cli.options import json_option
from covel_host.cli.output import write_json


@click.command("version")
@json_option
def command(*, as_json: bool) -> None:
    """Show the versions of host and Python."""
    if as_json:
        write_json({"covel": __version__, "python": platform.python_version()})
    else:
        click.echo(f"covel {__version__} (Python {platform.python_version()})")
