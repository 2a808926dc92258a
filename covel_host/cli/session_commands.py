"""`covel sessions pause|resume|end|plugins|model|setup|seat`: a session changed between turns."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from covel_host.cli.options import json_option, plugins_dir_option, yes_option

if TYPE_CHECKING:
    from covel_host.settings import Settings

session_argument = click.argument("session_id", metavar="SESSION")


@click.command("pause")
@session_argument
@json_option
def pause_command(*, session_id: str, as_json: bool) -> None:
    """Let nothing run in the session until it is resumed."""
    _change_status(session_id, "pause", as_json=as_json)


@click.command("resume")
@session_argument
@json_option
def resume_command(*, session_id: str, as_json: bool) -> None:
    """Let a paused session go on."""
    _change_status(session_id, "resume", as_json=as_json)


@click.command("end")
@session_argument
@plugins_dir_option
@yes_option
@json_option
def end_command(
    *, session_id: str, plugins_dirs: tuple[Path, ...], is_confirmed: bool, as_json: bool
) -> None:
    """End the session for good; it can still be read, exported, forked and deleted."""
    from covel_host.cli.confirmation import confirm
    from covel_host.cli.in_session import stored_session
    from covel_host.cli.session_changing import end
    from covel_host.cli.session_reports import report_change

    settings = _settings(plugins_dirs)
    if stored_session(settings, session_id).status != "ended":
        question = f"End the session {session_id}? It never runs again."
        confirm(question, is_confirmed=is_confirmed)
    report_change(end(settings, session_id), "ended", as_json=as_json)


@click.command("plugins")
@session_argument
@click.argument("action", required=False, type=click.Choice(["add", "remove"]))
@click.argument("plugin_id", metavar="[ID]", required=False)
@plugins_dir_option
@json_option
def plugins_command(
    *,
    session_id: str,
    action: Literal["add", "remove"] | None,
    plugin_id: str | None,
    plugins_dirs: tuple[Path, ...],
    as_json: bool,
) -> None:
    """List the packages of a session, or put one into it, or take one out.

    With a package come the providers of what it requires. What is taken out keeps its data, and
    takes those with it that require it.
    """
    from covel_host.cli.session_changing import change_packages
    from covel_host.cli.session_reports import report_packages, report_packages_changed

    settings = _settings(plugins_dirs)
    if action is None:
        report_packages(settings, session_id, as_json=as_json)
        return
    if plugin_id is None:
        raise click.UsageError(f"Which package? covel sessions plugins {session_id} {action} ID")
    changed = change_packages(settings, session_id, action, plugin_id)
    report_packages_changed(changed, as_json=as_json)


@click.command("model")
@session_argument
@click.argument("runtime_id", metavar="[RUNTIME]", required=False)
@click.argument("slot", metavar="[SLOT]", required=False)
@click.option("--unset", "is_unset", is_flag=True, help="Let the runtime use its own slot again.")
@plugins_dir_option
@json_option
def model_command(
    *,
    session_id: str,
    runtime_id: str | None,
    slot: str | None,
    is_unset: bool,
    plugins_dirs: tuple[Path, ...],
    as_json: bool,
) -> None:
    """List the model slots chosen for runtimes of a session, or choose one.

    It holds from the next turn on, in place of the slot that the runtime names itself.
    """
    from covel_host.cli.session_changing import change_model
    from covel_host.cli.session_reports import report_change, report_models

    settings = _settings(plugins_dirs)
    if runtime_id is None and not is_unset:
        report_models(settings, session_id, as_json=as_json)
        return
    if runtime_id is None or (slot is None) != is_unset:
        usage = f"covel sessions model {session_id} RUNTIME SLOT, or RUNTIME --unset"
        raise click.UsageError(f"A runtime is needed, and a slot or --unset: {usage}")
    changed = change_model(settings, session_id, runtime_id, slot)
    what = f"{runtime_id} uses " + ("its own slot" if slot is None else f"the slot {slot}")
    report_change(changed, what, as_json=as_json)


@click.command("setup")
@session_argument
@click.argument("runtime_id", metavar="[RUNTIME]", required=False)
@click.argument("decision", required=False, type=click.Choice(["retry", "waive"]))
@plugins_dir_option
@yes_option
@json_option
def setup_command(
    *,
    session_id: str,
    runtime_id: str | None,
    decision: Literal["retry", "waive"] | None,
    plugins_dirs: tuple[Path, ...],
    is_confirmed: bool,
    as_json: bool,
) -> None:
    """List the setup runtimes of a session, or decide about one that is blocked.

    A retry lets it run again with a fresh budget; a waiver counts it as done without its work.
    """
    from covel_host.cli.confirmation import confirm
    from covel_host.cli.session_changing import decide_setup
    from covel_host.cli.session_reports import report_change, report_setup

    settings = _settings(plugins_dirs)
    if runtime_id is None:
        report_setup(settings, session_id, as_json=as_json)
        return
    if decision is None:
        raise click.UsageError(
            f"What about it? covel sessions setup {session_id} {runtime_id} retry|waive"
        )
    if decision == "waive":
        question = f"Go on without {runtime_id}? What it sets up stays missing."
        confirm(question, is_confirmed=is_confirmed)
    changed = decide_setup(settings, session_id, runtime_id, decision)
    what = "pending" if decision == "retry" else "waived"
    report_change(changed, f"{runtime_id} is {what}", as_json=as_json)


@click.command("seat")
@session_argument
@click.argument("seat_id", metavar="[SEAT]", required=False)
@click.option("--label", metavar="TEXT", help="What the seat is called.")
@click.option("--character", "character_id", metavar="ID", help="The character that it plays.")
@click.option("--nobody", "is_empty", is_flag=True, help="Let it play no character.")
@json_option
def seat_command(
    *,
    session_id: str,
    seat_id: str | None,
    label: str | None,
    character_id: str | None,
    is_empty: bool,
    as_json: bool,
) -> None:
    """List the seats of a session, or change one; a seat that is not there is added."""
    from covel_host.cli.session_changing import change_seat
    from covel_host.cli.session_reports import report_change, report_seats

    if is_empty and character_id is not None:
        raise click.UsageError("--character and --nobody exclude each other.")
    if seat_id is None:
        if label is not None or character_id is not None or is_empty:
            raise click.UsageError(f"Which seat? covel sessions seat {session_id} SEAT ...")
        report_seats(_settings(), session_id, as_json=as_json)
        return
    wanted = "" if is_empty else character_id
    changed = change_seat(_settings(), session_id, seat_id, label=label, character_id=wanted)
    report_change(changed, f"{seat_id} is set", as_json=as_json)


def _change_status(session_id: str, change: Literal["pause", "resume"], *, as_json: bool) -> None:
    from covel_host.cli.session_changing import set_running
    from covel_host.cli.session_reports import report_change

    changed = set_running(_settings(), session_id, change)
    what = "paused" if change == "pause" else "active"
    report_change(changed, what, as_json=as_json)


def _settings(plugins_dirs: tuple[Path, ...] = ()) -> "Settings":
    from covel_host.settings import read_settings

    return read_settings(os.environ, extra_folders=plugins_dirs)


COMMANDS: tuple[Any, ...] = (
    pause_command,
    resume_command,
    end_command,
    plugins_command,
    model_command,
    setup_command,
    seat_command,
)
"""The commands of this module, for the group."""
