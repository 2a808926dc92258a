"""A ZIP archive taken apart: everything is checked before the first file is written."""

import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from covel_host.catalog.installation_content import Content, ContentSize, too_many_entries
from covel_host.catalog.installation_names import clean_name, left_out_part, shown
from covel_host.catalog.installation_refusals import (
    MAX_ARCHIVE_BYTES,
    MAX_ENTRIES,
    InstallationRefused,
    megabytes,
)

_ENCRYPTED: Final = 0x1 | 0x40 | 0x2000
"""Flags: encrypted, strongly encrypted, with an encrypted directory."""
_METHODS: Final = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})

_END: Final = struct.Struct("<4sHHHHLLH")
_END_MARK: Final = b"PK\x05\x06"
_ZIP64_MARK: Final = b"PK\x06\x07"
_ZIP64_LOCATOR_BYTES: Final = 20
_ENTRY: Final = struct.Struct("<4s24xHHH12x")
_ENTRY_MARK: Final = b"PK\x01\x02"
_MAX_COMMENT: Final = 65_535

# What `zipfile` raises over what is no archive, or one that says what is not so.
_DAMAGED: Final = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    OverflowError,
    RuntimeError,
    ValueError,
)


def read_archive(path: Path) -> bytes:
    """The whole archive, read once: what is checked is what is taken apart.

    Raises:
        InstallationRefused: `archive-too-large`.
        OSError: it cannot be read.
    """
    with path.open("rb") as stream:
        archive = stream.read(MAX_ARCHIVE_BYTES + 1)
    if len(archive) > MAX_ARCHIVE_BYTES:
        raise InstallationRefused(
            "archive-too-large", f"The archive has more than {megabytes(MAX_ARCHIVE_BYTES)}."
        )
    return archive


def unpack(archive: bytes, content: Content) -> None:
    """Write the files of the archive to `content`.

    Raises:
        InstallationRefused: a code of an archive or an entry; files may have been written.
        OSError: a file cannot be written.
    """
    _check_directory(archive)
    try:
        with zipfile.ZipFile(io.BytesIO(archive), metadata_encoding="utf-8") as opened:
            for entry, path in list(_checked(opened, content, len(archive))):
                with opened.open(entry) as stream:
                    content.write(path, stream)  # type: ignore[arg-type]  # reads like one
    except UnicodeDecodeError:
        raise InstallationRefused(
            "entry-name", "A name in the archive is not UTF-8.", hint="Make the archive anew."
        ) from None
    except _DAMAGED as error:
        raise _damaged(f"{error}".rstrip(".")) from error


def _checked(
    opened: zipfile.ZipFile, content: Content, archive_bytes: int
) -> Iterator[tuple[zipfile.ZipInfo, str]]:
    """The entries to write, with their paths, once all have been looked at."""
    declared = ContentSize(archive_bytes)
    for entry in opened.infolist():
        declared.add_entry()
        # `filename` has been altered: cut at a NUL, or taken from an extra field.
        path = clean_name(entry.orig_filename)
        is_folder = _is_folder(entry)
        if (part := left_out_part(path)) is not None:
            content.left_out.add(part)
            continue
        if not is_folder:
            _check_readable(entry)
            declared.add_bytes(entry.file_size)
        if path:
            content.names.add(path, is_folder=is_folder)
        if not is_folder:
            yield entry, path


def _is_folder(entry: zipfile.ZipInfo) -> bool:
    """Whether the entry is a folder; anything but a folder or a regular file is refused."""
    name = entry.orig_filename.replace("\\", "/")
    kind = stat.S_IFMT(entry.external_attr >> 16)
    is_folder = name.endswith("/")
    if kind not in (0, stat.S_IFDIR if is_folder else stat.S_IFREG):
        raise InstallationRefused(
            "entry-not-a-file",
            f"{shown(name)} is {_KINDS.get(kind, 'no regular file')}; only files are installed.",
        )
    return is_folder


def _check_readable(entry: zipfile.ZipInfo) -> None:
    name = shown(entry.orig_filename)
    if entry.flag_bits & _ENCRYPTED:
        raise InstallationRefused(
            "entry-encrypted", f"{name} is encrypted.", hint="Make the archive without a password."
        )
    if entry.compress_type not in _METHODS:
        raise InstallationRefused(
            "entry-compression",
            f"{name} is compressed by method {entry.compress_type}; stored and deflated files can "
            "be read.",
        )


_KINDS: Final = {
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFDIR: "marked as a folder",
    stat.S_IFREG: "marked as a file",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
}


def _check_directory(archive: bytes) -> None:
    """Refuse what would take long only to be listed: 20 MB hold 400,000 empty entries."""
    end = archive.rfind(_END_MARK, max(0, len(archive) - _END.size - _MAX_COMMENT))
    if end < 0 or end + _END.size > len(archive):
        raise _damaged("it does not end as a ZIP archive does")
    _, disk, first_disk, _, _, size_bytes, _, _ = _END.unpack_from(archive, end)
    locator = end - _ZIP64_LOCATOR_BYTES
    if archive[max(0, locator) : end].startswith(_ZIP64_MARK) or disk or first_disk:
        raise _damaged("it uses ZIP64 or several disks, which no archive of this size needs")
    place, count = end - size_bytes, 0
    while 0 <= place <= end - _ENTRY.size:
        mark, name, extra, comment = _ENTRY.unpack_from(archive, place)
        if mark != _ENTRY_MARK:
            break
        place += _ENTRY.size + name + extra + comment
        count += 1
        if count > MAX_ENTRIES:
            raise too_many_entries()


def _damaged(why: str) -> InstallationRefused:
    return InstallationRefused("archive-unreadable", f"The archive cannot be read: {why}.")
