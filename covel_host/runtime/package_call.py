"""Calling a handler or a guard, and what it means when it raises."""

import inspect
import logging
import traceback
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from covel_host.base.author_calls import AuthorCall, AuthorRaised, told_apart
from covel_host.base.error_texts import error_text, tool_error_of, unexpected_cause
from covel_host.base.errors import HostError
from covel_host.base.tasks import TaskTracker
from covel_host.manifest.reading import RuntimeReading
from covel_host.runtime.result import RunFailure
from covel_host.runtime.run import PackageFunction
from covel_host.trace.concealed_logs import log_failure

Value = TypeVar("Value")

_LOG = logging.getLogger(__name__)


class PackageCall:
    """One call of a handler or guard, made within a task of its own.

    A plain function runs in a thread that never keeps the process alive. It cannot be stopped: once
    its run is over, `tasks` knows of it until it ends (spec/decisions.md 1).
    """

    def __init__(self, function: PackageFunction, *, name: str, tasks: TaskTracker) -> None:
        self._function = function
        self._name = name
        self._tasks = tasks
        self._call: AuthorCall | None = None

    @property
    def is_left(self) -> bool:
        """Whether the function still runs in its thread."""
        return self._call is not None and self._call.is_left

    async def returned(self, context: object) -> object:
        """What the function returns for `context`.

        Raises:
            AuthorRaised: it raised, also what would end the process.
            asyncio.CancelledError: the task was cancelled.
        """
        self._call = AuthorCall(
            lambda: self._function(context),
            name=self._name,
            is_async=inspect.iscoroutinefunction(self._function),
            tasks=self._tasks,
        )
        value = await self._call.returned()
        return await told_apart(lambda: value) if inspect.isawaitable(value) else value


async def read_apart(begin: Callable[[], Awaitable[Value]]) -> Value:
    """What the host makes of what package code returned; its objects run code of their own.

    Raises:
        HostError: the host's own word on what was returned.
        AuthorRaised: the returned objects raised.
        asyncio.CancelledError: the task was cancelled.
    """
    try:
        value: Value = await told_apart(begin)
    except AuthorRaised as raised:
        if isinstance(raised.error, HostError):
            raise raised.error from raised.error.__cause__
        raise
    return value


def failure_of(error: BaseException, reading: RuntimeReading, *, noun: str) -> RunFailure:
    """What an error raised by the `noun` of a runtime means for its run; see `raised_failure`."""
    subject = f"The {noun} of {reading.runtime_id!r}"
    return raised_failure(error, subject, root=_package_root(reading))


def raised_failure(error: BaseException, subject: str, *, root: Path) -> RunFailure:
    """What an error raised by `subject`, code of the package in the folder `root`, means.

    A `ToolError` and a `TimeoutError` say themselves what is wrong. Anything else is unexpected:
    people get its first line and where in the package it was raised, the log its cause.
    """
    told = tool_error_of(error)
    if told is not None:
        return RunFailure(told.code, told.message, told.hint)
    if isinstance(error, TimeoutError):
        return RunFailure("timeout", f"{subject} timed out.")
    text = _text_of(error).replace(f"{root}/", "")
    message = f"{subject} failed: {unexpected_cause(text)}"
    place = _place(error, root)
    log_failure(_LOG, "%s%s", message, "" if place is None else f" ({place})", cause=error)
    return RunFailure("internal", message, None if place is None else f"Raised at {place}.")


def _text_of(error: BaseException) -> str:
    name, text = type(error).__name__, error_text(error)
    return text if isinstance(error, SystemExit) or text.startswith(name) else f"{name}: {text}"


def _place(error: BaseException, root: Path) -> str | None:
    """The last line of the package's own code that the error passed, such as `server/a.py:7`."""
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        path = Path(frame.f_code.co_filename)
        if path.is_relative_to(root):
            return f"{path.relative_to(root).as_posix()}:{line}"
    return None


def _package_root(reading: RuntimeReading) -> Path:
    """The folder that `reading.file` is relative to."""
    below = reading.file.count("/")
    return reading.folder if below == 0 else reading.folder.parents[below - 1]
