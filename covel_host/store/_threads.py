"""Work sent to the store's threads and waited for without blocking the event loop.

Small on purpose: a turn pays for one hop there and back, and what `concurrent.futures` adds to it
is as much as the hop itself (design/traps.md, Store).
"""

import asyncio
import contextlib
import contextvars
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

from covel_host.store.errors import StoreClosedError

Result = TypeVar("Result")


class Job(Generic[Result]):
    """One piece of work; it is run once by a thread, or withdrawn before that."""

    __slots__ = ("_context", "_error", "_is_done", "_loop", "_result", "_token", "_waiter", "_work")

    def __init__(self, work: Callable[[], Result]) -> None:
        self._work = work
        self._context = contextvars.copy_context()
        # Taking the only item is atomic: it decides between running and withdrawing.
        self._token = [True]
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiter: Any = None
        self._is_done = False
        self._result: Result
        self._error: BaseException | None = None

    def withdraw(self) -> bool:
        """Whether the work has not begun and now never will."""
        try:
            self._token.pop()
        except IndexError:
            return False
        return True

    def run(self) -> None:
        """Do the work unless it was withdrawn, and wake whoever waits for it."""
        if not self.withdraw():
            return
        try:
            self._result = self._context.run(self._work)
        except BaseException as error:
            self._error = error
        # First done, then the look for a waiter; who waits does it the other way round, so one of
        # the two sees the other.
        self._is_done = True
        loop, waiter = self._loop, self._waiter
        if loop is not None:
            # A loop that was closed meanwhile has nobody waiting any more.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(self._wake)
        elif waiter is not None:
            waiter.release()

    async def settled(self) -> Result:
        """The outcome; a cancelled caller leaves only once it is settled.

        Work that has not begun is withdrawn. Work that has begun cannot be stopped: it is awaited,
        so that after `CancelledError` nothing of the caller's is still being written.
        """
        loop = asyncio.get_running_loop()
        self._waiter = loop.create_future()
        self._loop = loop
        try:
            if not self._is_done:
                await self._waiter
        except asyncio.CancelledError:
            if not self.withdraw():
                await self._to_the_end(loop)
            # Its error, if there is one, is told to nobody: the caller has gone.
            self._error = None
            raise
        return self._outcome()

    def outcome(self) -> Result:
        """The outcome, waited for by blocking the calling thread."""
        waiter = threading.Lock()
        waiter.acquire()
        self._waiter = waiter
        if not self._is_done:
            waiter.acquire()
        return self._outcome()

    async def _to_the_end(self, loop: asyncio.AbstractEventLoop) -> None:
        while not self._is_done:
            # Whoever finishes now wakes this one: `_wake` runs in the loop, so not in between.
            self._waiter = loop.create_future()
            with contextlib.suppress(asyncio.CancelledError):
                await self._waiter

    def _wake(self) -> None:
        if not self._waiter.done():
            self._waiter.set_result(None)

    def _outcome(self) -> Result:
        error, self._error = self._error, None
        if error is None:
            return self._result
        try:
            raise error
        finally:
            # The error's traceback holds this frame: without this, both would wait for the
            # garbage collector.
            del error


class StoreThreads:
    """At most `count` threads that take jobs in the order of the calls; started when needed."""

    def __init__(self, count: int, *, name: str) -> None:
        self._count = count
        self._name = name
        self._jobs: SimpleQueue[Job[Any] | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._starting = threading.Lock()
        self._is_closed = False

    def submit(self, work: Callable[[], Result]) -> Job[Result]:
        """Queue `work` with the caller's context.

        Raises:
            StoreClosedError: the threads were closed.
        """
        job = Job(work)
        if len(self._threads) < self._count:
            self._start_one()
        self._jobs.put(job)
        # After the last job nothing is taken any more; a job put behind it is taken back here.
        if self._is_closed and job.withdraw():
            raise closed_error()
        return job

    def close(self) -> None:
        """Let the threads finish what is queued, and wait for them; a second call does nothing."""
        with self._starting:
            self._is_closed = True
        for _ in self._threads:
            self._jobs.put(None)
        for thread in self._threads:
            thread.join()

    def _start_one(self) -> None:
        with self._starting:
            if self._is_closed or len(self._threads) >= self._count:
                return
            # A store that nobody closed must not keep the process from ending; what such a thread
            # has not committed then is rolled back, like at any other end of a process.
            thread = threading.Thread(target=self._work, name=self._name, daemon=True)
            self._threads.append(thread)
            thread.start()

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            job.run()
            # The last job must not live until the next one comes.
            del job


def closed_error() -> StoreClosedError:
    """The error of a call on a store that was closed."""
    return StoreClosedError(
        "The store was used after it was closed.",
        code="store-closed",
        hint="Open it again with `Store.open`.",
    )
