"""A folder copied as a package: regular files only, whatever happens to their names meanwhile."""

import os
import stat
from pathlib import Path
from typing import Final

from covel_host.catalog.installation_content import Content
from covel_host.catalog.installation_names import clean_name, left_out_part, shown
from covel_host.catalog.installation_refusals import InstallationRefused

# Not through a link, and not waiting for the other end of a pipe.
_OPEN: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def copy_folder(folder: Path, content: Content) -> None:
    """Write the files of `folder` to `content`, without following links.

    Raises:
        InstallationRefused: a code of an entry; files may have been written.
        OSError: something cannot be read or written.
    """
    waiting = [""]
    while waiting:
        prefix = waiting.pop()
        with os.scandir(folder / prefix) as entries:
            listed = sorted(entries, key=lambda entry: entry.name)
        for entry in listed:
            if "\\" in entry.name:
                raise InstallationRefused(
                    "entry-name", f"The name {shown(entry.name)} holds a backslash."
                )
            path = clean_name(prefix + entry.name)
            if (part := left_out_part(path)) is not None:
                content.left_out.add(part)
                continue
            content.size.add_entry()
            is_folder = entry.is_dir(follow_symlinks=False)
            content.names.add(path, is_folder=is_folder)
            if is_folder:
                waiting.append(f"{path}/")
            else:
                _copy(Path(entry.path), path, content)


def _copy(source: Path, path: str, content: Content) -> None:
    if not stat.S_ISREG(source.lstat().st_mode):
        raise _no_file(path, source)
    descriptor = os.open(source, _OPEN)
    with open(descriptor, "rb") as stream:
        # Again on what was opened: the name may have come to stand for something else.
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise _no_file(path, source)
        content.write(path, stream)


def _no_file(path: str, source: Path) -> InstallationRefused:
    is_link = source.is_symlink()
    return InstallationRefused(
        "entry-not-a-file",
        f"{shown(path)} is {'a symbolic link' if is_link else 'no regular file'}; only files are "
        "installed.",
        hint="Copy the file to its place." if is_link else None,
    )
