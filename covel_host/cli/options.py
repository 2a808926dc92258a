"""Options that several commands share."""

from pathlib import Path

import click

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON document instead of text."
)

plugins_dir_option = click.option(
    "--plugins-dir",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    multiple=True,
    help="A further folder of packages; it goes before the user folder.",
)
