"""Options that several commands share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

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

safe_option = click.option(
    "--safe", "is_safe", is_flag=True, help="Look at bundled packages only, whatever else is there."
)

yes_option = click.option("--yes", "is_confirmed", is_flag=True, help="Do not ask.")

record_option = click.option(
    "--record",
    "is_recorded",
    is_flag=True,
    help="Record what it takes from outside, for covel replay.",
)

explain_option = click.option(
    "--explain",
    "is_explained",
    is_flag=True,
    help="Say of every tool why it was offered or not, and why calls were refused.",
)

locale_option = click.option(
    "--locale", metavar="TAG", help="Language of content, such as en or zh-CN."
)


def payload_option(help: str, *, name: str = "--payload") -> Callable[[Any], Any]:
    """An option for a JSON value; `run_request.given_value` reads it."""
    return click.option(
        name, metavar="JSON|@FILE|-", help=f"{help} From a file with @, from standard input with -."
    )
