"""Network file systems told from the table of mounts."""

from pathlib import Path

import pytest

from covel_host.catalog.watching_mounts import silent_file_system

MOUNTS = r"""
/dev/root / ext4 rw 0 0
server:/x /mnt/share nfs4 rw 0 0
me@far:/ /mnt/with\040space fuse.sshfs rw 0 0
tmpfs /mnt/share/local tmpfs rw 0 0
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/home/me/plugins", None),
        ("/mnt/share", "nfs4"),
        ("/mnt/share/deep/plugins", "nfs4"),
        ("/mnt/shared", None),
        ("/mnt/share/local/plugins", None),
        ("/mnt/with space/plugins", "fuse.sshfs"),
    ],
)
def test_the_nearest_mount_decides(folder: str, kind: str | None) -> None:
    assert silent_file_system([folder], mounts=MOUNTS) == kind


def test_one_silent_folder_is_enough() -> None:
    assert silent_file_system(["/home", "/mnt/share"], mounts=MOUNTS) == "nfs4"


@pytest.mark.parametrize("mounts", ["", "garbage", "a b"])
def test_an_unreadable_table_says_nothing(mounts: str) -> None:
    assert silent_file_system(["/x"], mounts=mounts) is None


def test_this_machine_has_an_answer(tmp_path: Path) -> None:
    assert silent_file_system([]) is None
