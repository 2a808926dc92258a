"""The files of a package that decide what it does, read once, and the hash that trust is bound to.

Modules are later compiled from these very bytes, never from the disk: what runs is what was hashed,
and a running generation never sees half of an edit (design/traps.md, Loading).
"""

import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from covel_host.manifest.layout import printable

MAX_FILES: Final = 5_000
MAX_FILE_BYTES: Final = 10 * 1024 * 1024
MAX_TOTAL_BYTES: Final = 100 * 1024 * 1024

_HASHED_SUFFIXES = (".py", ".md", ".json", ".yaml", ".yml")
_SKIPPED_FOLDERS = frozenset({"__pycache__", "node_modules"})


class SourcesError(ValueError):
    """A package's files cannot be read; `file` is relative to the package, "" for the whole."""

    def __init__(self, message: str, *, file: str) -> None:
        super().__init__(message)
        self.message = message
        self.file = printable(file)


@dataclass(frozen=True, slots=True)
class PackageSources:
    """What was read.

    `modules` maps the path of every `.py` file, relative and with `/`, to its bytes, `documents`
    that of every `.json` file, `texts` that of every `.md` file. `content_hash` is the hexadecimal
    SHA-256 over path and bytes of every `.py`, `.md`, `.json` and `.yaml` file, in code-point order
    of the paths.
    """

    root: Path
    modules: Mapping[str, bytes]
    documents: Mapping[str, bytes]
    texts: Mapping[str, bytes]
    content_hash: str


def read_sources(root: Path) -> PackageSources:
    """The sources of the package at `root`.

    Names that begin with a dot and `__pycache__` folders are left out; symbolic links are followed
    as long as they stay inside the package.

    Raises:
        SourcesError: a link leads out of the package or nowhere, a file is over `MAX_FILE_BYTES`,
            all are over `MAX_TOTAL_BYTES`, there are more than `MAX_FILES` files and folders, or
            one cannot be read.
    """
    real_root = root.resolve()
    digest = hashlib.sha256()
    modules: dict[str, bytes] = {}
    documents: dict[str, bytes] = {}
    texts: dict[str, bytes] = {}
    total_bytes = 0
    for relative, path in sorted(_files(real_root)):
        content = _read(path, relative)
        total_bytes += len(content)
        if total_bytes > MAX_TOTAL_BYTES:
            raise SourcesError(
                f"The package's sources have more than {MAX_TOTAL_BYTES // 1024**2} MB.", file=""
            )
        # The bytes of the name as the file system has them: they need not be UTF-8.
        name = os.fsencode(relative)
        digest.update(b"%d:%b:%d:" % (len(name), name, len(content)))
        digest.update(content)
        if relative.endswith(".py"):
            modules[relative] = content
        elif relative.endswith(".json"):
            documents[relative] = content
        elif relative.endswith(".md"):
            texts[relative] = content
    return PackageSources(real_root, modules, documents, texts, digest.hexdigest())


def _files(real_root: Path) -> Iterator[tuple[str, Path]]:
    """Every file that counts: its path in the package, and where it really lies."""
    waiting: list[tuple[Path, str, frozenset[Path]]] = [(real_root, "", frozenset({real_root}))]
    count = 0
    while waiting:
        folder, prefix, above = waiting.pop()
        for relative, path, is_folder in _entries(folder, prefix, real_root):
            count += 1
            if count > MAX_FILES:
                raise SourcesError(
                    f"The package has more than {MAX_FILES} files and folders to read.", file=""
                )
            if not is_folder:
                yield relative, path
            elif path not in above:
                # Otherwise a link to a folder that holds it: it would go round in circles.
                waiting.append((path, relative + "/", above | {path}))


def _entries(folder: Path, prefix: str, real_root: Path) -> Iterator[tuple[str, Path, bool]]:
    """What of a folder counts, and whether it is a folder itself."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.startswith(".") or entry.name in _SKIPPED_FOLDERS:
                    continue
                relative, path = prefix + entry.name, folder / entry.name
                if entry.is_symlink():
                    path = _followed(path, real_root, relative)
                if path.is_dir():
                    yield relative, path, True
                elif relative.endswith(_HASHED_SUFFIXES) and path.is_file():
                    yield relative, path, False
    except OSError as error:
        raise _unreadable(prefix.rstrip("/"), error) from None


def _followed(link: Path, real_root: Path, relative: str) -> Path:
    try:
        target = link.resolve(strict=True)
    except (OSError, RuntimeError):
        raise SourcesError(
            f"{relative!r} is a symbolic link that leads nowhere.", file=relative
        ) from None
    if not target.is_relative_to(real_root):
        raise SourcesError(
            f"{relative!r} is a symbolic link that leads out of the package.", file=relative
        )
    return target


def _read(path: Path, relative: str) -> bytes:
    try:
        with path.open("rb") as stream:
            content = stream.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise _unreadable(relative, error) from None
    if len(content) > MAX_FILE_BYTES:
        raise SourcesError(
            f"{relative!r} has more than {MAX_FILE_BYTES // 1024**2} MB.", file=relative
        )
    return content


def _unreadable(relative: str, error: OSError) -> SourcesError:
    named = repr(relative) if relative else "The package's folder"
    return SourcesError(f"{named} cannot be read: {error.strerror}.", file=relative)
