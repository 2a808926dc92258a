"""The calls that are under way, and their common end when the executor closes."""

import asyncio
from types import TracebackType

from covel_host.base.cancel_signal import CancelSignal
from covel_host.tools.calls import CallError


class RunningCalls:
    """Knows every call from its start to its end."""

    def __init__(self) -> None:
        self._calls: set[RunningCall] = set()
        self._is_closed = False
        self._idle = asyncio.Event()

    @property
    def is_closed(self) -> bool:
        """Whether no more calls are taken."""
        return self._is_closed

    def running(self, tool_name: str, *, above: CancelSignal) -> "RunningCall":
        """The time of one call, to be entered at once, with the call's own signal.

        At its end, if the tool has not failed:

        Raises:
            CallError: `cancelled`, when the executor closed meanwhile.
            asyncio.CancelledError: the caller was cancelled, even if the tool swallowed it: what
                it returned comes too late.
        """
        task = asyncio.current_task()
        assert task is not None
        return RunningCall(self, tool_name, task, above)

    def add(self, call: "RunningCall") -> None:
        """Know `call` from now on."""
        self._calls.add(call)

    def discard(self, call: "RunningCall") -> None:
        """Know `call` no more."""
        self._calls.discard(call)
        if self._is_closed and not self._calls:
            self._idle.set()

    async def close(self, *, budget_s: float) -> tuple[str, ...]:
        """Take no more calls and cancel those under way; the tools that did not end in time."""
        self._is_closed = True
        for call in self._calls:
            call.signal.cancel("closing")
            call.interrupt()
        if self._calls:
            self._idle.clear()
            try:
                async with asyncio.timeout(budget_s):
                    await self._idle.wait()
            except TimeoutError:
                pass
        return tuple(sorted(f"tool {call.tool_name}" for call in self._calls))


class RunningCall:
    """One call under way; a context manager of its own, as one made of a generator is slow."""

    __slots__ = ("_above", "_calls", "_is_interrupted", "_task", "signal", "tool_name")

    def __init__(
        self,
        calls: RunningCalls,
        tool_name: str,
        task: "asyncio.Task[object]",
        above: CancelSignal,
    ) -> None:
        self.tool_name = tool_name
        self.signal = CancelSignal()
        self._calls = calls
        self._task = task
        self._above = above
        self._is_interrupted = False

    def __enter__(self) -> CancelSignal:
        self.signal.follow(self._above)
        self._calls.add(self)
        return self.signal

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._calls.discard(self)
        if error is None:
            if self._task.cancelling():
                self._cancelled()
                raise asyncio.CancelledError
            if self._above.cancelled:
                raise CallError("cancelled", f'The call of "{self.tool_name}" was cancelled.')
        elif isinstance(error, asyncio.CancelledError):
            self._cancelled()

    def interrupt(self) -> None:
        """Cancel the call because the executor closes; once."""
        if not self._is_interrupted:
            self._is_interrupted = True
            self._task.cancel()

    def _cancelled(self) -> None:
        self.signal.cancel("cancelled")
        if self._is_interrupted and self._task.uncancel() == 0:
            raise CallError(
                "cancelled", f'The call of "{self.tool_name}" was cancelled: the host is closing.'
            ) from None
