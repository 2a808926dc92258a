"""The time limit of a whole run, and what becomes of a run that does not stop."""

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from covel_host.base.cancel_signal import CancelSignal
from covel_host.base.clock import Clock
from covel_host.base.tasks import TaskTracker

Value = TypeVar("Value")

GRACE_S = 1.0
"""How long a cancelled run may tidy up before it is left behind."""


class RunTimedOut(Exception):
    """A run used up its time; `was_left` when it did not even stop then."""

    def __init__(self, *, was_left: bool) -> None:
        super().__init__("the run used up its time")
        self.was_left = was_left


class RunDeadline:
    """Counts a run's time.

    What a streamed reply spends writing is left out (spec/models.md 4.4).
    """

    def __init__(self, limit_s: float, clock: Clock) -> None:
        self._clock = clock
        self._ends_at = clock.monotonic() + limit_s
        self._writing_since: float | None = None
        self._changed = asyncio.Event()

    @contextmanager
    def model_call(self) -> Iterator[None]:
        """The time of one model call; from `wrote` on it does not count."""
        try:
            yield
        finally:
            if self._writing_since is not None:
                self._ends_at += self._clock.monotonic() - self._writing_since
                self._writing_since = None
                self._changed.set()

    def wrote(self) -> None:
        """The model has begun, or goes on, to write."""
        if self._writing_since is None:
            self._writing_since = self._clock.monotonic()
            self._changed.set()

    def extend(self, seconds: float) -> None:
        """Leave out time that was spent waiting for the turn of a call (spec/models.md 4.4)."""
        self._ends_at += seconds
        self._changed.set()

    @property
    def remaining_s(self) -> float | None:
        """Seconds left; `None` while the model writes."""
        if self._writing_since is not None:
            return None
        return max(self._ends_at - self._clock.monotonic(), 0.0)

    async def changed(self) -> None:
        """Return when counting has stopped or started."""
        await self._changed.wait()
        self._changed.clear()


async def run_within(
    deadline: RunDeadline,
    work: Coroutine[Any, Any, Value],
    *,
    name: str,
    signal: CancelSignal,
    tasks: TaskTracker,
) -> Value:
    """What `work` returns, in a task of its own that can be left behind.

    Raises:
        RunTimedOut: the deadline passed; the work was cancelled, or left to `tasks`.
        asyncio.CancelledError: the caller was cancelled; the work was cancelled with it.
    """
    task = tasks.start(work, name=name)
    try:
        while not task.done():
            if deadline.remaining_s == 0.0:
                signal.cancel("deadline")
                raise RunTimedOut(was_left=not await _stopped(task))
            await _wait(task, deadline)
    except asyncio.CancelledError:
        signal.cancel("aborted")
        await _stopped(task)
        raise
    result: Value = task.result()
    return result


async def _wait(task: "asyncio.Task[Any]", deadline: RunDeadline) -> None:
    change = asyncio.ensure_future(deadline.changed())
    try:
        await asyncio.wait(
            {task, change},
            timeout=deadline.remaining_s,
            return_when=asyncio.FIRST_COMPLETED,
        )
    finally:
        change.cancel()


async def _stopped(task: "asyncio.Task[Any]") -> bool:
    task.cancel()
    done, _ = await asyncio.wait({task}, timeout=GRACE_S)
    return bool(done)
