"""The names of what is installed: which are refused, which are left out, which clash."""

import re
import unicodedata
from typing import Final

from covel_host.catalog.installation_refusals import MAX_NAME_LENGTH, InstallationRefused

RESERVED_FILE: Final = ".covel-install.json"
MAX_SEGMENT_BYTES: Final = 255
"""What file systems take as the name of one file."""

_LEFT_OUT: Final = frozenset({"__pycache__", "node_modules", "__MACOSX"})
_DRIVE: Final = re.compile(r"[A-Za-z]:")
# Control characters, halves of surrogate pairs, and the separators that end a line.
_REFUSED_CATEGORIES: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})
_REFUSED_MARKS: Final = '<>:"|?*'
_DEVICES: Final = frozenset(
    {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))}
)
# Marks of direction, and what has no width; joiners stay, which some scripts are written with.
_UNSEEN: Final = frozenset(
    "\u00ad\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060"
    "\u2066\u2067\u2068\u2069\ufeff"
)
_SHOWN: Final = 80


def clean_name(written: str) -> str:
    """The path that an entry's name stands for: relative, with `/`, without `.` segments.

    Backslashes count as slashes (spec/manifest.md 15.1). A name that ends with a slash is that of a
    folder; the path is without it. Empty for the root itself.

    Raises:
        InstallationRefused: `entry-name` or `entry-outside`.
    """
    name = written.replace("\\", "/")
    if not 0 < len(name) <= MAX_NAME_LENGTH:
        raise _refused("entry-name", written, f"has {len(name)} characters; 1 to 512 are expected")
    if any(unicodedata.category(character) in _REFUSED_CATEGORIES for character in name):
        raise _refused("entry-name", written, "holds control characters")
    if name.startswith("/") or _DRIVE.match(name):
        raise _refused("entry-outside", written, "is absolute")
    segments = [segment for segment in name.split("/") if segment not in ("", ".")]
    if not segments and not name.endswith("/"):
        raise _refused("entry-name", written, "names no file")
    if ".." in segments:
        raise _refused("entry-outside", written, "leads to a folder above")
    if any(len(segment.encode("utf-8")) > MAX_SEGMENT_BYTES for segment in segments):
        raise _refused("entry-name", written, "has a part of more than 255 bytes")
    for segment in segments:
        if (odd := _not_kept_everywhere(segment)) is not None:
            raise _refused("entry-name", written, odd)
    if RESERVED_FILE in segments:
        raise InstallationRefused(
            "reserved-file", f"{shown(written)} is a name that the host keeps for itself."
        )
    return "/".join(segments)


def _not_kept_everywhere(segment: str) -> str | None:
    """Why one part of a path is another name on other systems, or reads as another one."""
    if segment.endswith((".", " ")):
        return "has a part that ends with a dot or a space, which not every system keeps"
    if any(mark in segment for mark in _REFUSED_MARKS):
        return f"holds one of the characters {_REFUSED_MARKS}, which not every system takes"
    if segment.partition(".")[0].rstrip().lower() in _DEVICES:
        return "has a part that is a device on some systems"
    if any(character in _UNSEEN for character in segment):
        return "holds characters that are not seen or turn the text around"
    return None


def left_out_part(path: str) -> str | None:
    """The part of `path` for which it is not installed, `None` for what is.

    What begins with a dot is no part of a package's content hash, so nothing of it may be there
    when the package is trusted; nor is what the host never reads.
    """
    segments = path.split("/")
    for place, segment in enumerate(segments, start=1):
        if segment.startswith(".") or segment in _LEFT_OUT:
            return "/".join(segments[:place])
    return None


def shown(name: str) -> str:
    """A name for a message: without characters that could mislead, and not too long."""
    return repr(name if len(name) <= _SHOWN else f"{name[: _SHOWN - 1]}…")


class EntryNames:
    """The paths of one package, each once, also where case or accents are not told apart."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._taken: set[str] = set()
        self._folders: set[str] = set()

    def add(self, path: str, *, is_folder: bool = False) -> None:
        """Take in one more path, and the folders that it lies in.

        Raises:
            InstallationRefused: `entry-duplicate` or `entry-clash`.
        """
        above, _, _ = path.rpartition("/")
        while above and above not in self._folders:
            self._take(above, is_folder=True)
            above, _, _ = above.rpartition("/")
        if not (is_folder and path in self._folders):
            self._take(path, is_folder=is_folder)

    def _take(self, path: str, *, is_folder: bool) -> None:
        before = self._known.setdefault(_folded(path), path)
        if before != path:
            raise InstallationRefused(
                "entry-clash",
                f"{shown(path)} and {shown(before)} are one name on systems that do not tell case "
                "or accents apart.",
                hint="Rename one of them.",
            )
        if path in self._taken:
            is_same = is_folder == (path in self._folders)
            kind = "there twice" if is_same else "a file and a folder"
            raise InstallationRefused("entry-duplicate", f"{shown(path)} is {kind}.")
        self._taken.add(path)
        if is_folder:
            self._folders.add(path)


def _folded(path: str) -> str:
    """One spelling for all paths that are canonically equal ignoring case."""
    decomposed = unicodedata.normalize("NFD", path).casefold()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", decomposed).casefold())


def _refused(code: str, name: str, why: str) -> InstallationRefused:
    return InstallationRefused(code, f"The name {shown(name)} {why}.")
