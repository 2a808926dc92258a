"""One run from the command line: load the package, execute, show, and say what was committed."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import TextIO

import click

from covel_host.base.json_text import dump_json
from covel_host.catalog.building import read_catalog
from covel_host.catalog.catalog import Catalog
from covel_host.catalog.discovery import discover
from covel_host.catalog.excerpt_texts import texts_of
from covel_host.cli.approval import with_approval
from covel_host.cli.event_loop import run_loop
from covel_host.cli.explained_tools import ExplainedTools
from covel_host.cli.failures import FINDINGS, DetailedError, error_facts, output_lost
from covel_host.cli.log_notes import noted
from covel_host.cli.output import counted, note, safe_text
from covel_host.cli.run_report import report_json
from covel_host.cli.run_terminal import RunTerminal
from covel_host.cli.streams import give_up
from covel_host.cli.targets import package_not_found, say_hidden
from covel_host.diagnostics.formats import as_json as diagnostic_json
from covel_host.diagnostics.formats import format_full
from covel_host.host import Host
from covel_host.models.selector import ModelSelector
from covel_host.opening import load_catalog, store_options
from covel_host.settings import Settings
from covel_host.store.errors import StoreError
from covel_host.store.sessions import get_session
from covel_host.store.store import Store
from covel_host.store.transaction import Reading
from covel_host.store.turns import get_turn
from covel_host.turn.admission import ManualRequest, admit, loaded_generation
from covel_host.turn.errors import RequestRefused
from covel_host.turn.execution_report import ExecutionReport


def execute(
    request: ManualRequest,
    settings: Settings,
    *,
    selector: ModelSelector | None,
    output: TextIO,
    as_json: bool,
    explained: ExplainedTools | None = None,
) -> int:
    """Run `request` and print what came of it; the exit code is 0 when it was committed.

    With `explained` it is told why the runs had their tools, which is printed as well.

    Raises:
        HostError: the run could not begin; nothing was started and nothing stored.
    """
    catalog = _packages(request, settings)
    for state in catalog.packages.values():
        settings = with_approval(state, settings, may_ask=not as_json)
    terminal = RunTerminal(output, is_quiet=as_json)
    try:
        with noted(terminal.say):
            report = run_loop(_run(request, settings, catalog, selector, terminal, explained))
    except (KeyboardInterrupt, asyncio.CancelledError):
        # Code of a package may cancel every task of the loop, the host's own with them.
        return _aborted(settings, terminal, output, as_json=as_json)
    try:
        if as_json:
            document = report_json(report)
            if explained is not None:
                document["explained"] = explained.to_json(report.results)
            click.echo(dump_json(document), file=output)
        else:
            show_report(report, terminal, output)
            if explained is not None:
                note(f"\n{explained.text(report.results)}")
    except BrokenPipeError:
        # The exit code still says whether it was committed.
        give_up(output)
    except OSError as error:
        return output_lost(error, output)
    return 0 if report.committed else FINDINGS


def _packages(request: ManualRequest, settings: Settings) -> Catalog:
    """A catalog of what the request names and what its session has; no other is even read."""
    discovery = discover(settings.folders)
    named = dict.fromkeys((request.plugin_id, *request.packages))
    say_hidden(discovery, named)
    known = [found.plugin_id for found in discovery.packages]
    for plugin_id in named:
        if plugin_id not in known:
            raise package_not_found(plugin_id, known, disabled=discovery.disabled)
    wanted = {*named, *_of_session(request.session_id, settings)}
    found = tuple(found for found in discovery.packages if found.plugin_id in wanted)
    return read_catalog(replace(discovery, packages=found))


def _of_session(session_id: str | None, settings: Settings) -> tuple[str, ...]:
    """The packages of a session that is there already."""
    if session_id is None:
        return ()
    try:
        reader = Store.open_reader(store_options(settings))
    except StoreError:
        # There is none yet; what is wrong with it otherwise is said when the run opens it.
        return ()
    try:
        session = reader.read_now(lambda reading: get_session(reading, session_id))
    finally:
        reader.close()
    return () if session is None else session.active_packages


async def _run(
    request: ManualRequest,
    settings: Settings,
    catalog: Catalog,
    selector: ModelSelector | None,
    terminal: RunTerminal,
    explained: ExplainedTools | None,
) -> ExecutionReport:
    loaded = await load_catalog(catalog, settings, catalog.packages)
    try:
        _admit(request, loaded)
        host = await Host.open(settings, load=(), selector=selector, catalog=loaded)
    except BaseException:
        await loaded.close()
        raise
    try:
        if explained is not None:
            host.ports = replace(host.ports, on_tools=explained.take)
        _say_left_out(request, loaded)
        if host.offline_note:
            note(host.offline_note)
        return await host.run(request, observer=terminal)
    finally:
        await host.close()


def _say_left_out(request: ManualRequest, loaded: Catalog) -> None:
    """Name the packages beside the one that runs whose code takes no part, and why."""
    for plugin_id in loaded.packages:
        try:
            if plugin_id != request.plugin_id:
                loaded_generation(plugin_id, loaded)
        except RequestRefused as refused:
            note(f"warning: {refused.message}")
            if refused.hint:
                note(f"  {refused.hint}")


def _admit(request: ManualRequest, loaded: Catalog) -> None:
    """Refuse a run that cannot begin before a database is made for it, with all that is wrong."""
    try:
        admit(request, loaded)
    except RequestRefused as refused:
        if refused.code != "package-not-loaded":
            raise
        state = loaded.packages[request.plugin_id]
        wrong = [found for found in state.diagnostics if found.severity != "info"]
        raise DetailedError(
            f"The package {state.plugin_id!r} was not loaded: {counted(len(wrong), 'problem')}.",
            code=refused.code,
            text=safe_text(format_full(wrong, sources=texts_of(state.reading))),
            members={"diagnostics": [diagnostic_json(found) for found in wrong]},
        ) from refused


def show_report(report: ExecutionReport, terminal: RunTerminal, output: TextIO) -> None:
    """What of a run was not shown while it went on, and what was committed."""
    result = report.result
    terminal.show_final(result.text)
    if report.committed and result.output and not result.text:
        click.echo(dump_json(result.output), file=output)
    if result.is_concealed:
        note(f"{result.runtime_id}: {result.status}; it is concealed, so nothing of it is shown.")
    elif result.reason is not None:
        note(f"skipped: {result.reason}")
    for warning in result.warnings:
        note(f"warning: {warning}")
    for other in report.results[1:]:
        # Followers of its events, and runs inside it.
        reason = "" if other.reason is None else f", {other.reason}"
        note(f"also: {other.runtime_id}: {other.status}{reason}")
    if report.failure is not None:
        note(f"error: {report.failure.message} ({report.failure.code})")
        if report.failure.hint:
            note(f"  {report.failure.hint}")
        note(f"Nothing was committed: turn {report.turn_id} of session {report.session_id}.")
    else:
        note(
            f"Committed turn {report.turn_id} as revision {report.revision} of session "
            f"{report.session_id}."
        )
    note(f"  See: covel sessions show {report.session_id}")


def _aborted(settings: Settings, terminal: RunTerminal, output: TextIO, *, as_json: bool) -> int:
    """Say what became of a run that a person ended; the store knows, the run may not."""
    terminal.end_line()
    revision = committed_revision(settings, terminal)
    message = abort_message([revision])
    note(message)
    if as_json:
        document = {
            "sessionId": terminal.session_id,
            "turnId": terminal.turn_id,
            "committed": revision is not None,
            "revision": revision,
            "error": error_facts("aborted-by-player", message, None),
        }
        click.echo(dump_json(document), file=output)
    return FINDINGS


def committed_revision(settings: Settings, terminal: RunTerminal) -> int | None:
    """The revision that the turn shown last became; None where it was not committed."""
    session_id, turn_id = terminal.session_id, terminal.turn_id
    if session_id is None or turn_id is None:
        return None
    return committed_revisions(settings, session_id, [turn_id])[0]


def committed_revisions(
    settings: Settings, session_id: str, turn_ids: Sequence[str]
) -> list[int | None]:
    """The revision that each turn became; None where it was not committed, or nobody can tell."""
    try:
        reader = Store.open_reader(store_options(settings))
    except StoreError:
        return [None] * len(turn_ids)
    try:
        return reader.read_now(lambda reading: turn_revisions(reading, session_id, turn_ids))
    finally:
        reader.close()


def turn_revisions(reading: Reading, session_id: str, turn_ids: Sequence[str]) -> list[int | None]:
    """The revision that each turn became; None where it was not committed."""
    turns = [get_turn(reading, session_id, turn_id) for turn_id in turn_ids]
    return [None if turn is None else turn.revision for turn in turns]


def abort_message(revisions: Sequence[int | None]) -> str:
    """What became of the executions of a turn that a person ended, by their revisions."""
    committed = [revision for revision in revisions if revision is not None]
    if not committed:
        return "Aborted: nothing was committed."
    if revisions[-1] is None:
        return f"Aborted in the opening: the setup before it is revision {committed[-1]}."
    return f"Aborted after the commit: the turn is revision {committed[-1]} of its session."
