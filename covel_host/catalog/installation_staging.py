"""The place beside the packages where a new one is made, and its move to where it is found.

Discovery passes over names that begin with a dot, so nothing half-made is ever a package.
"""

import contextlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from covel_host.catalog.installation_exchange import exchange
from covel_host.catalog.installation_lock import locked_folder

PREFIX: Final = ".covel-install-"
_NEW: Final = "new"
_OLD: Final = "old"


@contextlib.contextmanager
def staging_in(folder: Path) -> Iterator[Path]:
    """A new empty folder in `folder`, on its file system; gone at the end, whatever happens.

    `folder` is made when it is missing, and goes again when nothing came into it. What a killed
    process left behind is put right first. One process at a time is here.

    Raises:
        FolderBusyError: another process kept the folder.
        OSError: it cannot be written.
    """
    made = _missing(folder)
    try:
        with locked_folder(folder):
            _put_right(folder)
            staging = Path(tempfile.mkdtemp(dir=folder, prefix=PREFIX))
            try:
                yield staging
            finally:
                _remove(staging)
    finally:
        for place in made:
            with contextlib.suppress(OSError):
                place.rmdir()


def new_content(staging: Path) -> Path:
    """The folder in which the files of the new package are written."""
    content = staging / _NEW
    content.mkdir()
    return content


def put_in_place(content: Path, target: Path) -> None:
    """Move `content` to `target`; what is there goes to the staging folder, only if that succeeds.

    Raises:
        OSError: it cannot be moved; `target` is as it was.
    """
    if not os.path.lexists(target):
        content.rename(target)
        return
    if exchange(content, target):
        return
    # A process that dies between the two leaves the old one here, where `_put_right` finds it.
    old = take_out(target, content.parent)
    try:
        content.rename(target)
    except BaseException:
        old.rename(target)
        raise


def take_out(target: Path, staging: Path) -> Path:
    """Move the package at `target`, or the link that it is, to the staging folder; where it is."""
    old = staging / _OLD / target.name
    old.parent.mkdir()
    target.rename(old)
    return old


def _missing(folder: Path) -> list[Path]:
    """The folders that have to be made for `folder`, the innermost first."""
    return [place for place in (folder, *folder.parents) if not place.exists()]


def _put_right(folder: Path) -> None:
    """End what a killed process had begun: nobody else is at work, the folder is locked."""
    for staging in folder.glob(f"{PREFIX}*"):
        for old in (staging / _OLD).glob("*") if (staging / _NEW).exists() else ():
            # It died while one package took the place of another.
            if not os.path.lexists(folder / old.name):
                old.rename(folder / old.name)
        _remove(staging)


def _remove(staging: Path) -> None:
    """Remove the folder with all that is in it, folders that may not be written, too."""
    for place, folders, _ in os.walk(staging):
        for name in folders:
            path = Path(place, name)
            if not path.is_symlink():
                with contextlib.suppress(OSError):
                    path.chmod(stat.S_IRWXU)
    shutil.rmtree(staging, ignore_errors=True)
