"""Calling what an author wrote: within a limit, told apart from the host, left behind when late."""

import asyncio
import inspect
import signal
import threading
from collections.abc import Awaitable, Callable
from functools import partial
from types import CodeType
from typing import Any

from covel_host.base.daemon_threads import run_in_daemon_thread
from covel_host.base.tasks import TaskTracker


class AuthorRaised(Exception):
    """Author's code raised `error`, also what would end the process; nobody cancelled the call."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(type(error).__name__)
        self.error = error


class AuthorLate(Exception):
    """Author's code did not end within its limit and was left behind."""


class AuthorCall:
    """One call of a function that an author wrote; `returned` is awaited once.

    `begin` calls it. An async function runs on the loop: in place, or with a limit in a task of its
    own, which is cancelled when the limit is over. A plain one runs in a thread that never keeps
    the process alive and that nothing can stop. What is left behind stays known to `tasks`, and
    what it gives later is dropped (spec/decisions.md 1).
    """

    __slots__ = ("_begin", "_is_async", "_name", "_task", "_tasks")

    def __init__(
        self, begin: Callable[[], Any], *, name: str, is_async: bool, tasks: TaskTracker
    ) -> None:
        self._begin = begin
        self._name = name
        self._is_async = is_async
        self._tasks = tasks
        self._task: asyncio.Task[Any] | None = None

    @property
    def is_left(self) -> bool:
        """Whether the function still runs, in its thread or its task."""
        return self._task is not None and not self._task.done()

    async def returned(self, *, limit_s: float | None = None) -> Any:
        """What the function returns.

        Raises:
            AuthorRaised: it raised.
            AuthorLate: it did not end in time.
            asyncio.CancelledError: the caller was cancelled, or `tasks` was closed.
        """
        if self._is_async and limit_s is None:
            return await told_apart(self._on_loop)
        over = asyncio.get_running_loop().create_future()
        task = self._task = self._tasks.start(
            self._to_its_end(over),
            name=self._name,
            stoppable=self._is_async,
            on_end=partial(_end, over),
        )
        if limit_s is not None:
            self._tasks.limits.begin(over, limit_s)
        try:
            await over
        except asyncio.CancelledError:
            self._leave(task)
            raise
        finally:
            self._tasks.limits.end(over)
        if not task.done():
            self._leave(task)
            raise AuthorLate
        return task.result()

    async def _to_its_end(self, over: "asyncio.Future[None]") -> Any:
        begin = self._on_loop if self._is_async else self._in_thread
        try:
            return await told_apart(begin, is_thread=not self._is_async)
        finally:
            # The caller goes on in the loop's next round, not in the one after it, when it would
            # hear of the task's end.
            _end(over)

    def _leave(self, task: "asyncio.Task[Any]") -> None:
        # A thread cannot be stopped; its task stays uncancelled, so that the tracker knows of it.
        if self._is_async:
            task.cancel()

    async def _on_loop(self) -> Any:
        result = self._begin()
        return await result if inspect.isawaitable(result) else result

    async def _in_thread(self) -> Any:
        return await run_in_daemon_thread(self._begin, name=f"covel {self._name}")


def _end(over: "asyncio.Future[None]") -> None:
    if not over.done():
        over.set_result(None)


async def told_apart(begin: Callable[[], Awaitable[Any]], *, is_thread: bool = False) -> Any:
    """What the work that `begin` starts gives; what author's code raises comes as `AuthorRaised`.

    Raises:
        AuthorRaised: also for a cancellation that nobody but the code itself asked for.
        asyncio.CancelledError: the task that this runs in was cancelled.
        KeyboardInterrupt: a person's Ctrl-C; one that the code raised itself is its error.
    """
    try:
        return await begin()
    except BaseException as error:
        if not is_authors_own(error, is_thread=is_thread):
            raise
        raise AuthorRaised(error) from error


def is_authors_own(error: BaseException, *, is_thread: bool = False) -> bool:
    """Whether author's code raised `error`; if not, somebody ends the task that awaits the code."""
    if isinstance(error, asyncio.CancelledError):
        return not is_cancelled()
    if isinstance(error, KeyboardInterrupt):
        return is_thread or not _is_persons(error)
    if isinstance(error, GeneratorExit):
        # Outside a task nobody waits any more: the coroutine is being thrown away.
        return _current_task() is not None
    return True


def is_cancelled() -> bool:
    """Whether somebody has asked the current task to stop."""
    task = _current_task()
    return task is not None and task.cancelling() > 0


def _is_persons(interrupt: KeyboardInterrupt) -> bool:
    """Whether a signal raised `interrupt`, or may have; only the main thread gets signals.

    Loops have a handler of their own, which is the last that the error's traceback tells of. The
    interpreter's leaves no trace: with it, code that interrupts itself looks like a person.
    """
    if threading.current_thread() is not threading.main_thread():
        return False
    handler = signal.getsignal(signal.SIGINT)
    if handler is signal.default_int_handler:
        return True
    traceback = interrupt.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    return traceback is not None and traceback.tb_frame.f_code is _code_of(handler)


def _code_of(handler: object) -> CodeType | None:
    while isinstance(handler, partial):
        handler = handler.func
    return getattr(handler, "__code__", None)


def _current_task() -> "asyncio.Task[Any] | None":
    try:
        return asyncio.current_task()
    except RuntimeError:
        # A thread without a loop.
        return None
