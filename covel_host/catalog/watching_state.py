"""What the packages of the plugin folders were when they were last looked at."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

from covel_host.catalog.discovery import discover
from covel_host.catalog.folders import PluginFolder
from covel_host.catalog.watching_files import (
    FileChange,
    PackageFiles,
    changed_files,
    read_files,
    read_stamps,
)

PackageEvent: TypeAlias = Literal["added", "changed", "removed"]


@dataclass(frozen=True, slots=True)
class PackageChange:
    """A package whose files are not what they were.

    `added`: its folder came, or it was enabled. `removed`: its folder went, it was disabled, or it
    is no package any more. `files` are those that differ, sorted; they are empty only when a
    package of this ID in another folder took its place with equal files.
    """

    plugin_id: str
    event: PackageEvent
    files: tuple[FileChange, ...]


@dataclass(frozen=True, slots=True)
class PackageLookedAt:
    """`change` is None where nothing changed; without `is_whole` a file changed meanwhile."""

    change: PackageChange | None
    is_whole: bool = True


class WatchedPackages:
    """The packages of `folders` by content; used from one thread, reads the disk when asked."""

    def __init__(self, folders: Sequence[PluginFolder]) -> None:
        self._folders = tuple(folders)
        self._known: dict[str, PackageFiles] = {}

    def read_all(self) -> None:
        """Take everything as it is now for known."""
        for found in discover(self._folders).packages:
            files = read_files(found.root, accepts_half=True)
            if files is not None:
                self._known[found.plugin_id] = files

    def look(self, plugin_ids: Mapping[str, bool]) -> dict[str, PackageLookedAt]:
        """What changed in the packages since they were last looked at; what is told is known then.

        While a file of a package is being written nothing is told of it, unless its value in
        `plugin_ids` says to accept half of it.
        """
        roots = self._roots(plugin_ids)
        return {
            plugin_id: self._look(plugin_id, roots.get(plugin_id), accepts_half=accepts_half)
            for plugin_id, accepts_half in plugin_ids.items()
        }

    def suspects(self) -> set[str]:
        """The packages that may have changed: came, went, or have files with other time stamps."""
        found = {package.plugin_id: package for package in discover(self._folders).packages}
        suspects = found.keys() ^ self._known.keys()
        for plugin_id in found.keys() & self._known.keys():
            known = self._known[plugin_id]
            root = found[plugin_id].root
            if root != known.root or not known.is_settled or not known.fits(read_stamps(root)):
                suspects.add(plugin_id)
        return suspects

    def _look(self, plugin_id: str, root: Path | None, *, accepts_half: bool) -> PackageLookedAt:
        before = self._known.get(plugin_id)
        after = None
        if root is not None:
            after = read_files(root, known=before, accepts_half=accepts_half)
            if after is None:
                return PackageLookedAt(None, is_whole=False)
        return PackageLookedAt(self._take(plugin_id, before, after))

    def _take(
        self, plugin_id: str, before: PackageFiles | None, after: PackageFiles | None
    ) -> PackageChange | None:
        if after is None:
            self._known.pop(plugin_id, None)
        else:
            self._known[plugin_id] = after
        files = changed_files(before, after)
        if before is None or after is None:
            if before is after:
                return None
            return PackageChange(plugin_id, "added" if before is None else "removed", files)
        if files or before.root != after.root:
            return PackageChange(plugin_id, "changed", files)
        return None

    def _roots(self, plugin_ids: Collection[str]) -> dict[str, Path]:
        """Where the packages lie now; the first folder that has one wins."""
        folders = self._folders
        if len(plugin_ids) == 1:
            (only,) = plugin_ids
            folders = tuple(
                replace(folder, only=only) for folder in folders if folder.only in (None, only)
            )
        return {found.plugin_id: found.root for found in discover(folders).packages}
