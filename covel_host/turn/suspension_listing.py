"""Suspensions outside of executions: those that wait, giving one up, and what waited too long."""

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from covel_host.base.clock import Clock
from covel_host.store.errors import StoreError
from covel_host.store.execution_lock import ExecutionLock, ExecutionLockTakenError
from covel_host.store.records import SessionRecord
from covel_host.store.store import Store
from covel_host.store.suspensions import (
    SuspensionRecord,
    delete_suspension,
    get_suspension,
    pending_suspensions,
    sessions_with_expired,
)
from covel_host.store.transaction import Transaction
from covel_host.turn.errors import RequestRefused
from covel_host.turn.session_changes import (
    UNCHANGED,
    Changed,
    ChangePlace,
    ChangePorts,
    Unchanged,
    change_session,
)
from covel_host.turn.session_locks import SessionLocks

SWEEP_EVERY_S: Final = 3600.0
"""How often what waited too long is looked for at most, after the first time."""

_LOG = logging.getLogger(__name__)


def suspension_not_found(session_id: str, suspension_id: str) -> RequestRefused:
    """The refusal of a request that names no suspension of the session."""
    return RequestRefused(
        f"The session {session_id!r} has no suspension {suspension_id!r}.",
        code="suspension-not-found",
        hint=f"See: covel suspensions list {session_id}",
    )


async def list_suspensions(store: Store, session_id: str) -> list[SuspensionRecord]:
    """What waits for an answer in a session, oldest first."""
    return await store.read(lambda reading: pending_suspensions(reading, session_id))


async def discard_suspension(ports: ChangePorts, session_id: str, suspension_id: str) -> Changed:
    """Give up a run that waits: nothing of it will ever be committed.

    Raises:
        RequestRefused: `suspension-not-found`, or as `change_session`.
    """

    def change(transaction: Transaction, place: ChangePlace) -> SessionRecord | Unchanged:
        if get_suspension(transaction, session_id, suspension_id) is None:
            raise suspension_not_found(session_id, suspension_id)
        delete_suspension(transaction, session_id, suspension_id, revision=place.revision)
        return place.session

    return await change_session(ports, session_id, change)


@dataclass(frozen=True, slots=True)
class SweepPorts:
    """What the sweep works with."""

    store: Store
    lock: ExecutionLock
    session_locks: SessionLocks
    clock: Clock


class SuspensionSweep:
    """Deletes what has waited longer than `ttl`; without one everything waits for ever."""

    def __init__(self, ports: ChangePorts, ttl: timedelta | None) -> None:
        self._ports = ports
        self._ttl = ttl
        self._swept_at: float | None = None

    async def run_if_due(self) -> None:
        """Look through all sessions, at most once an hour; a store that is busy is left alone."""
        now = self._ports.clock.monotonic()
        if self._ttl is None or not self._is_due(now):
            return
        self._swept_at = now
        before = self._ports.clock.now() - self._ttl
        try:
            for session_id in await self._ports.store.read(
                lambda reading: sessions_with_expired(reading, before=before)
            ):
                await self._sweep(session_id, before)
        except ExecutionLockTakenError:
            _LOG.info("Another process is executing; old suspensions are left for later.")
        except StoreError:
            _LOG.exception("Old suspensions could not be deleted.")

    def _is_due(self, now: float) -> bool:
        return self._swept_at is None or now - self._swept_at >= SWEEP_EVERY_S

    async def _sweep(self, session_id: str, before: datetime) -> None:
        def change(transaction: Transaction, place: ChangePlace) -> SessionRecord | Unchanged:
            old = [
                one
                for one in pending_suspensions(transaction, session_id)
                if one.created_at < before
            ]
            for one in old:
                delete_suspension(
                    transaction, session_id, one.suspension_id, revision=place.revision
                )
            return place.session if old else UNCHANGED

        try:
            await change_session(self._ports, session_id, change)
        except RequestRefused:
            # An ended session never changes again; nothing in it can go on either.
            _LOG.debug("Suspensions of %r stay: the session is over.", session_id)
