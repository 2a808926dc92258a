"""Actions and player commands from the command line: load, call, print the answer."""

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, TextIO

import click

from covel_host.base.errors import HostError
from covel_host.base.json_text import dump_json
from covel_host.cli.failures import FINDINGS, DetailedError, error_facts, output_lost
from covel_host.cli.in_session import play, read_packages, stored_session
from covel_host.cli.output import counted, note, safe_text
from covel_host.cli.streams import give_up
from covel_host.host import Host
from covel_host.settings import Settings
from covel_host.turn.action_admission import ActionRequest, admit_action
from covel_host.turn.action_call import ActionReport
from covel_host.turn.command_errors import CommandRefused
from covel_host.turn.commands import CommandHelp, CommandReport, CommandRequest
from plugin_sdk.values import JsonValue

NEW: Final = "new"
"""What stands for a session that is to be made."""


def call_action(
    request: ActionRequest, settings: Settings, *, output: TextIO, as_json: bool
) -> int:
    """Run one action and print its answer; the exit code is 0 when it answered.

    Raises:
        HostError: it could not begin.
    """
    is_new = request.session_id == NEW
    if not is_new:
        stored_session(settings, request.session_id)
    catalog = read_packages(settings, [request.plugin_id])

    async def body(host: Host) -> ActionReport:
        session_id = request.session_id
        if is_new:
            session_id = await host.open_session([request.plugin_id])
        return await host.run_action(replace(request, session_id=session_id))

    report = play(
        settings,
        catalog,
        body,
        may_ask=not as_json,
        check=lambda loaded: admit_action(request, loaded),
    )
    _print(output, lambda: _action_text(report), lambda: _action_json(report), as_json=as_json)
    return _noted(report, as_json=as_json)


def call_command(
    session_id: str,
    line: str,
    args: JsonValue,
    settings: Settings,
    *,
    output: TextIO,
    as_json: bool,
) -> int:
    """Run a player's command and print its answer; the exit code is 0 when it answered.

    Raises:
        HostError: it could not begin; a wrong line is shown with the place that is meant.
    """
    if args is not None and not isinstance(args, dict):
        raise click.UsageError("--payload gives a command's arguments by name: a JSON object.")
    if session_id == NEW:
        raise HostError(
            "A player's command needs a session that is there; 'new' is for actions.",
            code="session-not-found",
            hint="Make one with the package in it: covel sessions new --with PLUGIN",
        )
    session = stored_session(settings, session_id)
    catalog = read_packages(settings, (), session.active_packages)
    request = CommandRequest(session_id=session_id, line=line, args=args)
    try:
        report = play(
            settings, catalog, lambda host: host.run_command(request), may_ask=not as_json
        )
    except CommandRefused as refused:
        missing = [each for each in session.active_packages if each not in catalog.packages]
        raise pointed_error(refused, missing) from refused
    if isinstance(report, CommandHelp):
        text = report.text
        _print(output, lambda: text, lambda: {"help": text}, as_json=as_json)
        return 0
    told = report
    _print(output, lambda: answer_text(told), lambda: _command_json(told), as_json=as_json)
    return _noted(report.action, as_json=as_json)


def _print(
    output: TextIO,
    text: Callable[[], str],
    document: Callable[[], object],
    *,
    as_json: bool,
) -> None:
    shown = dump_json(document()) if as_json else safe_text(text())
    if not shown:
        return
    try:
        click.echo(shown, file=output)
    except BrokenPipeError:
        give_up(output)
    except OSError as error:
        output_lost(error, output)


def _noted(report: ActionReport, *, as_json: bool) -> int:
    """Say what was committed and what went wrong; the exit code."""
    failure = report.failure
    if failure is not None:
        note(f"error: {failure.message} ({failure.code})")
        if failure.hint:
            note(f"  {failure.hint}")
    if not as_json:
        wrote = "It wrote nothing."
        if report.writes:
            wrote = f"Committed {counted(report.writes, 'write')}: revision {report.revision}."
        note(f"{wrote} Session {report.session_id}.")
    return 0 if failure is None else FINDINGS


def _action_text(report: ActionReport) -> str:
    return "" if report.failure is not None else dump_json(report.result)


def answer_text(report: CommandReport) -> str:
    """A text as it is, and so the `message` of an object; anything else as JSON."""
    result = report.action.result
    if report.action.failure is not None or result is None:
        return ""
    if isinstance(result, dict) and isinstance(result.get("message"), str):
        result = result["message"]
    return result if isinstance(result, str) else dump_json(result)


def _action_json(report: ActionReport) -> dict[str, object]:
    document: dict[str, object] = {
        "status": "ok" if report.failure is None else "failed",
        "sessionId": report.session_id,
        "pluginId": report.plugin_id,
        "action": report.action,
        "invocationId": report.invocation_id,
        "writes": report.writes,
        "revision": report.revision,
        "durationMs": report.duration_ms,
    }
    failure = report.failure
    if failure is None:
        document["result"] = report.result
    else:
        document["error"] = error_facts(failure.code, failure.message, failure.hint)
    if report.environment:
        document["environment"] = report.environment
    return document


def _command_json(report: CommandReport) -> dict[str, object]:
    invocation = report.invocation
    return {
        **_action_json(report.action),
        "commandId": invocation.command_id,
        "canonical": invocation.canonical,
        "args": invocation.args,
    }


def pointed_error(refused: CommandRefused, missing: Sequence[str]) -> DetailedError:
    members: dict[str, object] = {}
    text = ""
    if refused.place is not None:
        start, end = refused.place
        line = refused.line.replace("\t", " ").replace("\n", " ")
        members = {"line": refused.line, "start": start, "end": end}
        before, meant = line[:start], line[start:end]
        carets = "^" * max(_width(meant), 1)
        text = f"  {safe_text(line)}\n  {' ' * _width(before)}{carets}\n"
    if refused.argument is not None:
        members["argument"] = refused.argument
    hint = refused.hint
    if refused.code == "command-not-active" and missing:
        there = "is not there" if len(missing) == 1 else "are not there"
        hint = (
            f"Of its packages {', '.join(missing)} {there}; --plugins-dir names a further folder."
        )
    return DetailedError(refused.message, code=refused.code, hint=hint, text=text, members=members)


def _width(text: str) -> int:
    """Columns that `text` takes in a terminal; Chinese characters take two."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)
