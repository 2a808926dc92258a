"""The media files of a pack: found inside it, read once each, known by their content.

Spec/world.md 7.6; the type of a file is that of its bytes, whatever its name says.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final, Protocol

from covel_host.base.errors import HostError
from covel_host.diagnostics.near_names import nearest
from covel_host.worlds.models import is_locale
from covel_host.worlds.pack_files import PackFiles, PathProblem
from plugin_sdk.values import JsonObject

MEDIA_TYPES: Final[Mapping[str, str]] = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".webp": "image/webp",
    ".gif": "image/gif",
    ".mp3": "audio/mpeg",
    ".wav": "audio/wav",
}
"""What a pack may hold, by the ending of the name."""

MAX_MEDIA_BYTES: Final = 20 * 1024 * 1024
MAX_MEDIA_TOTAL_BYTES: Final = 100 * 1024 * 1024
MAX_MEDIA_FILES: Final = 2_000
"""Limits of one file, and of the bytes and the files of one folder."""


class MimeOf(Protocol):
    """Tells the type of a file by its bytes, compared with what its name declares."""

    def __call__(self, data: bytes, *, declared: str = "") -> str:
        """The type; a `HostError` says why such a file is not stored."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaFile:
    """A file that may be stored: `name` is its path in the pack, `path` its real one."""

    name: str
    path: Path
    media_id: str
    mime: str
    size_bytes: int

    @property
    def ref(self) -> JsonObject:
        """The `MediaRef` of the file (spec/media.md 1)."""
        return {"id": self.media_id, "mime": self.mime, "size": self.size_bytes}

    def bytes(self) -> bytes:
        """The content, of which no more is read than may be stored.

        Raises:
            OSError: the file cannot be read any more.
        """
        return _read(self.path)


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaFolder:
    """The files of one folder by file name, translations apart, and what is wrong with others.

    `translations` holds the files for readers of other languages: name, then locale.
    """

    files: Mapping[str, MediaFile]
    translations: Mapping[str, Mapping[str, MediaFile]]
    problems: tuple[str, ...]


class PackMedia:
    """The media folders of one pack; each is read when it is first asked for."""

    def __init__(self, files: PackFiles, mime_of: MimeOf) -> None:
        self._files = files
        self._mime_of = mime_of
        self._folders: dict[str, MediaFolder] = {}

    def folder(self, relative: str) -> MediaFolder:
        """The media files of the folder at `relative`.

        Raises:
            PathProblem: it leads out of the pack, or is no folder.
        """
        relative = relative.rstrip("/")
        known = self._folders.get(relative)
        if known is None:
            known = self._folders[relative] = self._read_folder(relative)
        return known

    def _read_folder(self, relative: str) -> MediaFolder:
        names = _names(self._files.path(relative), relative)
        problems: list[str] = []
        found: dict[str, MediaFile] = {}
        total_bytes = 0
        if len(names) > MAX_MEDIA_FILES:
            problems.append(
                f"{relative} has {len(names):,} files; the limit of one source is "
                f"{MAX_MEDIA_FILES:,}."
            )
        for name in names[:MAX_MEDIA_FILES]:
            file = self._file(f"{relative}/{name}", name)
            if isinstance(file, str):
                problems.append(file)
                continue
            total_bytes += file.size_bytes
            if total_bytes > MAX_MEDIA_TOTAL_BYTES:
                problems.append(
                    f"{relative} has more than {MAX_MEDIA_TOTAL_BYTES:,} bytes, the limit of one "
                    "source."
                )
                break
            found[name] = file
        return _sorted_out(found, problems)

    def _file(self, relative: str, name: str) -> MediaFile | str:
        """The file, or why it is not taken."""
        try:
            path = self._files.path(relative)
        except PathProblem as problem:
            return f"{problem}."
        ending = Path(name).suffix.lower()
        if not _is_file(path):
            return f"{relative} is no file; the folder of a media source has one level."
        if ending not in MEDIA_TYPES:
            kinds = ", ".join(MEDIA_TYPES)
            return f"{relative} is of a kind that is not taken; expected one of {kinds}."
        try:
            data = _read(path)
            if len(data) > MAX_MEDIA_BYTES:
                size_bytes = path.stat().st_size
                return f"{relative} has {size_bytes:,} bytes; the limit is {MAX_MEDIA_BYTES:,}."
            mime = self._mime_of(data, declared=MEDIA_TYPES[ending])
        except OSError as error:
            return f"{relative} cannot be read: {error.strerror or error}."
        except HostError as error:
            return f"{relative}: {error.message}"
        return MediaFile(
            name=relative,
            path=path,
            media_id=sha256(data).hexdigest(),
            mime=mime,
            size_bytes=len(data),
        )


def _names(folder: Path, relative: str) -> list[str]:
    try:
        return sorted(entry.name for entry in folder.iterdir() if not entry.name.startswith("."))
    except OSError:
        near = None
        if folder.parent.is_dir():
            near = nearest(folder.name, [one.name for one in folder.parent.iterdir()])
        raise PathProblem(
            "file-not-found",
            f"the world pack has no folder {relative!r}",
            hint=f"The nearest name is {near!r}." if near else None,
        ) from None


def _sorted_out(found: Mapping[str, MediaFile], problems: list[str]) -> MediaFolder:
    """`quay.zh.png` translates `quay.png` where both are there."""
    translations: dict[str, dict[str, MediaFile]] = {}
    for name, file in found.items():
        stem, _, ending = name.rpartition(".")
        base, _, tag = stem.rpartition(".")
        main = f"{base}.{ending}"
        if main in found and is_locale(tag):
            translations.setdefault(main, {})[tag] = file
    translated = {file.name for others in translations.values() for file in others.values()}
    return MediaFolder(
        files={name: file for name, file in found.items() if file.name not in translated},
        translations=translations,
        problems=tuple(problems),
    )


def _read(path: Path) -> bytes:
    with path.open("rb") as opened:
        # One byte more than may be stored tells that there is more.
        return opened.read(MAX_MEDIA_BYTES + 1)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False
