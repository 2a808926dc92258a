"""Results of validation kept as long as nothing in the package changes."""

import os
import pickle
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Final

from covel_host.diagnostics.diagnostic import Diagnostic
from covel_host.manifest.validation import validate_folder

SETTLED_NS: Final = 2_000_000_000
"""How old the last change of a package must be for its result to be kept: file systems that count
in two seconds show two changes within that time as one."""


@dataclass(frozen=True, slots=True)
class _Kept:
    digest: bytes
    diagnostics: bytes


class ValidationCache:
    """Validates packages, and knows without reading a file when nothing of them changed.

    A result is kept with a digest of what the file system says of every file and folder of the
    package. Results are kept as bytes (0.2 KB for a package without problems) and made into
    objects when they are asked for; files that problems lie in are read again for excerpts.
    One instance is used by one thread.
    """

    def __init__(self, *, now_ns: Callable[[], int] = time.time_ns) -> None:
        self._now_ns = now_ns
        self._kept: dict[tuple[str, str | None], _Kept] = {}

    def diagnostics(self, root: Path, *, plugin_id: str | None = None) -> tuple[Diagnostic, ...]:
        """The problems of the package at `root`, as `validate_folder` finds them."""
        key = (os.path.abspath(root), plugin_id)
        kept = self._kept.get(key)
        seen = _look(key[0], before_ns=self._now_ns() - SETTLED_NS)
        if kept is not None and kept.digest == seen:
            found: tuple[Diagnostic, ...] = pickle.loads(kept.diagnostics)
            return found
        diagnostics = validate_folder(root, plugin_id=plugin_id).diagnostics
        if seen is None:
            self._kept.pop(key, None)
        else:
            self._kept[key] = _Kept(seen, pickle.dumps(diagnostics, pickle.HIGHEST_PROTOCOL))
        return diagnostics


def _look(root: str, *, before_ns: int) -> bytes | None:
    """A digest of all entries below `root`; `None` when one changed after `before_ns`.

    It is taken before the files are read: a change in between shows in the next digest.
    """
    digest = blake2b(digest_size=16)
    try:
        for line, changed_ns in _entries(root):
            if changed_ns > before_ns:
                return None
            digest.update(line)
    except OSError:
        # What cannot be looked at is validated anew each time.
        return None
    return digest.digest()


def _entries(root: str) -> Iterator[tuple[bytes, int]]:
    """Each entry below `root` with all that tells a change of it, and when it last changed.

    Links are not followed but named by where they lead and whether anything is there: no rule
    reads what lies outside the package, and a target inside it is an entry of its own.
    """
    folders = [root]
    while folders:
        folder = folders.pop()
        with os.scandir(folder) as listed:
            entries = sorted(listed, key=lambda entry: entry.name)
        for entry in entries:
            facts = entry.stat(follow_symlinks=False)
            leads_to = _end_of_link(entry.path) if entry.is_symlink() else ""
            line = (
                f"{entry.path}\0{leads_to}\0{facts.st_mode},{facts.st_ino},{facts.st_size},"
                f"{facts.st_mtime_ns},{facts.st_ctime_ns}\n"
            )
            yield os.fsencode(line), max(facts.st_mtime_ns, facts.st_ctime_ns)
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)


def _end_of_link(path: str) -> str:
    return f"{os.readlink(path)}\0{os.path.realpath(path)}\0{os.path.exists(path)}"
