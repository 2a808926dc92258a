"""The folders of media that a pack names (spec/world.md 7.6)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from covel_host.diagnostics.diagnostic import Diagnostic
from covel_host.worlds.pack_files import PathProblem
from covel_host.worlds.reading import PackReading
from covel_host.worlds.sources import Source

MEDIA_SUFFIXES: Final = (".png", ".jpg", ".jpeg", ".webp", ".gif", ".mp3", ".wav")
MAX_MEDIA_BYTES: Final = 20 * 1024 * 1024
MAX_MEDIA_TOTAL_BYTES: Final = 100 * 1024 * 1024


def media_problems(source: Source, reading: PackReading) -> Iterator[Diagnostic]:
    """What is wrong with the folder of a media source (spec/world.md 7.6)."""
    try:
        folder = reading.files.path(source.entry.path)
    except PathProblem as problem:
        yield source.report(problem.name, f"{problem}.", "path", hint=problem.hint)
        return
    if not _is_folder(folder):
        message = f"The world pack has no folder {source.entry.path!r}."
        yield source.report("file-not-found", message, "path")
        return
    total_bytes = 0
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        size_bytes = path.stat().st_size if path.is_file() else 0
        total_bytes += size_bytes
        name = f"{source.entry.path.rstrip('/')}/{path.name}"
        if not path.is_file():
            message = f"{name} is no file; the folder of a media source has one level."
            yield source.report("world-media", message, "path")
        elif path.suffix.lower() not in MEDIA_SUFFIXES:
            kinds = ", ".join(MEDIA_SUFFIXES)
            message = f"{name} is of a kind that is not taken; expected one of {kinds}."
            yield source.report("world-media", message, "path")
        elif size_bytes > MAX_MEDIA_BYTES:
            message = f"{name} has {size_bytes:,} bytes; the limit is {MAX_MEDIA_BYTES:,}."
            yield source.report("world-media", message, "path")
    if total_bytes > MAX_MEDIA_TOTAL_BYTES:
        message = f"{source.entry.path} has {total_bytes:,} bytes; the limit of one source is "
        yield source.report("world-media", f"{message}{MAX_MEDIA_TOTAL_BYTES:,}.", "path")


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False
