"""`covel uninstall`."""

import os

import click

from covel_host.cli.options import json_option, yes_option
from covel_host.cli.output import path_text, write_json, write_text


@click.command(
    "uninstall",
    epilog="What sessions keep of it stays. Of a package that is a link only the link goes. "
    "Reference: docs/installing.md.",
)
@click.argument("plugin_id", metavar="ID")
@yes_option
@json_option
def command(*, plugin_id: str, is_confirmed: bool, as_json: bool) -> None:
    """Remove a package from the user's folder, and the trust in it."""
    from covel_host.cli.confirmation import confirm
    from covel_host.cli.installing import find_installed, perform_uninstall
    from covel_host.settings import read_settings

    settings = read_settings(os.environ)
    place = find_installed(plugin_id, settings)
    what = "the link" if place.is_link else "the folder"
    confirm(f"Remove {what} {path_text(place.root)}?", is_confirmed=is_confirmed)
    perform_uninstall(place, settings)
    if as_json:
        write_json({"id": plugin_id, "path": path_text(place.root), "isLink": place.is_link})
    else:
        write_text(f"Removed {what} {path_text(place.root)}. What sessions keep of it stays.\n")
