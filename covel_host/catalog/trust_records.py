"""The instance's grants: one small file under the home, read by every command, written by few.

A grant is bound to the content it was given for. What ended one, a revocation or an uninstall, is
kept in its place: it explains later why the code does not run, and goes before the setting
`trusted`, so that a package that was named there does not come back by itself.
"""

import contextlib
import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Final, Literal, TypeAlias

from covel_host.base.errors import HostError
from covel_host.base.json_text import JsonTextError, dump_json, parse_json
from covel_host.base.regular_files import read_regular_file
from covel_host.catalog.installation_lock import locked_folder

MAX_FILE_BYTES: Final = 4 * 1024 * 1024
_VERSION: Final = 1
_ABOUT: Final = "Kept by covel. Change it with: covel trust grant ID, covel trust revoke ID"

Ended: TypeAlias = Literal["revoked", "uninstalled"]


class TrustFileError(HostError):
    """The file of grants cannot be read or written; nothing is trusted by guessing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustRecord:
    """The last grant of a package, and what ended it.

    `granted_at` is `None` for a package that was only named in a setting when its trust ended.
    """

    plugin_id: str
    content_hash: str
    granted_at: datetime | None
    ended: Ended | None = None
    ended_at: datetime | None = None


Records: TypeAlias = Mapping[str, TrustRecord]


class TrustFile:
    """The file at `path`; a missing one holds no grants.

    Each change is one read, change and write under a lock on the folder, the write in one step.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> dict[str, TrustRecord]:
        """The records by package ID.

        Raises:
            TrustFileError: the file cannot be read, or is not one that this host wrote.
        """
        try:
            content = read_regular_file(self._path, limit_bytes=MAX_FILE_BYTES + 1)
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise self._unusable(error.strerror or str(error)) from error
        if len(content) > MAX_FILE_BYTES:
            raise self._unusable(f"it has more than {MAX_FILE_BYTES // 1024**2} MB")
        try:
            return _parsed(content)
        except (JsonTextError, TypeError, KeyError, ValueError) as error:
            raise self._unusable("it is not what `covel trust` writes") from error

    def grant(self, plugin_id: str, *, content_hash: str, at: datetime) -> TrustRecord:
        """Keep a grant for this content in place of any earlier one.

        Raises:
            TrustFileError: the file cannot be read or written.
            FolderBusyError: another process kept the folder.
        """
        record = TrustRecord(plugin_id=plugin_id, content_hash=content_hash, granted_at=at)
        return self._change(plugin_id, lambda _: record)

    def end(self, plugin_id: str, *, content_hash: str, ended: Ended, at: datetime) -> TrustRecord:
        """Keep that the trust in a package has ended, with the grant that it ended.

        `content_hash` is kept when there was no grant. Raises as `grant` does.
        """

        def change(before: TrustRecord | None) -> TrustRecord:
            if before is None:
                before = TrustRecord(
                    plugin_id=plugin_id, content_hash=content_hash, granted_at=None
                )
            return replace(before, ended=ended, ended_at=at)

        return self._change(plugin_id, change)

    def _change(
        self, plugin_id: str, change: Callable[[TrustRecord | None], TrustRecord]
    ) -> TrustRecord:
        try:
            with locked_folder(self._path.parent):
                records = self.read()
                record = change(records.get(plugin_id))
                self._write({**records, plugin_id: record})
        except OSError as error:
            raise self._not_kept(error) from error
        return record

    def _write(self, records: Records) -> None:
        rows = [_row(records[plugin_id]) for plugin_id in sorted(records)]
        text = dump_json({"about": _ABOUT, "version": _VERSION, "grants": rows})
        # A link stays one: what it leads to is replaced.
        target = Path(os.path.realpath(self._path))
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(f"{text}\n")
                file.flush()
                os.fsync(file.fileno())
            os.replace(name, target)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise

    def _unusable(self, why: str) -> TrustFileError:
        return TrustFileError(
            f"The grants in {str(self._path)!r} cannot be used: {why}.",
            code="trust-file-unusable",
            hint="Correct its rights or its content, or remove it: then nothing in it is trusted.",
        )

    def _not_kept(self, error: OSError) -> TrustFileError:
        return TrustFileError(
            f"{str(self._path)!r} cannot be written: {error.strerror or error}. The grants are as "
            "they were.",
            code="trust-file-unwritable",
            hint="Check the rights of its folder and the space on its disk, then try again.",
        )


def _row(record: TrustRecord) -> dict[str, object]:
    return {
        "id": record.plugin_id,
        "contentHash": record.content_hash,
        "grantedAt": _text(record.granted_at),
        "ended": record.ended,
        "endedAt": _text(record.ended_at),
    }


def _text(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat(timespec="seconds")


def _parsed(content: bytes) -> dict[str, TrustRecord]:
    document = parse_json(content)
    if not isinstance(document, dict) or document["version"] != _VERSION:
        raise ValueError(document)
    rows = document["grants"]
    if not isinstance(rows, list):
        raise TypeError(rows)
    records = [_record(row) for row in rows]
    return {record.plugin_id: record for record in records}


def _record(row: object) -> TrustRecord:
    if not isinstance(row, dict):
        raise TypeError(row)
    plugin_id, content_hash, ended = row["id"], row["contentHash"], row["ended"]
    if not isinstance(plugin_id, str) or not isinstance(content_hash, str):
        raise TypeError(row)
    if ended not in (None, "revoked", "uninstalled"):
        raise ValueError(ended)
    return TrustRecord(
        plugin_id=plugin_id,
        content_hash=content_hash,
        granted_at=_time(row["grantedAt"]),
        ended=ended,
        ended_at=_time(row["endedAt"]),
    )


def _time(text: object) -> datetime | None:
    if text is None:
        return None
    if not isinstance(text, str):
        raise TypeError(text)
    at = datetime.fromisoformat(text)
    if at.tzinfo is None:
        raise ValueError(text)
    return at
