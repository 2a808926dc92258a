"""Archives built for tests, honest and hostile ones."""

import io
import struct
import zipfile
from collections.abc import Iterable
from pathlib import Path

MANIFEST = "---\ndescription: A test\n---\n"
FILES = {"PLUGIN.md": MANIFEST, "notes/moss.txt": "moss"}


def entry(name: str, *, mode: int = 0, method: int = zipfile.ZIP_DEFLATED) -> zipfile.ZipInfo:
    """An entry of exactly that name; `mode` are the bits of a Unix file."""
    info = zipfile.ZipInfo("x")
    info.filename = name
    info.external_attr = mode << 16
    info.create_system = 3
    info.compress_type = method
    return info


def archive_bytes(
    files: dict[str, str] | None = None, more: Iterable[tuple[zipfile.ZipInfo, bytes]] = ()
) -> bytes:
    """An archive of `files`, by default those of a small package, and `more` entries."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in (FILES if files is None else files).items():
            archive.writestr(entry(name), text)
        for info, content in more:
            # The library warns of names that stand twice, and writes them.
            archive.NameToInfo.clear()
            archive.writestr(info, content)
    return stream.getvalue()


def write_archive(path: Path, content: bytes) -> Path:
    """The archive in a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def with_flags(content: bytes, name: str, flags: int) -> bytes:
    """The archive with these flags set for the entry `name`, in both of its headers."""
    patched = bytearray(content)
    encoded = name.encode()
    for mark, flags_at, name_at in ((b"PK\x03\x04", 6, 30), (b"PK\x01\x02", 8, 46)):
        place = -1
        while (place := content.find(mark, place + 1)) >= 0:
            if content[place + name_at :].startswith(encoded):
                (before,) = struct.unpack_from("<H", content, place + flags_at)
                struct.pack_into("<H", patched, place + flags_at, before | flags)
    return bytes(patched)


def with_declared_size(content: bytes, size_bytes: int) -> bytes:
    """The archive whose last entry says of itself that it has `size_bytes`."""
    patched = bytearray(content)
    struct.pack_into("<L", patched, content.rfind(b"PK\x03\x04") + 22, size_bytes)
    struct.pack_into("<L", patched, content.rfind(b"PK\x01\x02") + 24, size_bytes)
    return bytes(patched)
