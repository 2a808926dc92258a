"""`covel trust`."""

import os
from pathlib import Path

import click

from covel_host.cli.options import json_option, plugins_dir_option, yes_option
from covel_host.cli.output import write_json, write_text


@click.group(
    "trust",
    epilog="A grant holds for the content that the package has now: after an edit or an update it "
    "is to be granted anew. Bundled packages need none. Reference: docs/trust.md.",
)
def command() -> None:
    """Show whose code may run, allow a package's, or take that back."""


@command.command("list")
@plugins_dir_option
@json_option
def list_command(*, plugins_dirs: tuple[Path, ...], as_json: bool) -> None:
    """List the packages that bring code, and what trusts each."""
    from covel_host.cli.package_facts import read_facts
    from covel_host.cli.trust_facts import trust_facts, trust_json, trust_list_text
    from covel_host.settings import read_settings

    settings = read_settings(os.environ, extra_folders=plugins_dirs)
    listed = trust_facts(read_facts(settings), settings)
    if as_json:
        write_json({"packages": [trust_json(facts) for facts in listed]})
    else:
        write_text(trust_list_text(listed))


@command.command("grant")
@click.argument("plugin_id", metavar="ID")
@yes_option
@plugins_dir_option
@json_option
def grant_command(
    *, plugin_id: str, is_confirmed: bool, plugins_dirs: tuple[Path, ...], as_json: bool
) -> None:
    """Let the code of a package run, as it is now."""
    from covel_host.cli.confirmation import confirm
    from covel_host.cli.trust_changes import grant, grantable
    from covel_host.cli.trust_text import grantable_text, granted_json
    from covel_host.settings import read_settings

    settings = read_settings(os.environ, extra_folders=plugins_dirs)
    granted = grantable(plugin_id, settings)
    if not as_json:
        write_text(grantable_text(granted))
    record, has_changed = granted.before, False
    if not granted.is_granted or record is None:
        question = "Let this code run? It runs inside the host and may do whatever you may."
        confirm(question, is_confirmed=is_confirmed)
        record, has_changed = grant(granted, settings), True
    if as_json:
        write_json(granted_json(granted, record, has_changed=has_changed))
    else:
        write_text(f"The code of {plugin_id!r} is trusted{'' if has_changed else ' already'}.\n")


@command.command("revoke")
@click.argument("plugin_id", metavar="ID")
@plugins_dir_option
@json_option
def revoke_command(*, plugin_id: str, plugins_dirs: tuple[Path, ...], as_json: bool) -> None:
    """Take back the trust in a package. Its code runs no more from the next call on."""
    from covel_host.cli.trust_changes import revoke
    from covel_host.cli.trust_text import revoked_json, revoked_text
    from covel_host.settings import read_settings

    revoked = revoke(plugin_id, read_settings(os.environ, extra_folders=plugins_dirs))
    if as_json:
        write_json(revoked_json(revoked))
    else:
        write_text(revoked_text(revoked))
