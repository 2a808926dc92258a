"""Plugin folders watched for changes; what changed is told by package, once it is quiet.

A notice of the operating system only says where to look; what the files hold decides whether
anything changed. Notices can be lost (an overflow, a limit, a network file system), so the folders
are also looked at from time to time, and often where notices cannot be relied on.
"""

import logging
import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from covel_host.catalog.folders import PluginFolder
from covel_host.catalog.watching_mounts import silent_file_system
from covel_host.catalog.watching_native import NativeWatch
from covel_host.catalog.watching_pending import LONGEST_S, QUIET_S, PendingPackages
from covel_host.catalog.watching_state import PackageChange, WatchedPackages
from covel_host.catalog.watching_targets import WatchPlan, WatchTarget, watch_plan

POLL_S: Final = 0.25
"""Between two looks where notices cannot be relied on."""
SAFETY_S: Final = 10.0
"""Between two looks beside notices."""
POLL_SHARE: Final = 0.1
SAFETY_SHARE: Final = 0.005
"""The largest part of one processor that looking may take (issue: at rest under 1 %)."""
MANY_NOTICES: Final = 2_000
"""After so many at a time some may have been lost, so everything is looked at once."""
_JOIN_S: Final = 5.0
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ChangeBatch:
    """What changed in one moment, none of the packages twice.

    `noticed_s` is when the first of it was noticed, on the clock of `time.monotonic`.
    """

    changes: tuple[PackageChange, ...]
    noticed_s: float


@dataclass(frozen=True, slots=True)
class _Notice:
    """`plugin_id` is None where a folder that packages lie in came or went.

    `on_told` is called once the package was looked at and what changed was told.
    """

    at_s: float
    plugin_id: str | None
    on_told: Callable[[], object] | None = None


class PluginWatcher:
    """Watches `folders` in threads of its own from `start` to `close`.

    `on_batch` is called for each batch, and `on_note` with a sentence for people when changes are
    found by looking instead of by notices, or by notices again; both in a thread of the watcher,
    one after the other. What they raise is logged.
    """

    def __init__(
        self,
        folders: Sequence[PluginFolder],
        *,
        on_batch: Callable[[ChangeBatch], object],
        on_note: Callable[[str], object],
    ) -> None:
        self._folders = tuple(folders)
        self._on_batch = on_batch
        self._on_note = on_note
        self._notices: queue.SimpleQueue[_Notice | None] = queue.SimpleQueue()
        self._native = NativeWatch(self._notice)
        self._packages = WatchedPackages(folders)
        self._pending = PendingPackages()
        self._asked: dict[str, list[Callable[[], object]]] = {}
        self._plan = WatchPlan(frozenset(), 0)
        self._problem: str | None = None
        self._next_look_s = 0.0
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="covel watch", daemon=True)

    def start(self) -> None:
        """Begin to watch; on return every later change is noticed.

        The files are read once for that: about 0.3 s for 1,000 packages.
        """
        self._thread.start()
        self._ready.wait()

    def close(self) -> None:
        """Stop watching; nothing is called after it has returned. May be called again."""
        self._notices.put(None)
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join(_JOIN_S)

    def look_at(self, plugin_id: str, on_told: Callable[[], object]) -> None:
        """Look at a package as if something had been noticed in it.

        `on_told` is called in the watcher's thread once what changed until now was told.
        """
        self._notices.put(_Notice(time.monotonic(), plugin_id, on_told))

    def _notice(self, target: WatchTarget, path: str, is_folder: bool) -> None:
        """Called in threads of watchdog, for every event."""
        at_s = time.monotonic()
        plugin_id = target.package_of(path, is_folder=is_folder) if target.is_tree else None
        if plugin_id is not None:
            self._notices.put(_Notice(at_s, plugin_id))
        elif path == target.path or target.awaits(path):
            self._notices.put(_Notice(at_s, None))

    def _run(self) -> None:
        try:
            self._watch_targets()
            self._packages.read_all()
            self._next_look_s = time.monotonic() + self._pause_s(0.0)
            self._ready.set()
            while self._take_notices():
                self._report_due()
                if time.monotonic() >= self._next_look_s:
                    self._look_at_all()
        except Exception:
            _LOG.exception("Watching the plugin folders has ended.")
            self._tell(self._on_note, "Changes are no longer noticed; the log says why.")
        finally:
            self._ready.set()
            self._native.close()

    def _take_notices(self) -> bool:
        """Wait for a notice or until something is due; False at the end."""
        due_s = self._pending.next_due_s
        until_s = self._next_look_s if due_s is None else min(due_s, self._next_look_s)
        waits_s = max(until_s - time.monotonic(), 0.0)
        count, folders_changed = 0, False
        try:
            while True:
                notice = self._notices.get(timeout=waits_s)
                if notice is None:
                    return False
                if notice.plugin_id is None:
                    folders_changed = True
                else:
                    self._pending.notice(notice.plugin_id, notice.at_s)
                    if notice.on_told is not None:
                        self._asked.setdefault(notice.plugin_id, []).append(notice.on_told)
                count, waits_s = count + 1, 0.0
        except queue.Empty:
            pass
        if folders_changed:
            self._watch_targets()
            self._look_at_all()
        elif count > MANY_NOTICES:
            self._next_look_s = min(self._next_look_s, time.monotonic() + QUIET_S)
        return True

    def _report_due(self) -> None:
        now_s = time.monotonic()
        due = self._pending.take(now_s)
        if not due:
            return
        # First: a link may lead elsewhere now, where it has to be watched before it is read.
        self._watch_targets()
        changes, looked_at = [], set(due)
        asked = {name: now_s - noticed_s >= LONGEST_S for name, noticed_s in sorted(due.items())}
        for plugin_id, looked in self._packages.look(asked).items():
            if not looked.is_whole:
                now_s = time.monotonic()
                self._pending.notice(plugin_id, now_s, first_noticed_s=due[plugin_id])
                looked_at.discard(plugin_id)
            elif looked.change is not None:
                changes.append(looked.change)
        if changes:
            first_s = min(due[change.plugin_id] for change in changes)
            self._tell(self._on_batch, ChangeBatch(tuple(changes), first_s))
        for plugin_id in looked_at & self._asked.keys():
            for on_told in self._asked.pop(plugin_id):
                self._tell(on_told)

    def _look_at_all(self) -> None:
        """Look for what was not noticed; what is suspicious has to be quiet, too."""
        started_s = time.monotonic()
        self._watch_targets()
        suspects = self._packages.suspects()
        now_s = time.monotonic()
        for plugin_id in suspects:
            self._pending.notice(plugin_id, now_s)
        self._next_look_s = now_s + self._pause_s(now_s - started_s)

    def _pause_s(self, look_took_s: float) -> float:
        if self._problem is None:
            return max(SAFETY_S, look_took_s / SAFETY_SHARE)
        return max(POLL_S, look_took_s / POLL_SHARE)

    def _watch_targets(self) -> None:
        plan = watch_plan(self._folders)
        if plan == self._plan:
            return
        self._plan = plan
        self._native.update(plan.targets)
        problem = self._native.problem or _unreliable(plan)
        if problem != self._problem:
            self._problem = problem
            self._next_look_s = min(self._next_look_s, time.monotonic() + self._pause_s(0.0))
            self._tell(self._on_note, _mode_text(problem))

    def _tell(self, listener: Callable[..., object], *what: object) -> None:
        try:
            listener(*what)
        except Exception:
            _LOG.exception("What the watcher found could not be told.")


def _unreliable(plan: WatchPlan) -> str | None:
    """Why notices do not tell of every change, though everything is watched; or None."""
    if plan.unwatched_links:
        return f"{plan.unwatched_links} packages are links, more than can be watched one by one"
    kind = silent_file_system(target.path for target in plan.targets if target.is_tree)
    if kind is not None:
        return f"A plugin folder lies on {kind}, which does not tell what other machines change"
    return None


def _mode_text(problem: str | None) -> str:
    if problem is None:
        return "Changes are noticed at once again."
    return f"{problem}: the files are looked at every {POLL_S} s as well."
