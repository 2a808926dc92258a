"""`covel plugins`."""

import os
from pathlib import Path

import click

from covel_host.cli.options import json_option, plugins_dir_option, trust_option
from covel_host.cli.output import write_json, write_text

load_option = click.option(
    "--load", is_flag=True, help="Load the packages whose code may run, and show the result."
)


@click.group("plugins")
def command() -> None:
    """List the packages found, show one, or resolve a session's set."""


@command.command("list")
@load_option
@trust_option
@plugins_dir_option
@json_option
def list_command(
    *, load: bool, trusted: tuple[str, ...], plugins_dirs: tuple[Path, ...], as_json: bool
) -> None:
    """List the packages in the plugin folders; without --load nothing of them is imported."""
    from covel_host.cli.package_facts import load_facts, read_facts
    from covel_host.cli.package_list import list_json, list_text
    from covel_host.settings import read_settings

    settings = read_settings(os.environ, extra_folders=plugins_dirs, trust=trusted)
    if load:
        from covel_host.cli.log_file import log_to_file

        with log_to_file(settings):
            facts = load_facts(settings)
    else:
        facts = read_facts(settings)
    if as_json:
        write_json(list_json(facts))
    else:
        write_text(list_text(facts, settings))


@command.command("show")
@click.argument("plugin_id", metavar="ID")
@load_option
@trust_option
@plugins_dir_option
@json_option
def show_command(
    *,
    plugin_id: str,
    load: bool,
    trusted: tuple[str, ...],
    plugins_dirs: tuple[Path, ...],
    as_json: bool,
) -> None:
    """Show one package: manifest, runtimes, contributions, problems, trust."""
    from covel_host.cli.package_facts import load_facts, read_facts
    from covel_host.cli.package_show import show_json, show_text
    from covel_host.settings import read_settings

    settings = read_settings(os.environ, extra_folders=plugins_dirs, trust=trusted)
    if load:
        from covel_host.cli.log_file import log_to_file

        with log_to_file(settings):
            facts = load_facts(settings, wanted=lambda found: found == plugin_id)
    else:
        facts = read_facts(settings, wanted=lambda found: found == plugin_id)
    if not facts.packages:
        from covel_host.catalog.discovery import discover
        from covel_host.cli.targets import package_not_found

        known = [found.plugin_id for found in discover(settings.folders).packages]
        raise package_not_found(plugin_id, known)
    hidden = [found for found in facts.diagnostics if found.plugin == plugin_id]
    if as_json:
        write_json(show_json(facts.packages[0], hidden))
    else:
        write_text(show_text(facts.packages[0], hidden))


@command.command("resolve")
@click.argument("plugin_ids", nargs=-1, metavar="[ID]...")
@click.option(
    "--exclude",
    "excluded",
    multiple=True,
    metavar="ID",
    help="Leave this package out, whoever needs it; may be given several times.",
)
@trust_option
@plugins_dir_option
@json_option
def resolve_command(
    *,
    plugin_ids: tuple[str, ...],
    excluded: tuple[str, ...],
    trusted: tuple[str, ...],
    plugins_dirs: tuple[Path, ...],
    as_json: bool,
) -> int:
    """Explain which packages a session that asks for IDs would get, and why not the others.

    Without an ID every package is asked for. Nothing of a package is imported. The exit code is 1
    when a package that was named is not among them.
    """
    from covel_host.cli.failures import FINDINGS
    from covel_host.cli.package_facts import read_facts
    from covel_host.cli.package_resolution import resolution_json, resolution_text, resolve
    from covel_host.settings import read_settings

    settings = read_settings(os.environ, extra_folders=plugins_dirs, trust=trusted)
    resolved = resolve(read_facts(settings), named=plugin_ids, excluded=excluded)
    if as_json:
        write_json(resolution_json(resolved))
    else:
        write_text(resolution_text(resolved))
    return FINDINGS if resolved.fails else 0
