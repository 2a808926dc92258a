"""The ways others take an edited file over: in the process, or by starting another one."""

import importlib
import importlib.util
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from benchmarks.reload_hosts import Served


@dataclass(frozen=True, slots=True)
class Peer:
    """`needs` are the modules that must be installed; a slow one gets fewer rounds."""

    name: str
    opened: Callable[[Path], AbstractContextManager[Served]]
    needs: tuple[str, ...]
    is_slow: bool = False

    def is_installed(self) -> bool:
        """Whether it can be measured here."""
        return all(importlib.util.find_spec(name) is not None for name in self.needs)


class FileServed:
    """A file with `VALUE = …`; `take_over` reads it anew in this process."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._value: int | None = None
        self.save(0)

    def save(self, value: int) -> None:
        self.path.write_text(f"VALUE = int('{value:06}')\n", encoding="utf-8")

    def value(self) -> int | None:
        return self._value

    def take_over(self) -> None:
        """Compile and run the file as it is now."""
        namespace: dict[str, int] = {}
        exec(compile(self.path.read_bytes(), str(self.path), "exec"), namespace)
        self._value = namespace.get("VALUE", self._value)


class ModuleServed(FileServed):
    """The same as an imported module, taken over by `importlib.reload`."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        sys.path.insert(0, str(path.parent))
        importlib.invalidate_caches()
        self._module: ModuleType = importlib.import_module(path.stem)
        sys.path.remove(str(path.parent))
        self._path = [str(path.parent)]

    def value(self) -> int | None:
        return getattr(self._module, "VALUE", None)

    def take_over(self) -> None:
        sys.path[:0] = self._path
        importlib.reload(self._module)
        sys.path.remove(self._path[0])


@contextmanager
def watchdog_bare(folder: Path) -> Iterator[Served]:
    """watchdog, and compile-and-exec at every notice."""
    with _watched_by_watchdog(FileServed(folder / "bare_file.py")) as served:
        yield served


@contextmanager
def watchdog_reload(folder: Path) -> Iterator[Served]:
    """watchdog, and `importlib.reload` at every notice."""
    # As Python does it unless it is told otherwise.
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, False
    try:
        served = ModuleServed(folder / "reloaded_module.py")
        with _watched_by_watchdog(served):
            yield served
    finally:
        sys.dont_write_bytecode = before
        sys.modules.pop("reloaded_module", None)


@contextmanager
def _watched_by_watchdog(served: FileServed) -> Iterator[Served]:
    from watchdog.events import FileSystemEvent, FileSystemEventHandler
    from watchdog.observers import Observer

    class Handler(FileSystemEventHandler):
        def on_closed(self, event: FileSystemEvent) -> None:
            if str(event.src_path) == str(served.path):
                served.take_over()

    observer = Observer()
    observer.schedule(Handler(), str(served.path.parent), recursive=True)
    observer.start()
    try:
        yield served
    finally:
        observer.stop()
        observer.join()


@contextmanager
def watchfiles_reload(folder: Path) -> Iterator[Served]:
    """watchfiles with the same 50 ms, and compile-and-exec."""
    import watchfiles

    served = FileServed(folder / "watched_file.py")
    stops = threading.Event()

    def work() -> None:
        for _ in watchfiles.watch(folder, debounce=500, step=50, stop_event=stops):
            served.take_over()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        yield served
    finally:
        stops.set()
        thread.join()


class ProcessServed(FileServed):
    """A server that is started anew; the file tells by another one that it was imported."""

    def __init__(self, path: Path, head: str) -> None:
        self._head = head
        self._told = path.parent.parent / "imported.txt"
        super().__init__(path)

    def save(self, value: int) -> None:
        tells = f"__import__('pathlib').Path({str(self._told)!r}).write_text('{value:06}')\n"
        self.path.write_text(self._head + tells, encoding="utf-8")

    def value(self) -> int | None:
        try:
            return int(self._told.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None


@contextmanager
def uvicorn_reload(folder: Path) -> Iterator[Served]:
    """`uvicorn --reload` with a bare application."""
    (folder / "app").mkdir()
    head = "async def app(scope, receive, send): ...\n"
    served = ProcessServed(folder / "app" / "bench_app.py", head)
    command = ["uvicorn", "bench_app:app", "--reload", "--port", "0", "--log-level", "error"]
    with _process(command, served.path.parent):
        yield served


@contextmanager
def fastmcp_reload(folder: Path) -> Iterator[Served]:
    """`fastmcp run --reload` with a bare server."""
    (folder / "app").mkdir()
    head = "from fastmcp import FastMCP\nmcp = FastMCP('bench')\n"
    served = ProcessServed(folder / "app" / "bench_server.py", head)
    command = ["fastmcp", "run", "bench_server.py", "--reload", "--transport", "http"]
    with _process(command, served.path.parent):
        yield served


@contextmanager
def _process(command: list[str], folder: Path) -> Iterator[None]:
    process = subprocess.Popen(
        [sys.executable, "-m", *command],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait()


FLOOR = Peer("watchdog, compile and exec one file (floor)", watchdog_bare, ("watchdog",))
BARE_RELOAD = Peer("peer: watchdog, importlib.reload", watchdog_reload, ("watchdog",))
PEERS = (
    BARE_RELOAD,
    Peer("peer: watchfiles, compile and exec", watchfiles_reload, ("watchfiles",)),
    Peer("peer: uvicorn --reload", uvicorn_reload, ("uvicorn",), is_slow=True),
    Peer("peer: fastmcp run --reload", fastmcp_reload, ("fastmcp",), is_slow=True),
)
