"""The files of a package that decide what it does, read once, and the hash that trust is bound to.

Modules are later compiled from these very bytes, never from the disk: what runs is what was hashed,
and a running generation never sees half of an edit (design/traps.md, Loading).
"""

import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

MAX_FILES = 5_000
MAX_FILE_BYTES = 10 * 1024 * 1024

_HASHED_SUFFIXES = (".py", ".md", ".json", ".yaml", ".yml")
_SKIPPED_FOLDERS = frozenset({"__pycache__", "node_modules"})


class SourcesError(ValueError):
    """A package's files cannot be read; `file` is relative to the package, "" for the whole."""

    def __init__(self, message: str, *, file: str) -> None:
        super().__init__(message)
        self.message = message
        self.file = file


@dataclass(frozen=True, slots=True)
class PackageSources:
    """What was read.

    `modules` maps the path of every `.py` file, relative and with `/`, to its bytes, `documents`
    that of every `.json` file. `content_hash` is the hexadecimal SHA-256 over path and bytes of
    every `.py`, `.md`, `.json` and `.yaml` file, in code-point order of the paths.
    """

    root: Path
    modules: Mapping[str, bytes]
    documents: Mapping[str, bytes]
    content_hash: str


def read_sources(root: Path) -> PackageSources:
    """The sources of the package at `root`.

    Names that begin with a dot and `__pycache__` folders are left out; symbolic links are followed
    as long as they stay inside the package.

    Raises:
        SourcesError: a link leads out of the package, a file is over `MAX_FILE_BYTES`, there are
            more than `MAX_FILES`, or one cannot be read.
    """
    real_root = root.resolve()
    digest = hashlib.sha256()
    modules: dict[str, bytes] = {}
    documents: dict[str, bytes] = {}
    files = sorted(_walk(real_root, real_root, ""))
    if len(files) > MAX_FILES:
        raise SourcesError(
            f"The package has {len(files)} files; at most {MAX_FILES} are read.", file=""
        )
    for relative, path in files:
        content = _read(path, relative)
        digest.update(f"{len(relative)}:{relative}:{len(content)}:".encode())
        digest.update(content)
        if relative.endswith(".py"):
            modules[relative] = content
        elif relative.endswith(".json"):
            documents[relative] = content
    return PackageSources(real_root, modules, documents, digest.hexdigest())


def _walk(folder: Path, real_root: Path, prefix: str) -> Iterator[tuple[str, Path]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(".") or entry.name in _SKIPPED_FOLDERS:
                continue
            relative = prefix + entry.name
            path = Path(entry.path)
            if entry.is_symlink():
                path = _followed(path, real_root, relative)
            if path.is_dir():
                # A link to a folder that holds it would walk in circles.
                if entry.is_symlink() and folder.is_relative_to(path):
                    continue
                yield from _walk(path, real_root, relative + "/")
            elif entry.name.endswith(_HASHED_SUFFIXES) and path.is_file():
                yield relative, path


def _followed(link: Path, real_root: Path, relative: str) -> Path:
    target = link.resolve()
    if not target.is_relative_to(real_root):
        raise SourcesError(
            f"{relative!r} is a symbolic link that leads out of the package.", file=relative
        )
    return target


def _read(path: Path, relative: str) -> bytes:
    try:
        size = path.stat().st_size
        if size > MAX_FILE_BYTES:
            raise SourcesError(
                f"{relative!r} has {size} bytes; at most {MAX_FILE_BYTES} are read.", file=relative
            )
        return path.read_bytes()
    except OSError as error:
        raise SourcesError(
            f"{relative!r} cannot be read: {error.strerror}.", file=relative
        ) from None
