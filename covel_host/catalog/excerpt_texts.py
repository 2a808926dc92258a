"""The texts of a package, for problems shown with the lines they lie in."""

from functools import cache

from covel_host.catalog.sources import MAX_FILE_BYTES
from covel_host.diagnostics.formats import SourceLookup
from covel_host.diagnostics.source import SourceText
from covel_host.manifest.reading import PackageReading


def texts_of(reading: PackageReading) -> SourceLookup:
    """Finds the manifests of a package as they were read, and its modules as they are now."""

    @cache
    def find(plugin: str, file: str) -> SourceText | None:
        return reading.source(file) or _module(reading, file)

    return find


def _module(reading: PackageReading, file: str) -> SourceText | None:
    path = reading.root / file
    if path.suffix != ".py":
        return None
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            return None
        return SourceText(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        return None
