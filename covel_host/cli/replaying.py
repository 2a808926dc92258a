"""Listing recordings, replaying one, letting one go."""

from typing import Final, TextIO

import click

from covel_host.base.errors import HostError
from covel_host.base.json_text import dump_json
from covel_host.cli.failures import FINDINGS, output_lost
from covel_host.cli.in_session import play, read_packages, read_store
from covel_host.cli.output import safe_text, table, time_text, write_json, write_text
from covel_host.cli.replay_text import replay_text, report_json
from covel_host.cli.session_desk import at_desk
from covel_host.cli.session_facts import LAST, session_meant
from covel_host.cli.streams import give_up
from covel_host.host import Host
from covel_host.models.selector import UseOffline
from covel_host.settings import Settings
from covel_host.store.recordings import RecordingRecord
from covel_host.store.transaction import Reading
from covel_host.turn.recordings import forget_recording, recording_of, recordings_of
from covel_host.turn.replaying import ReplayReport
from plugin_sdk.values import JsonObject

_RECORDED_BY: Final = "--record of covel turn, run and play makes them."


class NothingRecorded(HostError):
    """The session has no recording that `last` could mean."""

    def __init__(self, session_id: str) -> None:
        super().__init__(
            f"The session {session_id!r} has no recordings.",
            code="turn-not-recorded",
            hint=_RECORDED_BY,
        )


def recording_meant(settings: Settings, session_id: str, turn_id: str) -> tuple[str, str]:
    """The session and the turn that are named; `last` is the newest recording, as of a session.

    Raises:
        SessionNotFoundError, NothingRecorded: there is nothing of the kind.
    """

    def meant(reading: Reading) -> tuple[str, str]:
        session = session_meant(reading, session_id)
        if turn_id != LAST:
            return session, turn_id
        recorded = recordings_of(reading, session)
        if not recorded:
            raise NothingRecorded(session)
        return session, recorded[-1].turn_id

    return read_store(settings, meant)


def replay(
    settings: Settings, session_id: str, turn_id: str, *, output: TextIO, as_json: bool
) -> int:
    """Replay the turn and print what differs; the exit code is 0 when nothing does.

    Raises:
        HostError: it cannot be replayed.
        click.Abort: a person ended it.
    """
    _, content = read_store(settings, lambda reading: recording_of(reading, session_id, turn_id))
    catalog = read_packages(settings, (), content["start"]["packages"])

    async def body(host: Host) -> tuple[ReplayReport, ...]:
        return await host.replay(session_id, turn_id)

    reports = play(settings, catalog, body, may_ask=not as_json, selector=UseOffline())
    is_same = all(report.is_same for report in reports)
    if as_json:
        document = {
            "sessionId": session_id,
            "turnId": turn_id,
            "same": is_same,
            "executions": [report_json(report) for report in reports],
        }
        text = f"{dump_json(document)}\n"
    else:
        text = safe_text("".join(replay_text(report) for report in reports))
    try:
        click.echo(text, file=output, nl=False)
    except BrokenPipeError:
        # The exit code still says whether anything differs.
        give_up(output)
    except OSError as error:
        return output_lost(error, output)
    return 0 if is_same else FINDINGS


def show_recordings(settings: Settings, wanted: str, *, as_json: bool) -> None:
    """Print the recordings of a session, oldest first."""

    def recorded(reading: Reading) -> tuple[str, list[RecordingRecord]]:
        session_id = session_meant(reading, wanted)
        return session_id, recordings_of(reading, session_id)

    session_id, found = read_store(settings, recorded)
    if as_json:
        write_json({"sessionId": session_id, "recordings": [_row(one) for one in found]})
        return
    if not found:
        write_text(f"The session has no recordings. {_RECORDED_BY}\n")
        return
    rows = [
        (
            one.turn_id,
            one.state,
            str(one.revision),
            f"{one.size_bytes:,}",
            one.snapshot_id or "-",
            time_text(one.created_at),
        )
        for one in found
    ]
    write_text(table([("TURN", "STATE", "REVISION", "BYTES", "SNAPSHOT", "RECORDED"), *rows]))


def forget(settings: Settings, session_id: str, turn_id: str, *, as_json: bool) -> None:
    """Delete a recording."""
    gone = at_desk(settings, session_id, lambda desk: forget_recording(desk, session_id, turn_id))
    if as_json:
        write_json({"sessionId": session_id, "forgotten": _row(gone)})
        return
    what = f"the recording of {turn_id} is gone"
    if gone.snapshot_id is not None:
        what += f", and the snapshot {gone.snapshot_id} with it"
    write_text(f"{session_id}: {what}.\n")


def _row(one: RecordingRecord) -> JsonObject:
    return {
        "turnId": one.turn_id,
        "state": one.state,
        "revision": one.revision,
        "sizeBytes": one.size_bytes,
        "snapshotId": one.snapshot_id,
        "createdAt": one.created_at.isoformat(),
    }
