"""What commands that change a session open: its store and locks, neither packages nor models."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from covel_host.base.clock import SystemClock
from covel_host.base.ids import IdSource
from covel_host.base.random_streams import RandomSource
from covel_host.cli.event_loop import run_loop
from covel_host.opening import store_options
from covel_host.settings import Settings
from covel_host.store.errors import SessionNotFoundError
from covel_host.store.execution_lock import ExecutionLock
from covel_host.store.store import Store
from covel_host.turn.session_locks import SessionLocks

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Desk:
    """The ports of a change, and of a fork."""

    store: Store
    lock: ExecutionLock
    session_locks: SessionLocks
    clock: SystemClock
    ids: IdSource


def at_desk(settings: Settings, session_id: str, body: Callable[[Desk], Awaitable[Value]]) -> Value:
    """What `body` gives; no database is made for a session that cannot be there.

    Raises:
        SessionNotFoundError: there is no database yet.
        StoreError: the database cannot be used.
    """
    if not settings.database.exists():
        raise SessionNotFoundError(session_id)
    clock = SystemClock()
    store = Store.open(store_options(settings))
    try:
        desk = Desk(
            store=store,
            lock=ExecutionLock(settings.database, clock=clock),
            session_locks=SessionLocks(),
            clock=clock,
            ids=IdSource(RandomSource(), clock),
        )

        async def done() -> Value:
            return await body(desk)

        return run_loop(done())
    finally:
        store.close()
