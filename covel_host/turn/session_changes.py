"""Changes of a session that no turn makes: each one a commit of its own, under the locks.

A change waits for the turn that is under way in this process, and for other processes as long as
the execution lock lets it. It moves the session to its next revision, so that older snapshots keep
showing what was before (spec/execution.md 1.1, spec/decisions.md 6).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Protocol

from covel_host.base.clock import Clock
from covel_host.store.records import SessionRecord, SessionStatus
from covel_host.store.sessions import advance_session, require_session, update_session
from covel_host.store.snapshots import prune_unkept
from covel_host.store.store import Store
from covel_host.store.transaction import Transaction
from covel_host.turn.errors import RequestRefused
from covel_host.turn.session_locks import LockPorts, session_held
from covel_host.turn.session_metadata import is_deleting


class ChangePorts(LockPorts, Protocol):
    """What a change works with; every `TurnPorts` has it."""

    @property
    def store(self) -> Store: ...

    @property
    def clock(self) -> Clock: ...


@dataclass(frozen=True, slots=True)
class ChangePlace:
    """The session as the change finds it, the revision that it makes, and its time."""

    session: SessionRecord
    revision: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Unchanged:
    """What a change gives that finds everything as it should be: nothing is written."""


UNCHANGED: Final = Unchanged()

Change = Callable[[Transaction, ChangePlace], SessionRecord | Unchanged]
"""Writes rows, and gives the session with the members that it is to have from now on."""


@dataclass(frozen=True, slots=True)
class Changed:
    """The session after a change; `has_changed` is false when it was so before."""

    session: SessionRecord
    has_changed: bool


async def change_session(ports: ChangePorts, session_id: str, change: Change) -> Changed:
    """Carry out `change` in one transaction; an error of it leaves everything as it was.

    Raises:
        RequestRefused: `session-ended`, an ended session never changes again; or
            `session-deleting`.
        SessionNotFoundError: there is no such session.
        ExecutionLockTakenError: another process is executing on this database.
    """
    async with session_held(ports, session_id):
        at = ports.clock.now()
        return await ports.store.transaction(
            lambda transaction: changed_session(transaction, session_id, change, at)
        )


def refuse_deleting(session: SessionRecord) -> None:
    """Raise `RequestRefused` with `session-deleting` when the session's deletion has begun."""
    if is_deleting(session):
        raise RequestRefused(
            f"The session {session.session_id!r} is being deleted.",
            code="session-deleting",
            hint=f"If that was interrupted: covel sessions delete {session.session_id}",
        )


async def pause_session(ports: ChangePorts, session_id: str) -> Changed:
    """Let nothing run in the session until it is resumed."""
    return await _set_status(ports, session_id, "paused")


async def resume_session(ports: ChangePorts, session_id: str) -> Changed:
    """Let the session go on."""
    return await _set_status(ports, session_id, "active")


async def end_session(ports: ChangePorts, session_id: str) -> Changed:
    """End the session for good; it can still be read, exported, forked and deleted."""
    return await _set_status(ports, session_id, "ended")


async def _set_status(ports: ChangePorts, session_id: str, status: SessionStatus) -> Changed:
    def change(transaction: Transaction, place: ChangePlace) -> SessionRecord | Unchanged:
        return (
            UNCHANGED if place.session.status == status else replace(place.session, status=status)
        )

    return await change_session(ports, session_id, change)


def changed_session(
    transaction: Transaction, session_id: str, change: Change, at: datetime
) -> Changed:
    """`change_session` for a transaction of somebody who holds the session's locks.

    Raises:
        RequestRefused, SessionNotFoundError: see there.
    """
    session = require_session(transaction, session_id)
    refuse_deleting(session)
    if session.status == "ended":
        raise RequestRefused(
            f"The session {session_id!r} has ended; it never changes again.",
            code="session-ended",
            hint=f"Go on from it in a new one: covel sessions fork {session_id}",
        )
    given = change(transaction, ChangePlace(session, session.revision + 1, at))
    if isinstance(given, Unchanged):
        return Changed(session, has_changed=False)
    update_session(transaction, replace(given, updated_at=at))
    advanced = advance_session(transaction, given, turn_id=None, at=at)
    prune_unkept(transaction, advanced)
    return Changed(advanced, has_changed=True)
