"""`covel mcp`."""

import os
from pathlib import Path

import click

from covel_host.cli.options import locale_option, plugins_dir_option, safe_option, trust_option


@click.command(
    "mcp",
    epilog="A client starts this command and speaks with it over standard input and output. "
    "Reference: docs/mcp.md.",
)
@click.argument("packages", nargs=-1, required=True, metavar="PLUGIN|PATH...")
@click.option("--session", "session_id", metavar="ID", help="Make the calls in this session.")
@trust_option
@safe_option
@locale_option
@plugins_dir_option
@click.option(
    "--json", "as_json", is_flag=True, help="Print the tools as a client sees them, and end."
)
def command(
    *,
    packages: tuple[str, ...],
    session_id: str | None,
    trusted: tuple[str, ...],
    is_safe: bool,
    locale: str | None,
    plugins_dirs: tuple[Path, ...],
    as_json: bool,
) -> int:
    """Serve the tools of packages to an MCP client over standard input and output."""
    from covel_host.cli.log_file import log_to_file
    from covel_host.cli.mcp_serving import check_library, print_tools, serve_packages
    from covel_host.cli.safe_mode import begin_safe_mode
    from covel_host.cli.targets import parse_target
    from covel_host.settings import read_settings

    check_library()
    targets = [parse_target(text) for text in packages]
    folders = [target.folder for target in targets if target.folder is not None]
    folders += plugins_dirs
    if is_safe:
        begin_safe_mode(folders)
    settings = read_settings(
        os.environ, extra_folders=folders, trust=trusted, locale=locale, is_safe=is_safe
    )
    plugin_ids = [target.plugin_id for target in targets]
    with log_to_file(settings) as output:
        if as_json:
            return print_tools(settings, plugin_ids, output=output)
        return serve_packages(settings, plugin_ids, session_id=session_id, output=output)
