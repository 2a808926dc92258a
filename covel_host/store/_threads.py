"""Work sent to the store's threads and waited for without blocking the event loop."""

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from covel_host.store.errors import StoreClosedError

Result = TypeVar("Result")


def submit(threads: ThreadPoolExecutor, work: Callable[[], Result]) -> "Future[Result]":
    """Queue `work` with the caller's context, in the order of the calls."""
    try:
        return threads.submit(contextvars.copy_context().run, work)
    except RuntimeError as error:
        raise closed_error() from error


async def settled(future: "Future[Result]") -> Result:
    """The outcome of `future`; a cancelled caller leaves only once it is settled.

    Work that has not begun is withdrawn. Work that has begun cannot be stopped: it is awaited, so
    that after `CancelledError` nothing of the caller's is still being written.
    """
    outcome = asyncio.wrap_future(future)
    try:
        return await asyncio.shield(outcome)
    except asyncio.CancelledError:
        if not future.cancel():
            await _wait_to_the_end(outcome)
        raise


async def _wait_to_the_end(outcome: "asyncio.Future[Result]") -> None:
    while not outcome.done():
        try:
            await asyncio.wait({outcome})
        except asyncio.CancelledError:
            continue
    if not outcome.cancelled():
        # Asked for, so that asyncio does not report an error nobody will collect any more.
        outcome.exception()


def closed_error() -> StoreClosedError:
    """The error of a call on a store that was closed."""
    return StoreClosedError(
        "The store was used after it was closed.",
        code="store-closed",
        hint="Open it again with `Store.open`.",
    )
