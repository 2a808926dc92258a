"""A host for development: opened, watched, worked with, closed."""

import asyncio
import contextlib
import logging
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, TextIO

from covel_host.catalog.catalog import PackageState
from covel_host.catalog.holder import CatalogHolder
from covel_host.catalog.trust import Grant
from covel_host.cli.approval import ASKED, is_terminal
from covel_host.cli.dev_blocks import start_json, start_text
from covel_host.cli.dev_reloads import PATIENCE_S
from covel_host.cli.dev_runs import DevRuns
from covel_host.cli.dev_session import DevSession
from covel_host.cli.dev_terminal import DevTerminal
from covel_host.cli.dev_watch import DevWatch
from covel_host.cli.event_loop import run_loop
from covel_host.cli.line_input import read_lines
from covel_host.cli.log_notes import noted
from covel_host.cli.output import path_text
from covel_host.host import Host
from covel_host.models.selector import ModelSelector
from covel_host.settings import Settings

NAMED: Final = "covel dev"
"""Where the trust comes from in folders that were named to the command."""


def develop(
    settings: Settings,
    *,
    named: Sequence[Path],
    session_id: str | None,
    selector: ModelSelector | None,
    input_stream: TextIO,
    output: TextIO,
    as_json: bool,
) -> int:
    """Develop until a person has enough; the exit code.

    The code in `named` folders runs without further questions, and is loaded at once.

    Raises:
        HostError: the host could not be opened.
    """
    for folder in named:
        settings = replace(settings, trust=settings.trust.with_folder(folder, origin=NAMED))
    terminal = DevTerminal(output, as_json=as_json, is_interactive=is_terminal())
    development = _Development(settings, terminal, [*named], session_id, selector)
    try:
        run_loop(development.run(input_stream))
    except (KeyboardInterrupt, asyncio.CancelledError):
        # Ctrl-C where signals cannot be had by the loop, or while it opens or closes.
        terminal.hide_prompt()
    return 0


class _Development:
    def __init__(
        self,
        settings: Settings,
        terminal: DevTerminal,
        named: list[Path],
        session_id: str | None,
        selector: ModelSelector | None,
    ) -> None:
        # What a person allows later counts at once: the policy reads this mapping.
        self._given = dict(settings.trust.given)
        self._settings = replace(settings, trust=replace(settings.trust, given=self._given))
        self._terminal = terminal
        self._named = named
        self._session_id = session_id
        self._selector = selector

    async def run(self, input_stream: TextIO) -> None:
        # Changes from now on: those while the packages are read and loaded are not missed.
        watch = DevWatch(self._settings.folders, on_note=self._note)
        async with watch.watching(), self._noted():
            host = await Host.open(self._settings, load=(), selector=self._selector)
            try:
                await self._work(host, watch, input_stream)
            finally:
                with self._patience():
                    await host.close()

    async def _work(self, host: Host, watch: DevWatch, input_stream: TextIO) -> None:
        if host.offline_note:
            self._terminal.say(host.offline_note)
        holder = host.ports.catalogs
        await self._start(holder)
        may_ask = is_terminal() and not self._terminal.as_json
        runs = DevRuns(
            holder,
            lambda request, observer: host.run(request, observer=observer),
            self._terminal,
            self._settings,
            session_id=self._session_id,
            allow=self._allow if may_ask else None,
        )
        session = DevSession(holder, runs, self._terminal, watch.batches, look_at=watch.look_at)
        read_lines(input_stream, session.take_line)
        await session.work()

    @contextlib.asynccontextmanager
    async def _noted(self) -> AsyncIterator[None]:
        """Inside, a person sees what packages print and log, and where their code failed."""
        loop = asyncio.get_running_loop()
        here = threading.get_ident()

        def tell(text: str) -> None:
            if threading.get_ident() == here:
                self._logged(text)
            else:
                loop.call_soon_threadsafe(self._logged, text)

        with noted(tell, level=logging.INFO):
            yield
            # What was logged last is still on its way.
            await asyncio.sleep(0)

    @contextlib.contextmanager
    def _patience(self) -> Iterator[None]:
        """Inside, a person who has to wait is told for what."""
        waiting = asyncio.get_running_loop().call_later(
            PATIENCE_S,
            self._terminal.say,
            "Waiting until packages have cleaned up; Ctrl-C leaves them.",
        )
        try:
            yield
        finally:
            waiting.cancel()

    def _logged(self, text: str) -> None:
        self._terminal.say(f"log: {text}")
        self._terminal.emit({"type": "log", "message": text})

    def _note(self, text: str) -> None:
        self._terminal.say(f"note: {text}")
        self._terminal.emit({"type": "note", "message": text})

    async def _start(self, holder: CatalogHolder) -> None:
        """Load what is developed and tell of it, and of every package that is faulty."""
        catalog = holder.current
        await holder.need(
            plugin_id
            for plugin_id, state in catalog.packages.items()
            if not self._named or self._is_named(state)
        )
        shown = [
            state
            for state in holder.current.packages.values()
            if self._is_named(state) or state.status != "discovered"
        ]
        self._terminal.emit(start_json(shown, catalog.diagnostics, self._settings.folders))
        self._terminal.show(start_text(shown, catalog.diagnostics, colour=self._terminal.colour))
        for folder in self._named:
            self._terminal.say(f"The code in {path_text(folder)} runs: it was named to covel dev.")
        count = len(self._settings.folders)
        self._terminal.say(f"Watching {count} plugin folders. Type ? for help, q to end.")

    def _is_named(self, state: PackageState) -> bool:
        root = state.found.root
        return any(folder in (root, root.parent) for folder in self._named)

    def _allow(self, plugin_id: str, content_hash: str) -> None:
        """Let the code of the package run with that content; another needs another answer."""
        self._given[plugin_id] = Grant(plugin_id, content_hash, ASKED)
