"""The recordings of a session: which there are, what one holds, and how one is let go."""

from typing import Any

from covel_host.store.recordings import (
    MAX_RECORDING_BYTES,
    RecordingRecord,
    delete_recording,
    get_recording,
    list_recordings,
    read_recording,
)
from covel_host.store.sessions import require_session
from covel_host.store.transaction import Reading, Transaction
from covel_host.store.turns import get_turn
from covel_host.turn.errors import RequestRefused
from covel_host.turn.recording import FORM
from covel_host.turn.session_changes import ChangePorts
from covel_host.turn.session_locks import session_held


def recordings_of(reading: Reading, session_id: str) -> list[RecordingRecord]:
    """The recordings of a session, oldest first.

    Raises:
        SessionNotFoundError: there is no such session.
    """
    require_session(reading, session_id)
    return list_recordings(reading, session_id)


def recording_of(reading: Reading, session_id: str, turn_id: str) -> tuple[RecordingRecord, Any]:
    """What is known of a recording, and its content.

    Raises:
        SessionNotFoundError: there is no such session.
        RequestRefused: there is none, or it cannot be played: `turn-not-found`,
            `turn-not-recorded`, `recording-unfinished`, `recording-too-large`,
            `recording-unreadable`.
    """
    record = _recording(reading, session_id, turn_id)
    content: Any = read_recording(reading, session_id, turn_id)
    if record.state == "too-large":
        raise RequestRefused(
            f"The recording of the turn {turn_id!r} has {record.size_bytes:,} bytes; the limit is "
            f"{MAX_RECORDING_BYTES:,}, so it was not kept.",
            code="recording-too-large",
        )
    if content is None:
        raise RequestRefused(
            f"The recording of the turn {turn_id!r} was never finished: its process ended before, "
            "or is still playing it.",
            code="recording-unfinished",
            hint=f"Let go of what it keeps: covel replay {session_id} {turn_id} --forget",
        )
    if content["form"] != FORM or content["outcome"] is None:
        raise RequestRefused(
            f"The recording of the turn {turn_id!r} cannot be read by this version of the host.",
            code="recording-unreadable",
            hint=f"Let go of what it keeps: covel replay {session_id} {turn_id} --forget",
        )
    return record, content


def _recording(reading: Reading, session_id: str, turn_id: str) -> RecordingRecord:
    require_session(reading, session_id)
    record = get_recording(reading, session_id, turn_id)
    if record is not None:
        return record
    if get_turn(reading, session_id, turn_id) is None:
        raise RequestRefused(
            f"The session {session_id!r} has no turn {turn_id!r}.",
            code="turn-not-found",
            hint=f"See: covel replay {session_id}",
        )
    raise RequestRefused(
        f"The turn {turn_id!r} was not recorded, so what it took from outside is not known any "
        "more.",
        code="turn-not-recorded",
        hint="Record a turn while it is played: covel turn, run or play with --record. "
        f"What is recorded: covel replay {session_id}",
    )


async def forget_recording(ports: ChangePorts, session_id: str, turn_id: str) -> RecordingRecord:
    """The recording that was deleted; the revision that it kept is let go.

    Raises:
        SessionNotFoundError: there is no such session.
        RequestRefused: `turn-not-found`, `turn-not-recorded`.
        ExecutionLockTakenError: another process is executing on this database.
    """

    def forget(transaction: Transaction) -> RecordingRecord:
        record = _recording(transaction, session_id, turn_id)
        delete_recording(transaction, record)
        return record

    async with session_held(ports, session_id):
        return await ports.store.transaction(forget)
