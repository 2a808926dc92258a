"""Forks, snapshots, exports and deletions from the command line."""

import os
from pathlib import Path

from covel_host.base.errors import HostError
from covel_host.base.json_text import dump_json
from covel_host.cli.in_session import read_store
from covel_host.cli.output import (
    counted,
    note,
    path_text,
    table,
    time_text,
    write_json,
    write_text,
)
from covel_host.cli.session_changing import session_catalog
from covel_host.cli.session_desk import Desk, at_desk
from covel_host.cli.session_ends import end_teller
from covel_host.media.files import MediaFiles
from covel_host.settings import Settings
from covel_host.store.limits import MAX_LIMIT
from covel_host.store.records import SnapshotRecord
from covel_host.store.sessions import require_session
from covel_host.store.snapshots import list_snapshots
from covel_host.store.transaction import Reading
from covel_host.turn.session_deletion import Deleted, delete_session
from covel_host.turn.session_export import export_session
from covel_host.turn.session_export_rows import session_row, snapshot_row
from covel_host.turn.session_forks import drop_taken, fork_from, take_snapshot


class NotExported(HostError):
    """The file of an export cannot be written, or is there already."""


def fork(settings: Settings, session_id: str, *, snapshot_id: str | None, as_json: bool) -> None:
    """Make the fork, and print its ID."""
    forked = at_desk(
        settings, session_id, lambda desk: fork_from(desk, session_id, snapshot_id=snapshot_id)
    )
    if as_json:
        write_json({"parentSessionId": session_id, "session": session_row(forked)})
        return
    write_text(
        f"{forked.session_id}\n  forked from {session_id} at revision {forked.revision}, "
        f"{counted(forked.completed_player_turns, 'player turn')}, {forked.status}\n"
    )


def snapshots(settings: Settings, session_id: str, *, as_json: bool) -> None:
    """Print the snapshots, newest first."""

    def read(reading: Reading) -> list[SnapshotRecord]:
        require_session(reading, session_id)
        return list_snapshots(reading, session_id, limit=MAX_LIMIT)

    found = read_store(settings, read)
    if as_json:
        write_json({"sessionId": session_id, "snapshots": [snapshot_row(one) for one in found]})
        return
    if not found:
        write_text("The session has no snapshots.\n")
        return
    rows = [
        (
            one.snapshot_id,
            one.kind,
            str(one.revision),
            str(one.completed_player_turns),
            time_text(one.created_at),
        )
        for one in found
    ]
    write_text(table([("SNAPSHOT", "KIND", "REVISION", "TURNS", "TAKEN"), *rows]))


def take(settings: Settings, session_id: str, *, as_json: bool) -> None:
    """Take a snapshot, and print its ID."""
    taken = at_desk(settings, session_id, lambda desk: take_snapshot(desk, session_id))
    if as_json:
        write_json({"sessionId": session_id, "snapshot": snapshot_row(taken)})
    else:
        write_text(f"{taken.snapshot_id}\n  of {session_id} at revision {taken.revision}\n")


def drop(settings: Settings, session_id: str, snapshot_id: str, *, as_json: bool) -> None:
    """Drop a snapshot."""
    dropped = at_desk(settings, session_id, lambda desk: drop_taken(desk, session_id, snapshot_id))
    if as_json:
        write_json({"sessionId": session_id, "snapshot": snapshot_row(dropped)})
    else:
        write_text(f"{session_id}: the snapshot {snapshot_id} is dropped.\n")


def export(settings: Settings, session_id: str, *, out: Path | None, as_json: bool) -> None:
    """Print the document, or write it to a new file and print `{path, sizeBytes}`.

    Raises:
        NotExported: the file is there already, or cannot be written.
    """
    catalog = session_catalog(settings, session_id)
    concealed = frozenset(
        runtime.runtime_id
        for state in catalog.packages.values()
        for runtime in state.reading.runtimes
        if runtime.manifest is not None and runtime.manifest.io.concealed
    )
    document = read_store(
        settings, lambda reading: export_session(reading, session_id, concealed=concealed)
    )
    if out is None:
        write_json(document)
        return
    text = f"{dump_json(document)}\n".encode()
    try:
        _write_new(out, text)
    except OSError as error:
        raise NotExported(
            f"{path_text(out)!r} cannot be written: {error.strerror or error}.",
            code="not-writable",
            hint="Name a file that is not there yet, in a folder that can be written.",
        ) from error
    if as_json:
        write_json({"path": path_text(out), "sizeBytes": len(text)})
    else:
        write_text(f"{path_text(out)}: {len(text):,} bytes\n")


def delete(settings: Settings, session_id: str, *, as_json: bool) -> None:
    """Delete the session, and print what went with it."""
    tell = end_teller(settings, "deleted")

    async def deleted(desk: Desk) -> Deleted:
        media = MediaFiles(settings.media)
        return await delete_session(desk, session_id, media=media, tell=tell)

    gone = at_desk(settings, session_id, deleted)
    if gone.files is None:
        note("note: the media folder is in use; the next deletion removes the files.")
    if as_json:
        write_json({"sessionId": session_id, "media": gone.media, "files": gone.files})
    else:
        with_media = f", with {counted(gone.media, 'media file')}" if gone.media else ""
        write_text(f"{session_id}: deleted{with_media}.\n")


def _write_new(path: Path, text: bytes) -> None:
    """A whole new file, or none: what cannot be finished is removed again."""
    with path.open("xb") as file:
        try:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        except OSError:
            path.unlink(missing_ok=True)
            raise
