"""A watcher over a real folder for tests; they wait for what it tells, never for time to pass."""

import queue
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from covel_host.catalog.folders import PluginFolder
from covel_host.catalog.watching import ChangeBatch, PluginWatcher
from covel_host.catalog.watching_state import PackageChange

LIMIT_S = 20.0
"""Far beyond what any change takes on a loaded machine."""


class Watched:
    """What a running watcher has told."""

    def __init__(self) -> None:
        self.batches: queue.SimpleQueue[ChangeBatch] = queue.SimpleQueue()
        self.notes: queue.SimpleQueue[str] = queue.SimpleQueue()

    def batch(self) -> ChangeBatch:
        """The next batch."""
        return self.batches.get(timeout=LIMIT_S)

    def change(self) -> PackageChange:
        """The next batch, which holds one change."""
        (change,) = self.batch().changes
        return change

    def summary(self) -> str:
        """The next change in short, such as `changed echo: server/index.py`."""
        change = self.change()
        files = " ".join(f"{found.kind[0]}:{found.file}" for found in change.files)
        return f"{change.event} {change.plugin_id} {files}".rstrip()

    def until(self, plugin_id: str) -> list[PackageChange]:
        """Every change up to and with the next one of `plugin_id`."""
        changes: list[PackageChange] = []
        while not any(change.plugin_id == plugin_id for change in changes):
            changes += self.batch().changes
        return changes


@contextmanager
def watching(*folders: Path | PluginFolder) -> Iterator[Watched]:
    """Watch `folders` as long as the block lasts."""
    watched = Watched()
    watcher = PluginWatcher(
        _plugin_folders(folders), on_batch=watched.batches.put, on_note=watched.notes.put
    )
    watcher.start()
    try:
        yield watched
    finally:
        watcher.close()


def _plugin_folders(folders: Sequence[Path | PluginFolder]) -> list[PluginFolder]:
    return [
        folder if isinstance(folder, PluginFolder) else PluginFolder(folder, "community")
        for folder in folders
    ]


def package(folder: Path, name: str, text: str = "one", **files: str) -> Path:
    """A package that is a manifest, and modules by name."""
    root = folder / name
    root.mkdir(parents=True)
    (root / "PLUGIN.md").write_text(f"---\ndescription: {text}\n---\n")
    for file, code in files.items():
        (root / f"{file}.py").write_text(code)
    return root
