"""One listener of a session's events."""

import asyncio
from collections import deque
from collections.abc import Callable, Collection
from types import TracebackType
from typing import Final

from covel_host.base.errors import HostError
from covel_host.trace.event_types import Topic
from covel_host.trace.events import SessionEvent

MAX_WAITING: Final = 1_000
"""How many events may wait for a slow listener, those it had missed among them."""

_TRACES: Final = frozenset({"trace", "hooks"})


class TooManySubscriptions(HostError):
    """A session, or this process, has as many listeners as it may."""

    def __init__(self, session_id: str) -> None:
        super().__init__(
            f"Too many listen to the events of {session_id!r}, or to those of this host.",
            code="too-many-subscriptions",
            hint="Close a subscription that is not needed any more.",
        )


class Subscription:
    """Gives events in their order (`async for`) until it is closed; made by `EventLog.subscribe`.

    A listener that falls too far behind is closed (`is_overrun`): it begins anew where it was.
    """

    def __init__(self, topics: Collection[Topic] | None, *, on_close: Callable[[], None]) -> None:
        self._topics = None if topics is None else frozenset(topics)
        self._on_close = on_close
        self._waiting: deque[SessionEvent] = deque()
        self._changed = asyncio.Event()
        self._is_closed = False
        self.is_overrun = False

    def push(self, event: SessionEvent, topic: Topic) -> None:
        """Let the event wait for the listener, if it is one of those it asked for."""
        if self._is_closed or not self.wants(topic):
            return
        if len(self._waiting) >= MAX_WAITING:
            self.is_overrun = True
            self._waiting.clear()
            self.close()
            return
        self._waiting.append(event)
        self._changed.set()

    def wants(self, topic: Topic) -> bool:
        """Whether events of the topic are asked for; frames of the system always are."""
        if topic == "system":
            return True
        return topic not in _TRACES if self._topics is None else topic in self._topics

    def close(self) -> None:
        """Take no more events; those that wait can still be read. May be called again."""
        if not self._is_closed:
            self._is_closed = True
            self._changed.set()
            self._on_close()

    def __aiter__(self) -> "Subscription":
        return self

    async def __anext__(self) -> SessionEvent:
        while not self._waiting:
            if self._is_closed:
                raise StopAsyncIteration
            self._changed.clear()
            await self._changed.wait()
        return self._waiting.popleft()

    def __enter__(self) -> "Subscription":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        place: TracebackType | None,
    ) -> None:
        self.close()
