"""What has to be watched so that no change of a plugin folder is missed, and whose a path is."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from covel_host.catalog.folders import PluginFolder
from covel_host.catalog.watching_names import is_watched_file, is_watched_folder

MAX_LINKED: Final = 32
"""Packages that are links are watched one by one, each at the cost of a thread."""


@dataclass(frozen=True, slots=True)
class WatchTarget:
    """One folder to watch; `path` has no links in it.

    In a tree (`is_tree`) a first name below it is a package, unless `plugin_id` says that all of it
    is one. Otherwise only the folder itself is watched, for the coming and going of `awaited`.
    `identity` is the folder's device and inode: another folder in its place is another target.
    """

    path: str
    identity: tuple[int, int]
    is_tree: bool
    plugin_id: str | None = None
    awaited: str | None = None

    def package_of(self, path: str, *, is_folder: bool) -> str | None:
        """The package that a change at `path` may matter to, or None."""
        parts = _parts_below(self.path, path)
        if parts is None:
            return None
        if self.plugin_id is not None:
            return self.plugin_id if _counts(parts, is_folder=is_folder) else None
        if not parts or parts[0].startswith("."):
            return None
        return parts[0] if _counts(parts[1:], is_folder=is_folder) else None

    def awaits(self, path: str) -> bool:
        """Whether a change at `path` may mean that the awaited folder came or went."""
        return self.awaited is not None and _parts_below(self.path, path) in ((), (self.awaited,))


@dataclass(frozen=True, slots=True)
class WatchPlan:
    """All targets, and how many linked packages are left to be looked at from time to time."""

    targets: frozenset[WatchTarget]
    unwatched_links: int


def watch_plan(folders: Iterable[PluginFolder]) -> WatchPlan:
    """The targets for `folders` as they lie on the disk now; folders need not exist."""
    targets: set[WatchTarget] = set()
    links: list[WatchTarget] = []
    for folder in folders:
        top = folder.path if folder.only is None else folder.path / folder.only
        targets.update(_above(top))
        tree = _target(top, is_tree=True, plugin_id=folder.only)
        if tree is not None:
            targets.add(tree)
        if folder.only is None:
            links += _linked_packages(top)
    watched = frozenset([*targets, *links[:MAX_LINKED]])
    return WatchPlan(watched, max(len(links) - MAX_LINKED, 0))


def _counts(parts: tuple[str, ...], *, is_folder: bool) -> bool:
    """Whether a change at `parts` in a package may matter; the package itself always does."""
    return not parts or (is_watched_folder(parts) if is_folder else is_watched_file(parts))


def _above(top: Path) -> Iterator[WatchTarget]:
    """The nearest folder above `top` that exists, and what is awaited in it.

    A folder is not told that it is moved away; the one that holds it is.
    """
    # The link itself, and where it leads: both may be replaced.
    for path in {os.path.abspath(top), os.path.realpath(top)}:
        holder, awaited = os.path.split(path)
        while awaited and not os.path.isdir(holder):
            holder, awaited = os.path.split(holder)
        target = _target(Path(holder), is_tree=False, awaited=awaited) if awaited else None
        if target is not None:
            yield target


def _linked_packages(folder: Path) -> list[WatchTarget]:
    try:
        with os.scandir(folder) as entries:
            names = sorted(
                entry.name
                for entry in entries
                if entry.is_symlink() and not entry.name.startswith(".")
            )
    except OSError:
        return []
    found = (_target(folder / name, is_tree=True, plugin_id=name) for name in names)
    return [target for target in found if target is not None]


def _target(
    path: Path, *, is_tree: bool, plugin_id: str | None = None, awaited: str | None = None
) -> WatchTarget | None:
    real = os.path.realpath(path)
    try:
        status = os.stat(real)
    except OSError:
        return None
    if not os.path.isdir(real):
        return None
    identity = (status.st_dev, status.st_ino)
    return WatchTarget(real, identity, is_tree, plugin_id=plugin_id, awaited=awaited)


def _parts_below(folder: str, path: str) -> tuple[str, ...] | None:
    """The names on the way from `folder` to `path`; None where it does not lie below."""
    if path == folder:
        return ()
    prefix = folder.rstrip(os.sep) + os.sep
    if not path.startswith(prefix):
        return None
    return tuple(path[len(prefix) :].split(os.sep))
