"""The files of one package, each looked at once and never outside the package."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, TypeAlias

from covel_host.manifest.layout import printable

MAX_LOOKED_AT_BYTES: Final = 1_000_000
"""Size of a JSON file or module that is looked into."""

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

    @property
    def too_large(self) -> bool:
        """Whether the file goes on after `content`."""
        return len(self.content) > MAX_LOOKED_AT_BYTES


@dataclass(slots=True)
class PackageFolder:
    """Reads files of the package at `root`; what was read or resolved once is kept."""

    root: Path
    _real_root: str = ""
    _real_folders: dict[str, str] = field(default_factory=dict)
    _files: dict[str, PackageFile] = field(default_factory=dict)

    def file(self, base: Path, written: str) -> PackageFile:
        """The file `written` in a manifest, from the folder `base` inside the package."""
        joined = os.path.join(base, written)
        known = self._files.get(joined)
        if known is None:
            known = self._files[joined] = self._look(joined)
        return known

    def listing(self, base: Path, written: str) -> list[str]:
        """The names beside `written`, for a hint; empty when they cannot be listed."""
        try:
            folder = self._real(os.path.dirname(os.path.join(base, written)))
            return os.listdir(folder) if self._inside(folder) else []
        except (OSError, ValueError):
            return []

    def _look(self, joined: str) -> PackageFile:
        try:
            folder, name = os.path.split(joined)
            real = os.path.join(self._real(folder), name)
            if os.path.islink(real):
                real = os.path.realpath(real, strict=True)
            if not self._inside(real):
                return PackageFile("outside")
            return self._read(real)
        except FileNotFoundError:
            return PackageFile("missing")
        except (OSError, ValueError) as error:
            # A loop of links, a name the system refuses, missing rights, a folder.
            return PackageFile("unreadable", reason=getattr(error, "strerror", None) or str(error))

    def _read(self, real: str) -> PackageFile:
        known = self._files.get(real)
        if known is not None:
            return known
        if not os.path.isfile(real):
            # A folder, or a device that would never end.
            if not os.path.exists(real):
                return PackageFile("missing")
            return PackageFile("unreadable", reason="it is not a file")
        with open(real, "rb") as stream:
            content = stream.read(MAX_LOOKED_AT_BYTES + 1)
        name = printable(os.path.relpath(real, self._real_root).replace(os.sep, "/"))
        found = self._files[real] = PackageFile("file", name, content)
        return found

    def _inside(self, real: str) -> bool:
        return real == self._real_root or real.startswith(self._real_root + os.sep)

    def _real(self, folder: str) -> str:
        if not self._real_root:
            self._real_root = os.path.realpath(self.root)
        known = self._real_folders.get(folder)
        if known is None:
            known = self._real_folders[folder] = os.path.realpath(folder)
        return known
