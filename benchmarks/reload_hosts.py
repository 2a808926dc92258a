"""A host that takes edits over, for measuring: watched, loaded and served in one process."""

import asyncio
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from covel_host.catalog.building import CatalogLoader, read_catalog
from covel_host.catalog.discovery import discover
from covel_host.catalog.folders import PluginFolder
from covel_host.catalog.holder import CatalogHolder
from covel_host.catalog.load_results import LoadResults
from covel_host.catalog.trust import TrustPolicy
from covel_host.catalog.watching import ChangeBatch, PluginWatcher

PLUGIN_ID = "bench-tool"
MANIFEST = "---\ndescription: One tool.\ncontributes:\n  tools: [value]\n---\n"


class Served(Protocol):
    """Something that serves the value in a file and takes edits over."""

    def save(self, value: int) -> None:
        """Write the file with another value; its length stays the same."""
        ...

    def value(self) -> int | None:
        """The value that is served now; None while nothing is."""
        ...


def package_code(value: int) -> str:
    """An entry whose tool gives `value`; of one length for every value."""
    return (
        "from plugin_sdk import hookimpl, tool\n\n"
        f"VALUE = int('{value:06}')\n\n"
        '@tool(name="value")\ndef value() -> int:\n    """The value."""\n    return VALUE\n\n'
        "@hookimpl\ndef register_tools():\n    return [value]\n"
    )


def write_package(folder: Path, plugin_id: str, value: int = 0) -> Path:
    """A package with one tool; its entry."""
    entry = folder / plugin_id / "server" / "index.py"
    entry.parent.mkdir(parents=True)
    (folder / plugin_id / "PLUGIN.md").write_text(MANIFEST, encoding="utf-8")
    entry.write_text(package_code(value), encoding="utf-8")
    return entry


class Watching:
    """Watcher and catalog in an event loop of their own thread."""

    def __init__(self, folder: Path) -> None:
        self.folder = PluginFolder(folder, "community")
        results = LoadResults(Path(tempfile.gettempdir()) / "covel-bench-results.json")
        loader = CatalogLoader(
            trust=TrustPolicy(folders={folder: "benchmark"}),
            results=results,
            folders=[self.folder],
        )
        self.holder = CatalogHolder(read_catalog(discover([self.folder])), loader)
        self._ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=[self._work()])

    async def _work(self) -> None:
        batches: asyncio.Queue[ChangeBatch | None] = asyncio.Queue()
        self._end = lambda: self._loop.call_soon_threadsafe(batches.put_nowait, None)
        watcher = PluginWatcher(
            [self.folder],
            on_batch=lambda batch: self._loop.call_soon_threadsafe(batches.put_nowait, batch),
            on_note=print,
        )
        watcher.start()
        await self.holder.need(self.holder.current.packages)
        self._ready.set()
        while (batch := await batches.get()) is not None:
            for change in batch.changes:
                await self.holder.reload(change.plugin_id)
        watcher.close()
        await self.holder.close()

    def __enter__(self) -> "Watching":
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._end()
        self._thread.join()
        self._loop.close()


class CovelServed:
    """One package of a watched folder."""

    def __init__(self, watching: Watching, entry: Path) -> None:
        self._watching = watching
        self._entry = entry

    def save(self, value: int) -> None:
        self._entry.write_text(package_code(value), encoding="utf-8")

    def value(self) -> int | None:
        tool = self._watching.holder.current.tools(PLUGIN_ID).get("value")
        return None if tool is None else tool()


class MovingServed(CovelServed):
    """Before each save another package is moved out of the folder, and in again after it."""

    def __init__(self, watching: Watching, entry: Path) -> None:
        super().__init__(watching, entry)
        self._inside = watching.folder.path / "other"
        self._outside = watching.folder.path.parent / "other-moved-out"

    def save(self, value: int) -> None:
        if self._outside.exists():
            self._outside.rename(self._inside)
        else:
            self._inside.rename(self._outside)
        super().save(value)


@contextmanager
def covel(folder: Path) -> Iterator[Served]:
    """Covel's watcher and catalog over a folder with one package."""
    entry = write_package(folder / "plugins", PLUGIN_ID)
    with Watching(folder / "plugins") as watching:
        yield CovelServed(watching, entry)


@contextmanager
def covel_with_moves(folder: Path) -> Iterator[Served]:
    """The same, with a package that is moved out or in right before every save."""
    entry = write_package(folder / "plugins", PLUGIN_ID)
    write_package(folder / "plugins", "other")
    with Watching(folder / "plugins") as watching:
        yield MovingServed(watching, entry)
