"""A store with sessions, and the ports of changes on it."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

from covel_host.base.clock import SystemClock
from covel_host.base.ids import IdSource
from covel_host.base.random_streams import RandomSource
from covel_host.cli.session_desk import Desk
from covel_host.store.execution_lock import ExecutionLock
from covel_host.store.records import SessionRecord
from covel_host.store.sessions import get_session, insert_session
from covel_host.store.store import Store
from covel_host.turn.session_locks import SessionLocks
from tests.store.builders import options, session

Value = TypeVar("Value")


def desk_on(store: Store, *, limit_ms: int = 10_000) -> Desk:
    """The ports of changes, as another process would open them."""
    clock = SystemClock()
    return Desk(
        store=store,
        lock=ExecutionLock(store.path, clock=clock, limit_ms=limit_ms),
        session_locks=SessionLocks(),
        clock=clock,
        ids=IdSource(RandomSource(), clock),
    )


def at_desk(
    folder: Path, body: Callable[[Desk], Awaitable[Value]], **of_session: Any
) -> tuple[Value, SessionRecord | None]:
    """What `body` gives with a session `s1`, and what the session is then."""
    store = Store.open(options(folder))
    try:
        store.transaction_now(
            lambda transaction: insert_session(transaction, session(**of_session))
        )

        async def main() -> Value:
            return await body(desk_on(store))

        value = asyncio.run(main())
        return value, store.read_now(lambda reading: get_session(reading, "s1"))
    finally:
        store.close()
