"""Folders whose file system does not tell what other machines change in it."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

_MOUNTS: Final = Path("/proc/mounts")
_SILENT: Final = frozenset(
    {
        "9p", "afs", "afpfs", "cifs", "ceph", "davfs", "drvfs", "fuse.sshfs", "fuse.rclone",
        "fuse.s3fs", "glusterfs", "lustre", "ncpfs", "nfs", "nfs4", "prl_fs", "smb3", "smbfs",
        "vboxsf", "virtiofs", "vmhgfs", "fuse.vmhgfs-fuse",
    }
)  # fmt: skip


def silent_file_system(folders: Iterable[str], *, mounts: str | None = None) -> str | None:
    """The type of the first file system of `folders` that tells of no foreign changes, or None.

    `mounts` is the text of `/proc/mounts`; systems without that file give None.
    """
    if mounts is None:
        try:
            mounts = _MOUNTS.read_text(encoding="utf-8", errors="surrogateescape")
        except OSError:
            return None
    points = _mount_points(mounts)
    for folder in folders:
        kind = _kind_of(folder, points)
        if kind in _SILENT:
            return kind
    return None


def _mount_points(mounts: str) -> dict[str, str]:
    """Types by mount point; a later mount hides an earlier one."""
    points = {}
    for line in mounts.splitlines():
        fields = line.split(" ")
        if len(fields) >= 3:
            points[_unescaped(fields[1])] = fields[2]
    return points


def _unescaped(point: str) -> str:
    for code, char in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        point = point.replace(code, char)
    return point


def _kind_of(folder: str, points: dict[str, str]) -> str | None:
    path = os.path.realpath(folder)
    while path not in points:
        above = os.path.dirname(path)
        if above == path:
            return None
        path = above
    return points[path]
