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

    def begun(self, call: "RunningCall") -> None:
        """Know `call` from now on."""
        self._calls.add(call)

    def ended(self, call: "RunningCall") -> None:
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
    """The time of one call, entered by its task; gives the call's own signal, below the run's.

    A context manager of its own, as one made of a generator is slow. At its end, if the tool has
    not failed:

    Raises:
        CallError: `cancelled`, when the executor closed meanwhile.
        asyncio.CancelledError: the caller was cancelled, even if the tool swallowed it: what it
            returned comes too late.
    """

    __slots__ = ("_calls", "_is_interrupted", "_task", "signal", "tool_name")

    def __init__(self, calls: RunningCalls, tool_name: str, *, above: CancelSignal) -> None:
        task = asyncio.current_task()
        assert task is not None
        self.tool_name = tool_name
        self.signal = CancelSignal(above)
        self._calls = calls
        self._task = task
        self._is_interrupted = False

    def __enter__(self) -> CancelSignal:
        self._calls.begun(self)
        return self.signal

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._calls.ended(self)
        if error is None:
            if self._task.cancelling():
                self._cancelled()
                raise asyncio.CancelledError
            if self.signal.reason is not None:
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
