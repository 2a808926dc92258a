"""Fixes written to the files of packages: each file whole or not at all."""

import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from covel_host.base.paths import OutsideFolder, resolve_inside
from covel_host.diagnostics.diagnostic import Diagnostic
from covel_host.diagnostics.fixes import FileChange, FixPlan, files_of

_MAX_ROUNDS: Final = 10
"""Two fixes that undo each other would never come to an end."""


@dataclass(frozen=True, slots=True)
class NotWritten:
    """A change that was not made, and why; the file is as it was."""

    change: FileChange
    reason: str


@dataclass(frozen=True, slots=True)
class FixOutcome:
    """The problems that were fixed, and the changes that could not be written."""

    fixed: tuple[Diagnostic, ...]
    not_written: tuple[NotWritten, ...]


def write_fixes(plan: FixPlan, *, roots: Mapping[str, Path]) -> tuple[NotWritten, ...]:
    """Make the changes of `plan` below the package folders `roots`, by plugin; returns the rest.

    A file is replaced in one step by a new one with the same rights, so that no reader ever sees
    half of it. A file that changed since it was read, or that leads out of its package, stays. A
    linked file is changed where it lies, the link stays.
    """
    return tuple(
        NotWritten(change, reason)
        for change in plan.changes
        if (reason := _not_written(change, roots[change.plugin])) is not None
    )


def _not_written(change: FileChange, root: Path) -> str | None:
    """Why `change` was not made; `None` when it was."""
    try:
        place = resolve_inside(root, change.file)
        if change.before != change.after:
            reason = _rewrite(place, change)
            if reason is not None:
                return reason
        return _rename(root, change) if change.new_file != change.file else None
    except OutsideFolder:
        return "it leads out of the package"
    except OSError as error:
        return error.strerror or str(error)


def _rewrite(place: Path, change: FileChange) -> str | None:
    if change.before is None or change.after is None:
        return "its text is not known"
    if place.read_bytes() != change.before.encode("utf-8"):
        return "it changed since it was read"
    _replace(place, change.after.encode("utf-8"))
    return None


def _replace(place: Path, data: bytes) -> None:
    """`place` with `data` as its content, its rights kept."""
    handle, name = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(name, place.stat().st_mode & 0o7777)
        os.replace(name, place)
    except BaseException:
        _remove(name)
        raise


def _remove(name: str) -> None:
    try:
        os.unlink(name)
    except OSError:
        return


def _rename(root: Path, change: FileChange) -> str | None:
    """Give the file its new name; where another file has it already, nothing is done."""
    old, new = root / change.file, root / change.new_file
    resolve_inside(root, change.new_file)
    # On a file system that ignores case the old name answers to the new one, too.
    if os.path.lexists(new) and not os.path.samefile(old, new):
        return f"{change.new_file} is there already"
    os.rename(old, new)
    return None


def settle(read: Callable[[], FixPlan], *, roots: Mapping[str, Path]) -> FixOutcome:
    """Fix, read again and fix what that shows, until nothing is left to fix.

    `read` gives the plan for the files as they are now. A round in which a change could not be
    written is the last one.
    """
    fixed: list[Diagnostic] = []
    for _ in range(_MAX_ROUNDS):
        plan = read()
        if not plan.changes:
            break
        failed = write_fixes(plan, roots=roots)
        unchanged = {(missed.change.plugin, missed.change.file) for missed in failed}
        fixed += (found for found in plan.fixed if not files_of(found) & unchanged)
        if failed:
            return FixOutcome(tuple(fixed), failed)
    return FixOutcome(tuple(fixed), ())
