"""`covel new`."""

import os
from pathlib import Path
from typing import Final

import click

from covel_host.cli.options import json_option

TEMPLATES: Final = (
    "tool",
    "agent",
    "function",
    "multi-runtime",
    "dataset",
    "action",
    "hooks",
    "extension",
    "prompt-only",
)


@click.group("new")
def command() -> None:
    """Begin a package from a template."""


@command.command("plugin")
@click.argument("plugin_id", metavar="NAME")
@click.option(
    "--template",
    "templates",
    type=click.Choice(TEMPLATES),
    multiple=True,
    help="What the package begins as. [default: tool]",
)
@click.option(
    "--dir",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder that gets the package. [default: the user's folder of packages]",
)
@json_option
def plugin_command(
    *, plugin_id: str, templates: tuple[str, ...], folder: Path | None, as_json: bool
) -> None:
    """Begin a package in a new folder NAME, which is its ID.

    The package is complete and valid: it can be checked at once, and run where this version serves
    what it shows.
    """
    chosen = tuple(dict.fromkeys(templates)) or ("tool",)
    if len(chosen) > 1:
        raise click.UsageError(
            f"A package begins from one template, and {' and '.join(chosen)} were given. "
            "Begin from the one nearest to what you need, and copy from the other."
        )
    from covel_host.catalog.folders import user_plugins_folder
    from covel_host.cli.new_package import made_json, made_text, make_package
    from covel_host.cli.output import write_json, write_text

    place = user_plugins_folder(os.environ) if folder is None else folder
    made = make_package(plugin_id, chosen[0], place, is_found=folder is None)
    if as_json:
        write_json(made_json(made))
    else:
        write_text(made_text(made))
