"""The course of `covel dev`: changes are taken over as they come, lines are done one by one."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

from covel_host.catalog.holder import CatalogHolder
from covel_host.catalog.watching import ChangeBatch
from covel_host.cli.dev_lines import (
    HELP,
    Line,
    Quit,
    RunAgain,
    RunThis,
    ShowHelp,
    Unknown,
    parse_line,
)
from covel_host.cli.dev_reloads import DevReloads
from covel_host.cli.dev_runs import DevRuns
from covel_host.cli.dev_terminal import DevTerminal
from covel_host.cli.interrupts import on_interrupt

_COMMAND_HINT: Final = 'A player\'s command needs a session: covel rpc SESSION "/name arguments"'
LookAt: TypeAlias = Callable[[str], Awaitable[None]]
"""Looks at a package; what changed in it until now is among the batches then."""


class DevSession:
    """Takes `batches` over and does lines until a person has enough; used from one event loop.

    One runtime runs at a time. It keeps the generations it began with, whatever is taken over
    meanwhile; lines that come meanwhile wait.
    """

    def __init__(
        self,
        holder: CatalogHolder,
        runs: DevRuns,
        terminal: DevTerminal,
        batches: "asyncio.Queue[ChangeBatch]",
        *,
        look_at: LookAt,
    ) -> None:
        self._look_at = look_at
        self._reloads = DevReloads(holder, terminal, on_told=self._prompt)
        self._runs = runs
        self._terminal = terminal
        self._batches = batches
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._running: asyncio.Task[None] | None = None

    def take_line(self, line: str | None) -> None:
        """Do `line` after those before it; None ends the session."""
        self._lines.put_nowait(line)

    def interrupt(self) -> None:
        """Abort the run under way; without one, end the session."""
        if self._running is not None:
            self._running.cancel()
            return
        while not self._lines.empty():
            self._lines.get_nowait()
        self._lines.put_nowait(None)

    async def work(self) -> None:
        """Until `q`, the end of the input, or Ctrl-C while nothing runs."""
        with on_interrupt(self.interrupt):
            async with asyncio.TaskGroup() as group:
                taking = group.create_task(self._take_over(group))
                try:
                    await self._do_lines(group)
                finally:
                    taking.cancel()
                    self._reloads.cancel()
        self._terminal.hide_prompt()

    async def _take_over(self, group: asyncio.TaskGroup) -> None:
        while True:
            batch = await self._batches.get()
            for change in batch.changes:
                self._reloads.begin(change, batch.noticed_s, group)

    def _prompt(self) -> None:
        if self._running is None:
            self._terminal.prompt()

    async def _do_lines(self, group: asyncio.TaskGroup) -> None:
        while True:
            self._terminal.prompt()
            line = await self._lines.get()
            self._terminal.answered()
            asked = Quit() if line is None else parse_line(line)
            if isinstance(asked, Quit):
                return
            await self._do(asked, group)

    async def _do(self, asked: Line, group: asyncio.TaskGroup) -> None:
        if isinstance(asked, ShowHelp):
            self._terminal.show(HELP)
        elif isinstance(asked, Unknown):
            hint = _COMMAND_HINT if asked.text.startswith("/") else "? shows what is"
            self._terminal.error("unknown-line", f"{asked.text!r} is not known.", hint)
        elif isinstance(asked, RunAgain | RunThis):
            self._running = group.create_task(self._run(asked))
            try:
                await asyncio.wait([self._running])
            finally:
                self._running = None

    async def _run(self, asked: RunAgain | RunThis) -> None:
        try:
            # What was saved before the line was typed is to be what runs.
            plugin_id = self._runs.plugin_id(asked)
            if plugin_id is not None:
                await self._look_at(plugin_id)
            await self._reloads.settled()
        except asyncio.CancelledError:
            self._terminal.error("aborted-by-player", "Aborted: nothing ran.", None)
            raise
        await self._runs.run(asked, ask=self._ask)

    async def _ask(self, question: str) -> bool:
        """What a person answers in the next line."""
        self._terminal.ask(question)
        answer = await self._lines.get()
        self._terminal.answered()
        if answer is None:
            # The end of the input ends the session, too.
            self._lines.put_nowait(None)
        return answer is not None and answer.strip().lower() in ("y", "yes")
