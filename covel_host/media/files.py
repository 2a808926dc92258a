"""The folder of media files: content-addressed, whole files only."""

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile

from covel_host.media.errors import MediaMissing, MediaRefused, MediaUnusable
from covel_host.media.sniffing import checked_mime

MAX_FILE_BYTES = 20 * 1024 * 1024
"""Limit of one file (spec/world.md 7.6)."""

_ID = re.compile(r"[0-9a-f]{64}")
_UNFINISHED = ".unfinished"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFile:
    """A file that is stored: what a `MediaRef` says of it."""

    media_id: str
    mime: str
    size_bytes: int


class MediaFiles:
    """The files under one folder, `COVEL_HOME/media`. All methods block; call them off the loop.

    A file lies at `<first two digits>/<hash>`. Writers of equal content end with one file,
    whichever comes first; a crash leaves a whole file or an unfinished one that nothing reads.
    Several threads and processes may use one folder at once.
    """

    def __init__(self, root: Path, *, max_file_bytes: int = MAX_FILE_BYTES) -> None:
        self._root = root
        self._max_file_bytes = max_file_bytes

    @property
    def root(self) -> Path:
        """The folder, which need not be there yet."""
        return self._root

    def put(self, data: bytes, *, declared_mime: str = "") -> StoredFile:
        """Store `data`, durably; what it is, once it is there. Equal content is stored once.

        Write the row (`store.assets.insert_asset`) afterwards, never before.

        Raises:
            MediaRefused: empty, over the limit, or of a kind that is not stored.
            MediaUnusable: the folder cannot be written; no half file is left behind.
        """
        self._check_size(len(data))
        mime = checked_mime(data, declared=declared_mime)
        media_id = hashlib.sha256(data).hexdigest()
        path = self._path(media_id)
        try:
            # A file of the right name and size may still hold other bytes after a broken disk.
            if not _holds(path, data):
                _write_whole(path, data)
        except OSError as error:
            raise self._unusable(error) from error
        return StoredFile(media_id=media_id, mime=mime, size_bytes=len(data))

    def read(self, media_id: str) -> bytes:
        """The bytes of a stored file.

        Raises:
            MediaMissing: there are none with that ID.
            MediaUnusable: the file is there and cannot be read.
        """
        try:
            return self._path(media_id).read_bytes()
        except FileNotFoundError:
            raise MediaMissing(media_id) from None
        except OSError as error:
            raise self._unusable(error) from error

    def exists(self, media_id: str) -> bool:
        """Whether the bytes are there; False for what is no ID."""
        return _ID.fullmatch(media_id) is not None and self._path(media_id).is_file()

    def delete(self, media_id: str) -> bool:
        """Delete the bytes, after the row and outside any transaction; whether they were there.

        Raises:
            MediaUnusable: the file cannot be deleted.
        """
        try:
            self._path(media_id).unlink()
        except (FileNotFoundError, MediaMissing):
            return False
        except OSError as error:
            raise self._unusable(error) from error
        return True

    def ids(self) -> Iterator[str]:
        """The IDs of all stored files, in no order; unfinished files are passed by."""
        for path in self._root.glob("??/*"):
            if _ID.fullmatch(path.name):
                yield path.name

    def _check_size(self, size_bytes: int) -> None:
        if size_bytes == 0:
            raise MediaRefused("The file is empty.", code="media-empty")
        if size_bytes > self._max_file_bytes:
            raise MediaRefused(
                f"The file has {size_bytes} bytes; the limit is {self._max_file_bytes} bytes.",
                code="media-too-large",
                hint="Store a smaller version of it.",
            )

    def _path(self, media_id: str) -> Path:
        # An ID comes from packages and clients: anything but a hash could leave the folder.
        if not _ID.fullmatch(media_id):
            raise MediaMissing(media_id)
        return self._root / media_id[:2] / media_id

    def _unusable(self, error: OSError) -> MediaUnusable:
        return MediaUnusable(
            f"The media folder {str(self._root)!r} cannot be used: {error}.",
            code="media-unusable",
            hint="Check its rights and the free space, or set COVEL_HOME to another folder.",
        )


def _holds(path: Path, data: bytes) -> bool:
    try:
        return path.stat().st_size == len(data) and path.read_bytes() == data
    except FileNotFoundError:
        return False


def _write_whole(path: Path, data: bytes) -> None:
    """Write beside the place, make it durable, then rename: no reader ever meets a half file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(
        dir=path.parent, prefix=f"{path.name}-", suffix=_UNFINISHED, delete=False
    ) as unfinished:
        try:
            unfinished.write(data)
            unfinished.flush()
            os.fsync(unfinished.fileno())
            os.replace(unfinished.name, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(unfinished.name)
            raise
    _make_names_durable(path.parent)


def _make_names_durable(folder: Path) -> None:
    # The row that follows must not survive a power cut that the file's name does not.
    for level in (folder, folder.parent):
        handle = os.open(level, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
