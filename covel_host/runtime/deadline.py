"""The time limit of a whole run, and what becomes of a run that does not stop."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
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

    What a streamed reply spends writing, and a call waiting for its turn, is left out
    (spec/models.md 4.4).
    """

    def __init__(self, limit_s: float, clock: Clock) -> None:
        self._clock = clock
        self._ends_at = clock.monotonic() + limit_s
        self._left_out_since: float | None = None
        self._told: Callable[[], None] | None = None

    @contextmanager
    def model_call(self) -> Iterator[None]:
        """The time of one model call; from `wrote` on it does not count."""
        try:
            yield
        finally:
            self._count_again()

    def wrote(self) -> None:
        """The model has begun, or goes on, to write."""
        if self._left_out_since is None:
            self._left_out_since = self._clock.monotonic()
            self._tell()

    def waiting(self, is_waiting: bool) -> None:
        """The run begins to wait for a turn among the model calls at once, or its turn has come.

        That time is this host's own and does not count (spec/models.md 4.4).
        """
        if is_waiting:
            self.wrote()
        else:
            self._count_again()

    def _count_again(self) -> None:
        if self._left_out_since is not None:
            self._ends_at += self._clock.monotonic() - self._left_out_since
            self._left_out_since = None
            self._tell()

    def extend(self, seconds: float) -> None:
        """Leave out time that was spent waiting for the turn of a call (spec/models.md 4.4)."""
        self._ends_at += seconds
        self._tell()

    @property
    def remaining_s(self) -> float | None:
        """Seconds left; `None` while time does not count."""
        if self._left_out_since is not None:
            return None
        return max(self._ends_at - self._clock.monotonic(), 0.0)

    def tell(self, told: Callable[[], None] | None) -> None:
        """Call `told`, and nothing else, whenever counting stops, starts or is extended."""
        self._told = told

    def _tell(self) -> None:
        if self._told is not None:
            self._told()


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
    """Return when the work has ended, its time is over, or it counts in another way."""
    loop = asyncio.get_running_loop()
    over = loop.create_future()

    def end(_: object = None) -> None:
        if not over.done():
            over.set_result(None)

    deadline.tell(end)
    task.add_done_callback(end)
    remaining_s = deadline.remaining_s
    timer = None if remaining_s is None else loop.call_later(remaining_s, end)
    try:
        await over
    finally:
        if timer is not None:
            timer.cancel()
        task.remove_done_callback(end)
        deadline.tell(None)


async def _stopped(task: "asyncio.Task[Any]") -> bool:
    task.cancel()
    done, _ = await asyncio.wait({task}, timeout=GRACE_S)
    return bool(done)
