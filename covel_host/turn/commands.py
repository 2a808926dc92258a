"""Player commands: a line is read, its action is run (spec/manifest.md 4.5, spec/api.md 7).

A command costs no turn and no model call.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from covel_host.base.daemon_threads import run_in_daemon_thread
from covel_host.proposals.at_once import NO_TURN
from covel_host.store.records import OutsideInputChannel, SessionRecord
from covel_host.trace.log import TraceLog
from covel_host.turn.action_admission import ActionRequest
from covel_host.turn.action_call import ActionCommand, ActionReport
from covel_host.turn.actions import run_action
from covel_host.turn.announcer import Announcer
from covel_host.turn.command_arguments import bind_named, bind_words, canonical_line
from covel_host.turn.command_directory import (
    CommandDirectory,
    KnownCommand,
    labelled_directory,
    session_commands,
)
from covel_host.turn.command_environment import capture_environment
from covel_host.turn.command_lines import CommandLine, read_line
from covel_host.turn.command_texts import command_help, commands_help
from covel_host.turn.ports import Observer, TurnPorts
from covel_host.turn.sessions import active_session
from plugin_sdk.records import CommandInvocation
from plugin_sdk.values import JsonValue

HELP = "help"
"""The one command of the host, unless a package of the session has one of that name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandRequest:
    """A line such as `/roll 2d6`; with `args` the arguments are given by name instead.

    Then `line` is the command's name with its `/` and nothing else.
    """

    session_id: str
    line: str
    args: Mapping[str, JsonValue] | None = None
    source: Literal["composer", "plugin-ui"] = "composer"
    channel: OutsideInputChannel = "cli"


@dataclass(frozen=True, slots=True)
class CommandReport:
    """What became of a command; `action` is what its action answered."""

    invocation: CommandInvocation
    action: ActionReport


@dataclass(frozen=True, slots=True)
class CommandHelp:
    """The answer to `/help`, in the session's language where the packages have it."""

    text: str


async def run_command(
    request: CommandRequest, ports: TurnPorts, observer: Observer
) -> CommandReport | CommandHelp:
    """Read the line and run the command's action.

    Raises:
        CommandRefused: see there; nothing was started, and `place` is where the line is wrong.
        RequestRefused, ExecutionLockTakenError, asyncio.CancelledError: as `run_action`.
    """
    session = await active_session(ports.store, request.session_id)
    line = read_line(request.line)
    directory = session_commands(ports.catalogs.current, session)
    if line.name.text == HELP and not directory.has(HELP):
        return CommandHelp(await _help(line, directory, ports, session))
    known = directory.find(line.name.text, line=line)
    invocation = _invocation(request, line, known, ports)
    return CommandReport(invocation, await _run(request, invocation, known, ports, observer))


async def _help(
    line: CommandLine, directory: CommandDirectory, ports: TurnPorts, session: SessionRecord
) -> str:
    wanted = None
    if line.words:
        wanted = directory.find(line.words[0].text.removeprefix("/")).command_id
    catalog = ports.catalogs.current
    # Labels are read from files, and only somebody who asks for help needs them.
    labelled = await run_in_daemon_thread(
        lambda: labelled_directory(catalog, session), name="covel command labels"
    )
    for known in labelled.commands:
        if known.command_id == wanted:
            return command_help(known.command, command_id=wanted, locale=session.locale)
    return commands_help([known.command for known in labelled.commands], locale=session.locale)


def _invocation(
    request: CommandRequest, line: CommandLine, known: KnownCommand, ports: TurnPorts
) -> CommandInvocation:
    if request.args is None:
        args = bind_words(known.command, line.words, line=line.raw)
    else:
        args = bind_named(known.command, request.args)
    canonical = canonical_line(known.command, args)
    return CommandInvocation(
        command=known.command.name,
        canonical=canonical,
        raw=line.raw,
        argv=tuple(word.text for word in line.words),
        args=args,
        invocation_id=ports.ids.new("command"),
        command_id=known.command_id,
        source=request.source,
    )


async def _run(
    request: CommandRequest,
    invocation: CommandInvocation,
    known: KnownCommand,
    ports: TurnPorts,
    observer: Observer,
) -> ActionReport:
    trace = _trace(request, ports, observer)
    facts = _facts(invocation, known)
    trace.add("command.invoked", **facts)
    action = ActionRequest(
        session_id=request.session_id,
        plugin_id=known.plugin_id,
        action=known.command.action,
        payload=invocation.args,
        source="player" if request.source == "composer" else "plugin-ui",
        channel=request.channel,
    )
    command = ActionCommand(
        invocation=invocation,
        environment=lambda session, catalog: capture_environment(
            known.command.context, session, catalog, ports.gateway, at=ports.clock.now()
        ),
    )
    try:
        report = await run_action(action, ports, observer, command=command)
    except BaseException as error:
        trace.add("command.failed", **facts, error=str(error) or type(error).__name__)
        raise
    if report.failure is None:
        trace.add("command.completed", **facts, durationMs=report.duration_ms, resultOk=True)
    else:
        message = report.failure.message
        trace.add("command.failed", **facts, durationMs=report.duration_ms, error=message)
    return report


def _trace(request: CommandRequest, ports: TurnPorts, observer: Observer) -> TraceLog:
    """A command's trace is shown live and kept nowhere: it belongs to no turn."""
    announcer = Announcer(observer, ports.events, session_id=request.session_id, turn_id=NO_TURN)
    return TraceLog(
        turn_id=NO_TURN, clock=ports.clock, secrets=ports.secrets, listener=announcer.show_trace
    )


def _facts(invocation: CommandInvocation, known: KnownCommand) -> dict[str, Any]:
    return {
        "invocationId": invocation.invocation_id,
        "commandId": invocation.command_id,
        "command": invocation.command,
        "pluginId": known.plugin_id,
        "action": known.command.action,
        "source": invocation.source,
        "canonical": invocation.canonical,
        "raw": invocation.raw,
        "argv": list(invocation.argv),
        "args": invocation.args,
    }
