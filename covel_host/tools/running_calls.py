"""The calls that are under way, and their common end when the executor closes."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from covel_host.base.cancel_signal import CancelSignal
from covel_host.tools.calls import CallError


@dataclass(slots=True, eq=False)
class _RunningCall:
    tool_name: str
    task: "asyncio.Task[object]"
    is_interrupted: bool = False


class RunningCalls:
    """Knows every call from its start to its end."""

    def __init__(self) -> None:
        self._calls: set[_RunningCall] = set()
        self._closing = CancelSignal()
        self._idle = asyncio.Event()

    @property
    def is_closed(self) -> bool:
        """Whether no more calls are taken."""
        return self._closing.cancelled

    @contextmanager
    def running(self, tool_name: str, *, above: CancelSignal) -> Iterator[CancelSignal]:
        """The time of one call, with the call's own signal.

        Raises:
            CallError: `cancelled`, when the executor closed meanwhile.
            asyncio.CancelledError: the caller was cancelled, even if the tool swallowed it: what
                it returned comes too late.
        """
        signal = CancelSignal()
        signal.follow(above)
        signal.follow(self._closing)
        task = asyncio.current_task()
        assert task is not None
        call = _RunningCall(tool_name, task)
        self._calls.add(call)
        try:
            yield signal
            if task.cancelling():
                raise asyncio.CancelledError
            if above.cancelled:
                raise CallError("cancelled", f'The call of "{tool_name}" was cancelled.')
        except asyncio.CancelledError:
            signal.cancel("cancelled")
            if call.is_interrupted and task.uncancel() == 0:
                raise CallError(
                    "cancelled", f'The call of "{tool_name}" was cancelled: the host is closing.'
                ) from None
            raise
        finally:
            self._calls.discard(call)
            if not self._calls:
                self._idle.set()

    async def close(self, *, budget_s: float) -> tuple[str, ...]:
        """Take no more calls and cancel those under way; the tools that did not end in time."""
        self._closing.cancel("closing")
        for call in self._calls:
            if not call.is_interrupted:
                call.is_interrupted = True
                call.task.cancel()
        if self._calls:
            self._idle.clear()
            try:
                async with asyncio.timeout(budget_s):
                    await self._idle.wait()
            except TimeoutError:
                pass
        return tuple(sorted(f"tool {call.tool_name}" for call in self._calls))
