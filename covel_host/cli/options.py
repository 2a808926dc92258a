"""Options that several commands share."""

from pathlib import Path

import click

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON document instead of text."
)

plugins_dir_option = click.option(
    "--plugins-dir",
    "plugins_dirs",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    multiple=True,
    metavar="DIR",
    help="A further folder of packages; it goes before the user folder.",
)

trust_option = click.option(
    "--trust",
    "trusted",
    multiple=True,
    metavar="ID",
    help="Let the code of this package run, this once.",
)

locale_option = click.option(
    "--locale", metavar="TAG", help="Language of content, such as en or zh-CN."
)
