"""Why a package is not installed or not removed: stable codes, each with what it means."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from covel_host.base.errors import HostError
from covel_host.diagnostics.diagnostic import Diagnostic
from covel_host.manifest.reading import PackageReading

MAX_ARCHIVE_BYTES: Final = 20 * 1024 * 1024
MAX_ENTRIES: Final = 2_000
MAX_CONTENT_BYTES: Final = 200 * 1024 * 1024
MAX_EXPANSION: Final = 100
"""How many times its own size an archive may hold."""
MAX_NAME_LENGTH: Final = 512
"""Characters of an entry's whole path (these limits: spec/manifest.md 15.1)."""

REFUSALS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "source-unreadable": "there is no such file or folder, or it cannot be read",
        "archive-unreadable": "the file is no ZIP archive, is damaged, or uses ZIP64 or several "
        "disks",
        "archive-too-large": "the archive has more than 20 MB",
        "too-many-entries": "there are more than 2,000 files and folders",
        "too-much-content": "the files have more than 200 MB, as declared or as read",
        "expands-too-much": "the archive holds more than 100 times its own size",
        "entry-encrypted": "a file of the archive is encrypted",
        "entry-compression": "a file is compressed in another way than deflate",
        "entry-name": "a name is empty, too long, not UTF-8, holds control or unseen characters, "
        "or is not the same name on every system",
        "entry-outside": "a name is absolute, begins with a drive letter, or has `..` in it",
        "entry-not-a-file": "a symbolic link, a device, a pipe or a socket",
        "entry-duplicate": "a name stands twice, or is a file and a folder",
        "entry-clash": "two names differ only in case or in how an accent is written",
        "reserved-file": "a file has a name that the host keeps for itself, `.covel-install.json`",
        "nested-root": "the package lies in a folder of the archive; it belongs at its root",
        "manifest-missing": "there is no `PLUGIN.md` at the root",
        "id-invalid": "neither `--id`, the manifest's `id` nor the name of what is installed is an "
        "ID",
        "id-reserved": "a bundled package has this ID",
        "package-invalid": "the validator found errors, or the host's version does not fit",
        "already-installed": "there is a package of this ID; `--replace` puts the new one in its "
        "place",
        "not-installed": "no package of this ID is in the user's folder",
        "bundled-package": "the package comes with the host; it can be disabled, not removed",
        "place-unusable": "the user's folder cannot be written",
    }
)
"""Every code with which `covel install` and `covel uninstall` refuse."""


class InstallationRefused(HostError):
    """Nothing was changed; `code` is one of `REFUSALS`.

    For `package-invalid` there are `diagnostics`, and `reading` holds the texts they lie in.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        hint: str | None = None,
        diagnostics: tuple[Diagnostic, ...] = (),
        reading: PackageReading | None = None,
    ) -> None:
        super().__init__(message, code=code, hint=hint)
        self.diagnostics = diagnostics
        self.reading = reading


def unusable_place(folder: Path, error: OSError) -> InstallationRefused:
    """The refusal for a folder that the system does not let us write."""
    return InstallationRefused(
        "place-unusable",
        f"{str(folder)!r} cannot be written: {error.strerror or error}.",
        hint="Check its rights and the space on its disk, or set COVEL_USER_PLUGINS_DIR.",
    )


def megabytes(size_bytes: int) -> str:
    """A limit for people."""
    return f"{size_bytes // 1024**2} MB"
