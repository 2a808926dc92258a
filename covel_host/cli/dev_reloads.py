"""The reloads of `covel dev`: none holds another back, and a newer edit goes before a slow load."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from covel_host.catalog.holder import CatalogHolder
from covel_host.catalog.watching_state import PackageChange
from covel_host.cli.dev_blocks import reload_json, reload_text
from covel_host.cli.dev_reload import Reloaded
from covel_host.cli.dev_terminal import DevTerminal

PATIENCE_S: Final = 1.0
"""A load that takes longer gives way to a newer edit, and whoever waits for it is told."""


@dataclass(frozen=True, slots=True)
class _Started:
    task: "asyncio.Task[None]"
    at_s: float


class DevReloads:
    """Takes changes over and says what came of each; used from one event loop.

    `on_told` is called after each block.
    """

    def __init__(
        self, holder: CatalogHolder, terminal: DevTerminal, *, on_told: Callable[[], object]
    ) -> None:
        self._holder = holder
        self._terminal = terminal
        self._on_told = on_told
        self._started: dict[str, list[_Started]] = {}

    def begin(self, change: PackageChange, noticed_s: float, group: asyncio.TaskGroup) -> None:
        """Take `change` over in a task of `group`; two of one package keep their order."""
        plugin_id = change.plugin_id
        now_s = time.monotonic()
        for started in self._started.get(plugin_id, ()):
            if now_s - started.at_s > PATIENCE_S and started.task.cancel():
                self._tell(f"A newer edit of {plugin_id!r} goes before a load that is not done.")
        started = _Started(group.create_task(self._reload(change, noticed_s)), now_s)
        self._started.setdefault(plugin_id, []).append(started)
        started.task.add_done_callback(lambda _: self._forget(plugin_id, started))

    async def settled(self) -> None:
        """Wait until every change that was noticed is taken over."""
        told_at_s = time.monotonic() + PATIENCE_S
        while self._started:
            tasks = [each.task for listed in self._started.values() for each in listed]
            patience_s = max(told_at_s - time.monotonic(), 0.0) if told_at_s else None
            done, _ = await asyncio.wait(
                tasks, timeout=patience_s, return_when=asyncio.FIRST_COMPLETED
            )
            if not done:
                names = ", ".join(map(repr, self._started))
                self._tell(f"Waiting until {names} is loaded; Ctrl-C ends the waiting.")
                told_at_s = 0.0

    def cancel(self) -> None:
        """End all that are under way."""
        for listed in self._started.values():
            for started in listed:
                started.task.cancel()

    async def _reload(self, change: PackageChange, noticed_s: float) -> None:
        try:
            outcome = await self._holder.reload(change.plugin_id)
            since_edit_ms = round((time.monotonic() - noticed_s) * 1000)
            reloaded = Reloaded(change=change, outcome=outcome, since_edit_ms=since_edit_ms)
            self._terminal.show(reload_text(reloaded, colour=self._terminal.colour))
            self._terminal.emit(reload_json(reloaded))
        except Exception as error:
            self._terminal.internal_error(error)
        self._on_told()

    def _forget(self, plugin_id: str, started: _Started) -> None:
        listed = self._started[plugin_id]
        listed.remove(started)
        if not listed:
            del self._started[plugin_id]

    def _tell(self, text: str) -> None:
        self._terminal.say(f"note: {text}")
        self._terminal.emit({"type": "note", "message": text})
