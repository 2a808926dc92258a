"""The files of one package, each looked at once and never outside the package."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, TypeAlias

from covel_host.diagnostics.file_text import read_at_most
from covel_host.manifest.layout import printable

MAX_LOOKED_AT_BYTES: Final = 1_000_000
"""Size of a JSON file or module that is looked into."""

_UNPLAIN: Final = frozenset(("", ".", ".."))
State: TypeAlias = Literal["file", "missing", "outside", "unreadable"]


@dataclass(frozen=True, slots=True)
class PackageFile:
    """One file as it was found.

    `name` is relative to the package with forward slashes, links followed; empty when `state` is
    not `"file"`. `content` holds at most `MAX_LOOKED_AT_BYTES` and one more byte, so that a longer
    one is longer than the limit.
    """

    state: State
    name: str = ""
    content: bytes = b""
    reason: str = ""


@dataclass(slots=True)
class PackageFolder:
    """Reads files of the package at `root`; what was read or resolved once is kept."""

    root: Path
    _real_root: str = ""
    _folders: dict[tuple[str, str], str] = field(default_factory=dict)
    _plain: set[str] = field(default_factory=set)
    _files: dict[str, PackageFile] = field(default_factory=dict)

    def file(self, base: Path, written: str) -> PackageFile:
        """The file `written` in a manifest, from the folder `base` inside the package."""
        folder, _, name = written.rpartition("/")
        try:
            real = f"{self._real(str(base), folder)}{os.sep}{name}"
            known = self._files.get(real)
            if known is None:
                known = self._files[real] = self._look(real)
            return known
        except (OSError, ValueError) as error:
            # A loop of links, or a name that the system refuses.
            return PackageFile("unreadable", reason=getattr(error, "strerror", None) or str(error))

    def listing(self, base: Path, written: str) -> list[str]:
        """The names beside `written`, for a hint; empty when they cannot be listed."""
        try:
            folder = self._real(str(base), written.rpartition("/")[0])
            return os.listdir(folder) if self._inside(folder) else []
        except (OSError, ValueError):
            return []

    def _look(self, real: str) -> PackageFile:
        """The file at `real`, whose folder is free of links."""
        try:
            if os.path.islink(real):
                real = os.path.realpath(real, strict=True)
            if not self._inside(real):
                return PackageFile("outside")
            if not os.path.isfile(real):
                # A folder, or a device that would never end.
                os.stat(real)
                return PackageFile("unreadable", reason="it is not a file")
            content = read_at_most(real, MAX_LOOKED_AT_BYTES + 1)
        except (FileNotFoundError, NotADirectoryError):
            return PackageFile("missing")
        name = real[len(self._real_root) + 1 :].replace(os.sep, "/")
        return PackageFile("file", printable(name), content)

    def _inside(self, real: str) -> bool:
        return real == self._real_root or real.startswith(self._real_root + os.sep)

    def _real(self, base: str, folder: str) -> str:
        """The folder with links followed, which every file in it shares."""
        known = self._folders.get((base, folder))
        if known is None:
            joined = os.path.join(base, folder) if folder else base
            known = self._folders[base, folder] = self._plain_folder(joined)
        return known

    def _plain_folder(self, joined: str) -> str:
        """`joined` with links followed; below the root each folder is looked at once."""
        root = str(self.root)
        if not self._real_root:
            self._real_root = os.path.realpath(root)
        if joined == root:
            return self._real_root
        parts = joined[len(root) + 1 :].replace(os.sep, "/").split("/")
        if not joined.startswith(root + os.sep) or not _UNPLAIN.isdisjoint(parts):
            return os.path.realpath(joined)
        real = self._real_root
        for part in parts:
            real = f"{real}{os.sep}{part}"
            if real not in self._plain:
                if os.path.islink(real):
                    return os.path.realpath(joined)
                self._plain.add(real)
        return real
