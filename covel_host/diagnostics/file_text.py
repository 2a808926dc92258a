"""The text of one file of a package, or the one problem that keeps it from being read."""

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from covel_host.diagnostics.codes import report
from covel_host.diagnostics.diagnostic import Diagnostic, Span

MAX_FILE_BYTES: Final = 10 * 1024 * 1024

_LINE_END: Final = re.compile(r"\r\n|\n|\r")
_UTF16_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class FileText:
    """The text of a file, or the problem that keeps it from being used as text.

    `text` is as it can be shown: with a problem, bytes that are no characters are replaced, and it
    is empty when nothing was read.
    """

    text: str
    problem: Diagnostic | None = None


def read_text(path: Path, *, plugin: str, file: str) -> FileText:
    """The whole text of `path`, line ends and byte-order mark kept; at most `MAX_FILE_BYTES`."""
    try:
        data = read_at_most(path, MAX_FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        return FileText("", _unreadable(error, plugin=plugin, file=file))
    if len(data) > MAX_FILE_BYTES:
        return FileText("", _too_large(plugin=plugin, file=file))
    try:
        return FileText(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        problem = _not_utf8(data, error, plugin=plugin, file=file)
        return FileText(data.decode("utf-8", "replace"), problem)


def read_at_most(path: str | Path, limit_bytes: int) -> bytes:
    """The first `limit_bytes` of a file.

    Reading asks for no more than the file has: room for the whole limit costs more than the file.
    """
    with open(path, "rb") as stream:
        size = os.fstat(stream.fileno()).st_size
        data = stream.read(min(size + 1, limit_bytes))
        # A file that grows meanwhile, or one that tells no size.
        return data if len(data) <= size else data + stream.read(limit_bytes - len(data))


def _too_large(*, plugin: str, file: str) -> Diagnostic:
    return report(
        "file-too-large",
        f"{file} has more than {MAX_FILE_BYTES // (1024 * 1024)} MB.",
        plugin=plugin,
        file=file,
        hint="Move large texts and data to files of their own.",
    )


def _unreadable(error: OSError | ValueError, *, plugin: str, file: str) -> Diagnostic:
    reason = getattr(error, "strerror", None) or str(error)
    return report(
        "file-unreadable",
        f"{file} cannot be read: {reason}.",
        plugin=plugin,
        file=file,
        hint="Check that it is a file and that its rights allow reading.",
    )


def _not_utf8(data: bytes, error: UnicodeDecodeError, *, plugin: str, file: str) -> Diagnostic:
    before = data[: error.start].decode("utf-8").removeprefix("\ufeff")
    lines = _LINE_END.split(before)
    line, column = len(lines), len(lines[-1]) + 1
    hint = "Save the file as UTF-8."
    if data.startswith(_UTF16_MARKS):
        hint = "The file looks like UTF-16. Save it as UTF-8."
    return report(
        "file-not-utf8",
        f"{file} is not UTF-8 text: byte 0x{data[error.start]:02x} at offset {error.start} "
        "belongs to no character.",
        plugin=plugin,
        file=file,
        span=Span(line, column, line, column + 1),
        hint=hint,
    )
