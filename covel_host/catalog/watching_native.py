"""Change notices of the operating system, through watchdog."""

import contextlib
import errno
import logging
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from covel_host.catalog.watching_targets import WatchTarget

if TYPE_CHECKING:
    from watchdog.events import FileSystemEvent, FileSystemEventHandler
    from watchdog.observers.api import BaseObserver, ObservedWatch

Notice: TypeAlias = Callable[[WatchTarget, str, bool], None]
"""Called in a thread of watchdog: the target, a path that changed, whether it is a folder."""

PAIRING_S: Final = 0.01
"""How long a move out of sight, and every notice behind it, waits for its other half.

watchdog waits 0.5 s. Both halves of a move come from the kernel at once, and nothing here needs
them paired (design/traps.md, Watching).
"""
_JOIN_S: Final = 2.0

# Opening and reading a file are no changes. A link to a folder is a file.
_KINDS_ABOVE: Final = (
    "DirCreatedEvent",
    "DirDeletedEvent",
    "DirMovedEvent",
    "FileCreatedEvent",
    "FileDeletedEvent",
    "FileMovedEvent",
)
_KINDS_IN_TREES: Final = (*_KINDS_ABOVE, "FileModifiedEvent", "FileClosedEvent")

_LOG = logging.getLogger(__name__)


class NativeWatch:
    """Watches targets until `close`; used from one thread.

    What cannot be watched is told by `problem`, a sentence for people: then not every change is
    noticed, and somebody has to look.
    """

    def __init__(self, notice: Notice) -> None:
        # One instance of inotify has one set of kinds for a folder, that of the last to ask for it:
        # so the trees, and the folders above them, do not share one.
        self._trees = _Observed(notice, _KINDS_IN_TREES)
        self._holders = _Observed(notice, _KINDS_ABOVE)
        self.problem: str | None = None

    def update(self, targets: Iterable[WatchTarget]) -> None:
        """Watch exactly `targets` from now on; those that are watched already stay so."""
        wanted = set(targets)
        trees = {target for target in wanted if target.is_tree}
        self.problem = None
        try:
            self._trees.update(trees)
            self._holders.update(wanted - trees)
            _probe(wanted)
        except (OSError, ImportError, RuntimeError) as error:
            # RuntimeError: no more threads can be started.
            self.problem = _reason(error)

    def close(self) -> None:
        """Stop watching; may be called again."""
        self._trees.close()
        self._holders.close()


class _Observed:
    """Targets watched for the same kinds of events."""

    def __init__(self, notice: Notice, kinds: Sequence[str]) -> None:
        self._notice = notice
        self._kinds = kinds
        self._watches: dict[WatchTarget, tuple[ObservedWatch, FileSystemEventHandler]] = {}
        self._observer: BaseObserver | None = None

    def update(self, wanted: set[WatchTarget]) -> None:
        if self._observer is None and wanted:
            observer = _new_observer()
            observer.start()
            self._observer = observer
        if self._observer is None:
            return
        for target in self._watches.keys() - wanted:
            self._drop(self._observer, target)
        for target in sorted(wanted - self._watches.keys(), key=lambda found: found.path):
            self._add(self._observer, target)

    def close(self) -> None:
        observer, self._observer = self._observer, None
        self._watches.clear()
        if observer is not None:
            observer.stop()
            observer.join(_JOIN_S)

    def _add(self, observer: "BaseObserver", target: WatchTarget) -> None:
        handler = _handler(target, self._notice)
        # It may go away again: the folder above it is watched, too.
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            watch = _schedule(observer, target, handler, self._kinds)
            self._watches[target] = watch, handler

    def _drop(self, observer: "BaseObserver", target: WatchTarget) -> None:
        watch, handler = self._watches.pop(target)
        # Also one whose folder is gone: watchdog has stopped it already.
        with contextlib.suppress(KeyError, OSError):
            if any(watch == other for other, _ in self._watches.values()):
                observer.remove_handler_for_watch(handler, watch)
            else:
                observer.unschedule(watch)


def _probe(targets: Iterable[WatchTarget]) -> None:
    """Raise what watching raises where the system has no more watches to give.

    watchdog passes over a folder inside a tree that it cannot watch. When all are watched, one
    more watch, in an instance of its own, must still be possible.
    """
    for target in targets:
        observer = _new_observer()
        observer.start()
        try:
            _schedule(observer, target, _handler(target, _ignore), _KINDS_ABOVE)
        except (FileNotFoundError, NotADirectoryError):
            continue
        finally:
            observer.stop()
        return


def _schedule(
    observer: "BaseObserver",
    target: WatchTarget,
    handler: "FileSystemEventHandler",
    kinds: Sequence[str],
) -> "ObservedWatch":
    from watchdog import events

    return observer.schedule(
        handler,
        target.path,
        recursive=target.is_tree,
        event_filter=[getattr(events, kind) for kind in kinds],
    )


def _new_observer() -> "BaseObserver":
    from watchdog.observers import Observer

    if sys.platform == "linux":
        from watchdog.observers.inotify_move_event_grouper import InotifyMoveEventGrouper

        InotifyMoveEventGrouper.delay = PAIRING_S
        # A folder that is moved away and back is watched twice, which it says and which is right.
        warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"watchdog\.")
    return Observer()


def _handler(target: WatchTarget, notice: Notice) -> "FileSystemEventHandler":
    from watchdog.events import FileSystemEventHandler

    class Handler(FileSystemEventHandler):
        def dispatch(self, event: "FileSystemEvent") -> None:
            for path in {event.src_path, event.dest_path} - {""}:
                text = path if isinstance(path, str) else path.decode(errors="surrogateescape")
                notice(target, text, event.is_directory)

    return Handler()


def _ignore(target: WatchTarget, path: str, is_folder: bool) -> None:
    return None


def _reason(error: Exception) -> str:
    _LOG.warning("Plugin folders cannot be watched: %s", error)
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return "The system's limit of watched folders (fs.inotify.max_user_watches) is reached"
    if isinstance(error, OSError) and error.errno == errno.EMFILE:
        return "The system's limit of watchers (fs.inotify.max_user_instances) is reached"
    why = (isinstance(error, OSError) and error.strerror) or error
    return f"The system does not watch the plugin folders ({why})"
