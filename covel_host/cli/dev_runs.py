"""The runs of `covel dev`: one session, and the last runtime again as often as it is asked for."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from covel_host.base.errors import HostError
from covel_host.catalog.catalog import PackageState
from covel_host.catalog.holder import CatalogHolder
from covel_host.catalog.sources import SourcesError, read_sources
from covel_host.cli.dev_lines import RunAgain, RunThis
from covel_host.cli.dev_terminal import DevTerminal
from covel_host.cli.output import path_text
from covel_host.cli.run_execution import committed_revision, show_report
from covel_host.cli.run_report import report_json
from covel_host.cli.run_request import payload_value
from covel_host.cli.run_terminal import RunTerminal
from covel_host.settings import Settings
from covel_host.turn.admission import ManualRequest
from covel_host.turn.execution_report import ExecutionReport
from covel_host.turn.ports import Observer

_PAYLOAD_HINT: Final = 'Write it behind the ID as it is: r ID {"value": "hello"}'
Run: TypeAlias = Callable[[ManualRequest, Observer], Awaitable[ExecutionReport]]
"""Runs one runtime and commits its turn, as `Host.run`."""
Ask: TypeAlias = Callable[[str], Awaitable[bool]]
"""Asks a person a question that is answered with yes or no."""
Allow: TypeAlias = Callable[[str, str], None]
"""Lets the code of a package run, given by its ID, with the content of this hash."""

MAX_NAMED: Final = 10


class DevRuns:
    """Runs what lines ask for, shows it as it comes, and says what became of it.

    `allow` is None where nobody can be asked for leave to run code.
    """

    def __init__(
        self,
        holder: CatalogHolder,
        run: Run,
        terminal: DevTerminal,
        settings: Settings,
        *,
        session_id: str | None,
        allow: Allow | None,
    ) -> None:
        self._holder = holder
        self._run = run
        self._terminal = terminal
        self._settings = settings
        self._session_id = session_id
        self._allow = allow
        self._last: ManualRequest | None = None

    def plugin_id(self, asked: RunAgain | RunThis) -> str | None:
        """The package whose runtime it is about; None where that is not known."""
        try:
            return self._request(asked).plugin_id
        except HostError:
            # `run` says what is wrong.
            return None

    async def run(self, asked: RunAgain | RunThis, *, ask: Ask) -> None:
        """Run it; whatever goes wrong is told, and nothing is raised but a cancellation's end."""
        try:
            request = self._request(asked)
            await self._load(request.target.partition("/")[0], ask)
            await self._execute(request)
        except HostError as error:
            self._terminal.error(error.code, error.message, error.hint)
        except Exception as error:
            self._terminal.internal_error(error)

    def _request(self, asked: RunAgain | RunThis) -> ManualRequest:
        if isinstance(asked, RunThis):
            payload = (
                None
                if asked.payload is None
                else payload_value(asked.payload, option="The payload", hint=_PAYLOAD_HINT)
            )
            return ManualRequest(target=asked.target, payload=payload, message=asked.message)
        return self._last or ManualRequest(target=self._only_runtime())

    def _only_runtime(self) -> str:
        runtimes = [
            runtime.runtime_id
            for generation in self._holder.current.generations()
            for runtime in generation.reading.runtimes
        ]
        if len(runtimes) == 1:
            return runtimes[0]
        raise HostError(
            "Nothing has run yet, so there is nothing to run again.",
            code="nothing-to-repeat",
            hint=f"Name a runtime: {_named(runtimes)}" if runtimes else "No runtime is loaded.",
        )

    async def _load(self, plugin_id: str, ask: Ask) -> None:
        await self._holder.need([plugin_id])
        state = self._holder.current.packages.get(plugin_id)
        if state is None or state.status != "untrusted" or self._allow is None:
            return
        # What is asked about is what may run: an edit meanwhile needs another answer.
        content_hash = await asyncio.to_thread(_content_hash, state)
        if content_hash is None:
            return
        for found in state.diagnostics:
            if found.name == "code-not-trusted":
                self._terminal.say(found.message)
        place = path_text(state.found.root)
        if await ask(f"Run the code of {plugin_id!r} in {place}? It may do whatever you may."):
            self._allow(plugin_id, content_hash)
            await self._holder.reload(plugin_id)

    async def _execute(self, request: ManualRequest) -> None:
        shown = RunTerminal(self._terminal.output, is_quiet=self._terminal.as_json)
        self._last = request
        try:
            report = await self._run(replace(request, session_id=self._session_id), shown)
        except BaseException as error:
            if shown.turn_id is not None and not isinstance(error, Exception):
                self._aborted(shown)
            raise
        self._session_id = report.session_id
        self._terminal.emit({"type": "run", **report_json(report)})
        if not self._terminal.as_json:
            show_report(report, shown, self._terminal.output)

    def _aborted(self, shown: RunTerminal) -> None:
        """Say what became of a run that was cancelled; the store knows, the run may not."""
        shown.end_line()
        self._session_id = shown.session_id or self._session_id
        revision = committed_revision(self._settings, shown)
        told = "Aborted: nothing was committed."
        if revision is not None:
            told = f"Aborted after the commit: the turn is revision {revision} of its session."
        self._terminal.error("aborted-by-player", told, None)


def _content_hash(state: PackageState) -> str | None:
    """The hash of what lies there now, `None` where it cannot be read: the run says why."""
    try:
        return read_sources(state.found.root).content_hash
    except SourcesError:
        return None


def _named(runtimes: Sequence[str]) -> str:
    shown = ", ".join(f"r {name}" for name in runtimes[:MAX_NAMED])
    rest = len(runtimes) - MAX_NAMED
    return f"{shown} and {rest} more." if rest > 0 else f"{shown}."
