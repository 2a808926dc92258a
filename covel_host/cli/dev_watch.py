"""The watcher of `covel dev` as its event loop sees it."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Final

from covel_host.catalog.folders import PluginFolder
from covel_host.catalog.watching import ChangeBatch, PluginWatcher

LOOK_LIMIT_S: Final = 2.0
"""Longer than the watcher takes for the busiest package; one that has ended answers nothing."""


class DevWatch:
    """`batches` are the changes that were noticed and not yet taken over."""

    def __init__(
        self, folders: Sequence[PluginFolder], *, on_note: Callable[[str], object]
    ) -> None:
        self.batches: asyncio.Queue[ChangeBatch] = asyncio.Queue()
        self._loop = loop = asyncio.get_running_loop()
        self._watcher = PluginWatcher(
            folders,
            on_batch=lambda batch: loop.call_soon_threadsafe(self.batches.put_nowait, batch),
            on_note=lambda text: loop.call_soon_threadsafe(on_note, text),
        )

    @contextlib.asynccontextmanager
    async def watching(self) -> AsyncIterator[None]:
        """Inside, changes are noticed."""
        await asyncio.to_thread(self._watcher.start)
        try:
            yield
        finally:
            await asyncio.to_thread(self._watcher.close)

    async def look_at(self, plugin_id: str) -> None:
        """Look at a package; what changed in it until now is among the `batches` then."""
        told = asyncio.Event()
        self._watcher.look_at(plugin_id, lambda: self._loop.call_soon_threadsafe(told.set))
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LOOK_LIMIT_S):
                await told.wait()
