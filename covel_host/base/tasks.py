"""The tracker of given-up tasks: the one owner of tasks that outlive their caller's wait."""

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, TypeVar

from covel_host.base.limits import Limits

Result = TypeVar("Result")


class TaskTracker:
    """Starts tasks that may be left behind and waits for them at the end.

    A call past its time limit is left, not killed: Python cannot stop code that swallows
    cancellation. The tracker keeps the only reference; `close` waits for it within a budget.
    `is_closing` says that it has been called, so that what ends now may have been ended by it.
    """

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()
        self._unstoppable: set[asyncio.Task[Any]] = set()
        self.is_closing = False
        self.limits = Limits()
        """The limits of the waits for them."""

    def start(
        self,
        work: Coroutine[Any, Any, Result],
        *,
        name: str,
        stoppable: bool = True,
        on_end: Callable[[], None] | None = None,
    ) -> "asyncio.Task[Result]":
        """A running task for `work`; its late error is retrieved, so nothing is logged at exit.

        What is not `stoppable`, such as the wait for a thread, is never cancelled by `close`: it
        ends when the thread does, and until then it is known to run. `on_end` is called once it
        has ended, also when it was cancelled before it began.
        """
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._tasks.add(task)
        if not stoppable:
            self._unstoppable.add(task)
        task.add_done_callback(self._forget if on_end is None else partial(self._ended, on_end))
        return task

    async def finish(self, work: Coroutine[Any, Any, Result], *, name: str) -> Result:
        """What `work` gives; a cancelled caller leaves only once the work has ended.

        Raises:
            asyncio.CancelledError: the caller was cancelled meanwhile; the work was done all the
                same.
        """
        task = self.start(work, name=name, stoppable=False)
        cancellation: asyncio.CancelledError | None = None
        while not task.done():
            try:
                await asyncio.wait({task})
            except asyncio.CancelledError as error:
                cancellation = error
        if cancellation is not None:
            raise cancellation
        return task.result()

    @property
    def pending(self) -> tuple[str, ...]:
        """Names of the tasks that have not ended, sorted."""
        return tuple(sorted(task.get_name() for task in self._tasks))

    async def close(self, *, budget_s: float = 5.0) -> tuple[str, ...]:
        """Cancel what still runs and wait up to `budget_s`; the names of what did not end.

        Tasks that are started meanwhile, such as those that tidy up, are ended too.
        """
        self.is_closing = True
        loop = asyncio.get_running_loop()
        ends_at = loop.time() + budget_s
        while self._tasks:
            for task in self._tasks - self._unstoppable:
                if not task.cancelling():
                    task.cancel()
            remaining_s = ends_at - loop.time()
            if remaining_s <= 0:
                break
            await asyncio.wait(
                tuple(self._tasks), timeout=remaining_s, return_when=asyncio.FIRST_COMPLETED
            )
        return self.pending

    def _ended(self, on_end: Callable[[], None], task: asyncio.Task[Any]) -> None:
        self._forget(task)
        on_end()

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        self._unstoppable.discard(task)
        if not task.cancelled():
            task.exception()
