"""The tracker of given-up tasks: the one owner of tasks that outlive their caller's wait."""

import asyncio
from collections.abc import Coroutine
from typing import Any


class TaskTracker:
    """Starts tasks that may be left behind and waits for them at the end.

    A call past its time limit is left, not killed: Python cannot stop code that swallows
    cancellation. The tracker keeps the only reference; `close` waits for it within a budget.
    """

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def start(self, work: Coroutine[Any, Any, Any], *, name: str) -> asyncio.Task[Any]:
        """A running task for `work`; its late error is retrieved, so nothing is logged at exit."""
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._forget)
        return task

    @property
    def pending(self) -> tuple[str, ...]:
        """Names of the tasks that have not ended, sorted."""
        return tuple(sorted(task.get_name() for task in self._tasks))

    async def close(self, *, budget_s: float = 5.0) -> tuple[str, ...]:
        """Cancel what still runs and wait up to `budget_s`; the names of what did not end."""
        for task in tuple(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(tuple(self._tasks), timeout=budget_s)
        return self.pending

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()
