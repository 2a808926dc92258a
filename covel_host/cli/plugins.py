"""`covel plugins`."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from covel_host.cli.options import json_option, plugins_dir_option, safe_option, trust_option
from covel_host.cli.output import note, write_json, write_text

if TYPE_CHECKING:
    from covel_host.settings import Settings

load_option = click.option(
    "--load", is_flag=True, help="Load the packages whose code may run, and show the result."
)


@click.group("plugins")
def command() -> None:
    """List the packages found, show one, turn it off, set what it can be set to."""


@command.command("list")
@load_option
@trust_option
@safe_option
@plugins_dir_option
@json_option
def list_command(
    *,
    load: bool,
    trusted: tuple[str, ...],
    is_safe: bool,
    plugins_dirs: tuple[Path, ...],
    as_json: bool,
) -> None:
    """List the packages in the plugin folders; without --load nothing of them is imported."""
    from covel_host.cli.package_facts import load_facts, read_facts
    from covel_host.cli.package_list import list_json, list_text

    settings = _settings(trusted, plugins_dirs, is_safe=is_safe)
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
@safe_option
@plugins_dir_option
@json_option
def show_command(
    *,
    plugin_id: str,
    load: bool,
    trusted: tuple[str, ...],
    is_safe: bool,
    plugins_dirs: tuple[Path, ...],
    as_json: bool,
) -> None:
    """Show one package: manifest, runtimes, contributions, problems, trust."""
    from covel_host.cli.package_facts import load_facts, read_facts
    from covel_host.cli.package_show import show_json, show_text

    settings = _settings(trusted, plugins_dirs, is_safe=is_safe)
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
        raise package_not_found(plugin_id, known, disabled=facts.disabled)
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
@safe_option
@plugins_dir_option
@json_option
def resolve_command(
    *,
    plugin_ids: tuple[str, ...],
    excluded: tuple[str, ...],
    trusted: tuple[str, ...],
    is_safe: bool,
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

    settings = _settings(trusted, plugins_dirs, is_safe=is_safe)
    resolved = resolve(read_facts(settings), named=plugin_ids, excluded=excluded)
    if as_json:
        write_json(resolution_json(resolved))
    else:
        write_text(resolution_text(resolved))
    return FINDINGS if resolved.fails else 0


@command.command("enable")
@click.argument("plugin_id", metavar="ID")
@plugins_dir_option
@json_option
def enable_command(*, plugin_id: str, plugins_dirs: tuple[Path, ...], as_json: bool) -> None:
    """Turn a package on again. The trust in it is what it was."""
    _switch(plugin_id, plugins_dirs, is_enabled=True, as_json=as_json)


@command.command("disable")
@click.argument("plugin_id", metavar="ID")
@plugins_dir_option
@json_option
def disable_command(*, plugin_id: str, plugins_dirs: tuple[Path, ...], as_json: bool) -> None:
    """Turn a package off: it is found no more, until it is enabled.

    A file PLUGIN.md.disabled is put into its folder; bundled packages are named in settings.toml.
    """
    _switch(plugin_id, plugins_dirs, is_enabled=False, as_json=as_json)


@command.command("unpause")
@click.argument("session_id", metavar="SESSION")
@click.argument("plugin_id", metavar="ID")
@json_option
def unpause_command(*, session_id: str, plugin_id: str, as_json: bool) -> None:
    """Let a package that was set aside in a session after repeated errors run again."""
    from covel_host.cli.session_changing import unpause
    from covel_host.cli.session_reports import report_change
    from covel_host.settings import read_settings

    changed = unpause(read_settings(os.environ), session_id, plugin_id)
    report_change(changed, f"{plugin_id} runs again", as_json=as_json)


@command.command("settings")
@click.argument("session_id", metavar="SESSION")
@click.argument("plugin_id", metavar="ID")
@plugins_dir_option
@json_option
def settings_command(
    *, session_id: str, plugin_id: str, plugins_dirs: tuple[Path, ...], as_json: bool
) -> None:
    """Show the settings of a package in a session, and where each value comes from."""
    from covel_host.cli.plugin_settings import show_settings

    show_settings(_settings((), plugins_dirs), session_id, plugin_id, as_json=as_json)


@command.command("set", epilog="Reference: docs/sessions.md.")
@click.argument("session_id", metavar="SESSION")
@click.argument("plugin_id", metavar="ID")
@click.argument("key", metavar="KEY")
@click.argument("value", metavar="[VALUE]", required=False)
@click.option("--unset", "is_unset", is_flag=True, help="Take the player's value away.")
@plugins_dir_option
@json_option
def set_command(
    *,
    session_id: str,
    plugin_id: str,
    key: str,
    value: str | None,
    is_unset: bool,
    plugins_dirs: tuple[Path, ...],
    as_json: bool,
) -> None:
    """Give a setting of a package the player's value in a session, from the next turn on.

    It goes before the world's preset and the default. Write -- before a value that begins with -.
    """
    from covel_host.cli.plugin_settings import set_value

    if (value is None) != is_unset:
        raise click.UsageError("A value is needed, or --unset.")
    settings = _settings((), plugins_dirs)
    set_value(settings, session_id, plugin_id, key, value, as_json=as_json)


def _switch(
    plugin_id: str, plugins_dirs: tuple[Path, ...], *, is_enabled: bool, as_json: bool
) -> None:
    from covel_host.cli.plugins_enable import switch, switched_json, switched_text

    settings = _settings((), plugins_dirs)
    switched = switch(plugin_id, settings, is_enabled=is_enabled)
    if is_enabled and switched.has_changed and settings.database.exists():
        from covel_host.cli.plugins_unpausing import unpause_everywhere

        for session_id in unpause_everywhere(settings, plugin_id):
            note(f"Its failures in the session {session_id} count no more.")
    if as_json:
        write_json(switched_json(switched))
    else:
        write_text(switched_text(switched))


def _settings(
    trusted: tuple[str, ...], plugins_dirs: tuple[Path, ...], *, is_safe: bool = False
) -> "Settings":
    from covel_host.settings import read_settings

    if is_safe:
        from covel_host.cli.safe_mode import begin_safe_mode

        begin_safe_mode(plugins_dirs)
    return read_settings(os.environ, extra_folders=plugins_dirs, trust=trusted, is_safe=is_safe)
