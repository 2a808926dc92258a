"""The watched files of one package at one moment, told apart by content.

The time stamps of a file only say whether it has to be read again: two edits of equal length
within one tick of the file system's clock have equal stamps, and a `touch` changes nothing.
"""

import hashlib
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

from covel_host.catalog.sources import MAX_FILE_BYTES, MAX_FILES
from covel_host.catalog.watching_names import is_watched_file, is_watched_folder

Stamp: TypeAlias = tuple[int, int, int, int]
"""Modification and change time in nanoseconds, size in bytes, inode."""
FileKind: TypeAlias = Literal["added", "changed", "removed"]

SETTLED_AFTER_S: Final = 3.0
"""A file this old when it was read cannot change again without a new stamp.

The coarsest clocks, those of FAT and old network file systems, tick every 2 s.
"""


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file of a package that is not what it was; `file` is relative, with forward slashes."""

    file: str
    kind: FileKind


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file as it was read; with `is_settled` an equal stamp means equal content."""

    stamp: Stamp
    digest: bytes
    is_settled: bool


@dataclass(frozen=True, slots=True)
class PackageFiles:
    """The watched files below `root`, by relative path."""

    root: Path
    files: Mapping[str, ReadFile]

    @property
    def is_settled(self) -> bool:
        """Whether equal stamps prove that nothing has changed since."""
        return all(file.is_settled for file in self.files.values())

    def fits(self, stamps: Mapping[str, Stamp]) -> bool:
        """Whether the files still have the stamps they were read with."""
        return stamps.keys() == self.files.keys() and all(
            stamps[name] == file.stamp for name, file in self.files.items()
        )


def read_stamps(root: Path) -> dict[str, Stamp]:
    """The stamp of every watched file below `root`; what cannot be listed has none.

    A link to a folder counts as a file: where it leads is its content, and what it shows lies in
    the package anyway. At most `MAX_FILES` files are looked at.
    """
    stamps: dict[str, Stamp] = {}
    for entry, parts, is_file in _walk(root):
        try:
            found = entry.stat(follow_symlinks=is_file)
        except OSError:
            continue
        stamp = (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino)
        stamps["/".join(parts)] = stamp
        if len(stamps) == MAX_FILES:
            break
    return stamps


def read_files(
    root: Path, *, known: PackageFiles | None = None, accepts_half: bool = False
) -> PackageFiles | None:
    """The watched files below `root`; None when one changed while it was read.

    With `accepts_half` they are given all the same. Files that are as old and as large as in
    `known` are not read again.
    """
    before = read_stamps(root)
    read_at_ns = time.time_ns()
    known_files = known.files if known is not None and known.root == root else {}
    files: dict[str, ReadFile] = {}
    for name, stamp in before.items():
        old = known_files.get(name)
        if old is not None and old.is_settled and old.stamp == stamp:
            files[name] = old
        else:
            files[name] = ReadFile(stamp, _digest(root / name), _is_settled(stamp, read_at_ns))
    if not accepts_half and read_stamps(root) != before:
        return None
    return PackageFiles(root, files)


def changed_files(
    before: PackageFiles | None, after: PackageFiles | None
) -> tuple[FileChange, ...]:
    """What is different in `after`, sorted by path; None stands for a package that is not there."""
    old = {} if before is None else before.files
    new = {} if after is None else after.files
    changes = []
    for name in sorted(old.keys() | new.keys()):
        if name not in old:
            changes.append(FileChange(name, "added"))
        elif name not in new:
            changes.append(FileChange(name, "removed"))
        elif old[name].digest != new[name].digest:
            changes.append(FileChange(name, "changed"))
    return tuple(changes)


def _walk(root: Path) -> Iterator[tuple["os.DirEntry[str]", tuple[str, ...], bool]]:
    """Watched files, and links to folders, each with its path and whether it is a file."""
    waiting: list[tuple[str, tuple[str, ...]]] = [(str(root), ())]
    while waiting:
        folder, above = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                listed = list(entries)
        except OSError:
            continue
        for entry in listed:
            parts = (*above, entry.name)
            try:
                is_folder = entry.is_dir()
                is_link = entry.is_symlink()
            except OSError:
                continue
            if not is_folder:
                if is_watched_file(parts) and entry.is_file():
                    yield entry, parts, True
            elif is_watched_folder(parts):
                if is_link:
                    yield entry, parts, False
                else:
                    waiting.append((entry.path, parts))


def _digest(path: Path) -> bytes:
    """A digest of the content; what cannot be read has one that says why."""
    try:
        if path.is_symlink() and path.is_dir():
            return os.fsencode(os.readlink(path))
        with path.open("rb") as stream:
            return hashlib.blake2b(stream.read(MAX_FILE_BYTES + 1), digest_size=16).digest()
    except OSError as error:
        return f"{type(error).__name__} {error.errno}".encode()


def _is_settled(stamp: Stamp, read_at_ns: int) -> bool:
    return read_at_ns - max(stamp[0], stamp[1]) > SETTLED_AFTER_S * 1e9
