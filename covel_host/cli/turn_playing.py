"""One turn from the command line: load the session's packages, play, show, say what came of it.

Going on with a suspended run is shown the same way.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TextIO

import click

from covel_host.base.json_text import dump_json
from covel_host.catalog.catalog import Catalog
from covel_host.cli.explained_tools import ExplainedTools
from covel_host.cli.failures import FINDINGS, error_facts, output_lost
from covel_host.cli.in_session import play, read_packages, stored_session
from covel_host.cli.job_running import drained, end_line
from covel_host.cli.log_notes import noted
from covel_host.cli.output import note
from covel_host.cli.run_execution import abort_message, committed_revisions
from covel_host.cli.run_report import run_json
from covel_host.cli.session_notes import SessionNotes, warn_of_missing
from covel_host.cli.streams import give_up
from covel_host.cli.turn_terminal import TurnTerminal
from covel_host.host import Host
from covel_host.models.selector import ModelSelector
from covel_host.runtime.result import RuntimeResult
from covel_host.settings import Settings
from covel_host.turn.execution_report import ExecutionReport
from covel_host.turn.resuming import ResumeRequest
from covel_host.turn.turns import TurnReport, TurnRequest


def play_one(
    request: TurnRequest | ResumeRequest,
    settings: Settings,
    *,
    selector: ModelSelector | None,
    output: TextIO,
    as_json: bool,
    is_verbose: bool,
    explained: ExplainedTools | None = None,
) -> int:
    """Play the turn and print what came of it; the exit code is 0 when it was committed.

    With `explained` it is told why the runs had their tools, which is printed as well.

    Raises:
        HostError: the turn could not begin; nothing was started and nothing stored.
    """
    session = stored_session(settings, request.session_id)
    catalog = read_packages(settings, (), session.active_packages)
    warn_of_missing(session, catalog)
    terminal = TurnTerminal(
        output, stages=stages_of(catalog), is_quiet=as_json, is_verbose=is_verbose
    )

    async def body(host: Host) -> TurnReport:
        await SessionNotes(host, request.session_id).tell()
        if explained is not None:
            host.ports = replace(host.ports, on_tools=explained.take)
        report = await _played(host, request, terminal)
        await _run_jobs(host, request.session_id, terminal)
        return report

    try:
        with noted(terminal.say):
            report = play(settings, catalog, body, may_ask=not as_json, selector=selector)
    except click.Abort:
        return _aborted(request.session_id, settings, terminal, output, as_json=as_json)
    terminal.end_line()
    try:
        if as_json:
            document = turn_json(report)
            if explained is not None:
                document["explained"] = explained.to_json(_results(report))
            click.echo(dump_json(document), file=output)
        else:
            _show(report)
            if explained is not None:
                note(f"\n{explained.text(_results(report))}")
    except BrokenPipeError:
        # The exit code still says whether it was committed.
        give_up(output)
    except OSError as error:
        return output_lost(error, output)
    return 0 if report.committed else FINDINGS


def _results(report: TurnReport) -> Iterator[RuntimeResult]:
    return (result for execution in report.executions for result in execution.results)


async def _played(
    host: Host, request: TurnRequest | ResumeRequest, terminal: TurnTerminal
) -> TurnReport:
    if isinstance(request, TurnRequest):
        return await host.play(request, observer=terminal)
    report = await host.resume(request, observer=terminal)
    return TurnReport(session_id=request.session_id, executions=(report,))


async def _run_jobs(host: Host, session_id: str, terminal: TurnTerminal) -> None:
    """Run what the turn left for later: this process is the one that is there for it."""
    waiting = await host.ports.jobs.open_jobs(session_id)
    if not waiting:
        return
    terminal.end_line()
    terminal.say(f"[jobs] {', '.join(job.runtime_id for job in waiting)}")
    for job in await drained(host, session_id):
        terminal.say(end_line(job))


def _aborted(
    session_id: str, settings: Settings, terminal: TurnTerminal, output: TextIO, *, as_json: bool
) -> int:
    """Say what became of a turn that a person ended; the store knows, the turn may not."""
    terminal.end_line()
    turn_ids = terminal.turn_ids
    revisions = committed_revisions(settings, session_id, turn_ids)
    message = abort_message(revisions)
    note(message)
    if as_json:
        document = {
            "sessionId": session_id,
            "committed": bool(revisions) and revisions[-1] is not None,
            "executions": [
                {"turnId": turn_id, "committed": revision is not None, "revision": revision}
                for turn_id, revision in zip(turn_ids, revisions, strict=True)
            ],
            "error": error_facts("aborted-by-player", message, None),
        }
        click.echo(dump_json(document), file=output)
    return FINDINGS


def turn_json(report: TurnReport) -> dict[str, object]:
    """What `covel turn --json` prints; `error` is there exactly when nothing was committed."""
    return {
        "sessionId": report.session_id,
        "committed": report.committed,
        "executions": [_execution_json(one) for one in report.executions],
    }


def _execution_json(report: ExecutionReport) -> dict[str, object]:
    document: dict[str, object] = {
        "turnId": report.turn_id,
        "committed": report.committed,
        "revision": report.revision,
        "results": [run_json(result) for result in report.results],
    }
    if report.failure is not None:
        failure = report.failure
        document["error"] = error_facts(failure.code, failure.message, failure.hint)
    return document


def stages_of(catalog: Catalog) -> Mapping[str, str | None]:
    """The stage of each runtime by its ID, None for one that has none."""
    return {
        runtime.runtime_id: runtime.manifest.schedule.stage
        for state in catalog.packages.values()
        for runtime in state.reading.runtimes
        if runtime.manifest is not None
    }


def _show(report: TurnReport) -> None:
    for execution in report.executions:
        for result in execution.results:
            for warning in result.warnings:
                note(f"warning: {result.runtime_id}: {warning}")
        if execution.failure is not None:
            note(f"error: {execution.failure.message} ({execution.failure.code})")
            if execution.failure.hint:
                note(f"  {execution.failure.hint}")
            note(f"Nothing was committed: turn {execution.turn_id}.")
        else:
            note(f"Committed turn {execution.turn_id} as revision {execution.revision}.")
            _say_waiting(report.session_id, execution)
    note(f"  See: covel sessions show {report.session_id}")


def _say_waiting(session_id: str, execution: ExecutionReport) -> None:
    for result in execution.results:
        if result.suspension is not None:
            note(f"{result.runtime_id} waits for an answer: {result.suspension.reason}")
            note(f"  See: covel suspensions list {session_id}")
