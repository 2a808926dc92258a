"""`covel sessions fork|snapshots|export|delete`: copies of a session, and its end."""

import os
from pathlib import Path
from typing import Any, Literal

import click

from covel_host.cli.options import json_option, plugins_dir_option, yes_option
from covel_host.cli.session_commands import session_argument


@click.command("fork")
@session_argument
@click.option(
    "--from", "snapshot_id", metavar="SNAPSHOT", help="Begin there instead of where it is now."
)
@json_option
def fork_command(*, session_id: str, snapshot_id: str | None, as_json: bool) -> None:
    """Begin a new session as this one is, or was at a snapshot. It is the only way back.

    A fork of an ended session is paused. Nothing changes of the session itself.
    """
    from covel_host.cli.session_copying import fork
    from covel_host.settings import read_settings

    fork(read_settings(os.environ), session_id, snapshot_id=snapshot_id, as_json=as_json)


@click.command("snapshots")
@session_argument
@click.argument("action", required=False, type=click.Choice(["take", "drop"]))
@click.argument("snapshot_id", metavar="[SNAPSHOT]", required=False)
@json_option
def snapshots_command(
    *,
    session_id: str,
    action: Literal["take", "drop"] | None,
    snapshot_id: str | None,
    as_json: bool,
) -> None:
    """List the snapshots of a session, or take one that stays, or drop one."""
    from covel_host.cli.session_copying import drop, snapshots, take
    from covel_host.settings import read_settings

    settings = read_settings(os.environ)
    if action == "drop":
        if snapshot_id is None:
            usage = f"covel sessions snapshots {session_id} drop SNAPSHOT"
            raise click.UsageError(f"Which snapshot? {usage}")
        drop(settings, session_id, snapshot_id, as_json=as_json)
        return
    if snapshot_id is not None:
        raise click.UsageError("A snapshot that is taken gets its ID by itself.")
    if action == "take":
        take(settings, session_id, as_json=as_json)
    else:
        snapshots(settings, session_id, as_json=as_json)


@click.command("export")
@session_argument
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="A new file to write to, instead of standard output.",
)
@plugins_dir_option
@json_option
def export_command(
    *, session_id: str, out: Path | None, plugins_dirs: tuple[Path, ...], as_json: bool
) -> None:
    """Print the session as one JSON document, without what is hidden from players.

    It is for people and other programs, and is no backup: covel db backup makes those. The media
    are listed and not in it.
    """
    from covel_host.cli.session_copying import export
    from covel_host.settings import read_settings

    settings = read_settings(os.environ, extra_folders=plugins_dirs)
    export(settings, session_id, out=out, as_json=as_json)


@click.command("delete")
@session_argument
@plugins_dir_option
@yes_option
@json_option
def delete_command(
    *, session_id: str, plugins_dirs: tuple[Path, ...], is_confirmed: bool, as_json: bool
) -> None:
    """Delete the session, and the media that no other session holds. Its forks stay."""
    from covel_host.cli.confirmation import confirm
    from covel_host.cli.in_session import stored_session
    from covel_host.cli.session_copying import delete
    from covel_host.settings import read_settings

    settings = read_settings(os.environ, extra_folders=plugins_dirs)
    session = stored_session(settings, session_id)
    question = f"Delete the session {session_id}, with its {session.revision:,} revisions?"
    confirm(question, is_confirmed=is_confirmed)
    delete(settings, session_id, as_json=as_json)


COMMANDS: tuple[Any, ...] = (fork_command, snapshots_command, export_command, delete_command)
"""The commands of this module, for the group."""
