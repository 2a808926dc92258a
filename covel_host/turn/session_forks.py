"""Snapshots taken by hand, and sessions forked from one (spec/transactions.md 10)."""

from typing import Protocol

from covel_host.base.ids import IdSource
from covel_host.store.forks import ForkIds, fork_session
from covel_host.store.records import SessionRecord, SnapshotRecord
from covel_host.store.sessions import require_session
from covel_host.store.snapshots import drop_snapshot, get_snapshot, keep_snapshot
from covel_host.store.transaction import Reading, Transaction
from covel_host.turn.errors import RequestRefused
from covel_host.turn.session_changes import ChangePorts, refuse_deleting
from covel_host.turn.session_locks import session_held


class ForkPorts(ChangePorts, Protocol):
    """What a fork works with; every `TurnPorts` has it."""

    @property
    def ids(self) -> IdSource: ...


async def fork_from(
    ports: ForkPorts, session_id: str, *, snapshot_id: str | None = None
) -> SessionRecord:
    """A new session that begins as this one was at the snapshot, or as it is now.

    Nothing else changes of this one. No grant goes with the fork.

    Raises:
        RequestRefused: `snapshot-not-found`, or `session-deleting`.
        SessionNotFoundError: there is no such session.
        ForkTooLargeError: it has more rows than one fork may copy.
        ExecutionLockTakenError: another process is executing on this database.
    """
    new = ForkIds(
        session_id=ports.ids.new("session"),
        incarnation=ports.ids.new("incarnation"),
        snapshot_id=ports.ids.new("snapshot"),
    )

    def fork(transaction: Transaction) -> SessionRecord:
        session = require_session(transaction, session_id)
        refuse_deleting(session)
        revision = session.revision
        if snapshot_id is not None:
            revision = _snapshot(transaction, session_id, snapshot_id).revision
        return fork_session(transaction, session_id, revision, new=new, at=ports.clock.now())

    async with session_held(ports, session_id):
        return await ports.store.transaction(fork)


async def take_snapshot(ports: ForkPorts, session_id: str) -> SnapshotRecord:
    """A snapshot of the session as it is now, which stays until it is dropped.

    Raises:
        RequestRefused: `session-deleting`.
        SessionNotFoundError: there is no such session.
        ExecutionLockTakenError: another process is executing on this database.
    """

    def take(transaction: Transaction) -> SnapshotRecord:
        refuse_deleting(require_session(transaction, session_id))
        return keep_snapshot(
            transaction,
            session_id,
            snapshot_id=ports.ids.new("snapshot"),
            at=ports.clock.now(),
        )

    async with session_held(ports, session_id):
        return await ports.store.transaction(take)


async def drop_taken(ports: ForkPorts, session_id: str, snapshot_id: str) -> SnapshotRecord:
    """The snapshot that was dropped; forks that were made from it stay as they are.

    Raises:
        RequestRefused: `snapshot-not-found`.
        SessionNotFoundError: there is no such session.
        ExecutionLockTakenError: another process is executing on this database.
    """

    def drop(transaction: Transaction) -> SnapshotRecord:
        require_session(transaction, session_id)
        snapshot = _snapshot(transaction, session_id, snapshot_id)
        drop_snapshot(transaction, snapshot)
        return snapshot

    async with session_held(ports, session_id):
        return await ports.store.transaction(drop)


def _snapshot(reading: Reading, session_id: str, snapshot_id: str) -> SnapshotRecord:
    found = get_snapshot(reading, snapshot_id)
    if found is None or found.session_id != session_id:
        raise RequestRefused(
            f"The session {session_id!r} has no snapshot {snapshot_id!r}.",
            code="snapshot-not-found",
            hint=f"See: covel sessions snapshots {session_id}",
        )
    return found
