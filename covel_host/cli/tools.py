"""`covel tools`."""

import os
from pathlib import Path

import click

from covel_host.cli.options import json_option, plugins_dir_option, safe_option, trust_option


@click.command(
    "tools",
    epilog="The tools of the packages come first, those of the framework last.",
)
@click.argument("packages", nargs=-1, metavar="[PLUGIN|PATH]...")
@trust_option
@safe_option
@plugins_dir_option
@json_option
def command(
    *,
    packages: tuple[str, ...],
    trusted: tuple[str, ...],
    is_safe: bool,
    plugins_dirs: tuple[Path, ...],
    as_json: bool,
) -> int:
    """List the tools that packages register, and those made from their data sets."""
    from covel_host.cli.log_file import log_to_file
    from covel_host.cli.safe_mode import begin_safe_mode
    from covel_host.cli.targets import parse_target
    from covel_host.cli.tool_list import list_tools
    from covel_host.settings import read_settings

    targets = [parse_target(text) for text in packages]
    folders = [target.folder for target in targets if target.folder is not None]
    folders += plugins_dirs
    if is_safe:
        begin_safe_mode(folders)
    settings = read_settings(os.environ, extra_folders=folders, trust=trusted, is_safe=is_safe)
    with log_to_file(settings) as output:
        return list_tools(
            settings,
            [target.plugin_id for target in targets],
            output=output,
            as_json=as_json,
        )
