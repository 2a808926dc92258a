"""Files on their way into a package: counted, measured, written below one folder."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final

from covel_host.catalog.installation_names import EntryNames
from covel_host.catalog.installation_refusals import (
    MAX_CONTENT_BYTES,
    MAX_ENTRIES,
    MAX_EXPANSION,
    InstallationRefused,
    megabytes,
)

_CHUNK_BYTES: Final = 256 * 1024


@dataclass(slots=True)
class ContentSize:
    """How much has been met; each addition refuses what is over a limit.

    `archive_bytes` is the size of the archive that it comes out of, `None` for a folder.
    """

    archive_bytes: int | None = None
    entries: int = 0
    total_bytes: int = 0

    def add_entry(self) -> None:
        """One more file or folder."""
        self.entries += 1
        if self.entries > MAX_ENTRIES:
            raise too_many_entries()

    def add_bytes(self, size_bytes: int) -> None:
        """That many more bytes of content, declared or read."""
        self.total_bytes += size_bytes
        if self.total_bytes > MAX_CONTENT_BYTES:
            raise InstallationRefused(
                "too-much-content", f"The files have more than {megabytes(MAX_CONTENT_BYTES)}."
            )
        allowed = None if self.archive_bytes is None else self.archive_bytes * MAX_EXPANSION
        if allowed is not None and self.total_bytes > allowed:
            raise InstallationRefused(
                "expands-too-much",
                f"The archive of {self.archive_bytes:,} bytes holds more than {MAX_EXPANSION} "
                "times as many.",
            )


def too_many_entries() -> InstallationRefused:
    """The refusal for more files and folders than a package has."""
    return InstallationRefused(
        "too-many-entries",
        f"There are more than {MAX_ENTRIES:,} files and folders.",
        hint="Leave out what the package does not need.",
    )


@dataclass(slots=True)
class Content:
    """The files written below `root`, by path, and what was left out, by the part that is why."""

    root: Path
    size: ContentSize
    names: EntryNames = field(default_factory=EntryNames)
    files: list[str] = field(default_factory=list)
    left_out: set[str] = field(default_factory=set)

    def write(self, path: str, stream: BinaryIO) -> None:
        """One file, its content measured as it is read; rights and times are those of a new file.

        Raises:
            InstallationRefused: it is over a limit.
            OSError: it cannot be read or written.
        """
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        # Exclusively: whatever the names say, no file is ever written over.
        with open(target, "xb") as file:
            while chunk := stream.read(_CHUNK_BYTES):
                self.size.add_bytes(len(chunk))
                file.write(chunk)
        self.files.append(path)
