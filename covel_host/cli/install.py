"""`covel install`."""

import os
from pathlib import Path

import click

from covel_host.cli.options import json_option
from covel_host.cli.output import write_json, write_text


@click.command(
    "install",
    epilog="It is checked and put in its place whole, or not at all. None of its code runs, and "
    "nothing is fetched. Nobody trusts it yet: see covel trust. Reference: docs/installing.md.",
)
@click.argument("source", type=click.Path(path_type=Path), metavar="ZIP|DIR")
@click.option(
    "--id",
    "plugin_id",
    metavar="ID",
    help="Install it under this ID. [default: what its manifest says, else the name of ZIP or DIR]",
)
@click.option(
    "--replace", "replaces", is_flag=True, help="Put it in the place of the package of its ID."
)
@json_option
def command(*, source: Path, plugin_id: str | None, replaces: bool, as_json: bool) -> None:
    """Put a package into the user's folder, from a ZIP archive or a folder."""
    from covel_host.cli.installing import installed_json, installed_text, perform_install
    from covel_host.settings import read_settings

    settings = read_settings(os.environ)
    installed = perform_install(source, settings, plugin_id=plugin_id, replaces=replaces)
    if as_json:
        write_json(installed_json(installed, settings))
    else:
        write_text(installed_text(installed, settings))
