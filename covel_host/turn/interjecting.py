"""Whose story is being told right now, and what players add to it (spec/execution.md 5.9)."""

from typing import Final

from covel_host.base.clock import Clock
from covel_host.base.ids import IdSource
from covel_host.base.json_text import JsonValueError, json_copy
from covel_host.base.unicode_text import shows_something
from covel_host.runtime.interjections import Interjection, InterjectionQueue
from covel_host.turn.errors import RequestRefused

MAX_WAITING: Final = 16
MAX_CHARACTERS: Final = 20_000


class SessionInterjections:
    """The queues of the executions of one process, by session."""

    def __init__(self, *, ids: IdSource, clock: Clock) -> None:
        self._ids = ids
        self._clock = clock
        self._queues: dict[str, InterjectionQueue] = {}

    def open(self, session_id: str, *, queue: InterjectionQueue | None = None) -> InterjectionQueue:
        """The queue of an execution that tells a story; the session's lock is held.

        It is `queue` where one is given, which is empty.
        """
        opened = self._queues[session_id] = InterjectionQueue() if queue is None else queue
        return opened

    def close(self, session_id: str) -> None:
        """The session's execution is over."""
        queue = self._queues.pop(session_id, None)
        if queue is not None:
            queue.close()

    def put(self, session_id: str, text: str) -> Interjection:
        """Let a player's message wait for the next model call of the session's story.

        Raises:
            RequestRefused: `interjection-invalid`; `nothing-to-interject` when no story is being
                told, or it has been told to its end; `too-many-interjections`.
        """
        _check(text)
        queue = self._queues.get(session_id)
        if queue is None or not queue.is_open:
            raise RequestRefused(
                f"No story of {session_id!r} is being told right now.",
                code="nothing-to-interject",
                hint="Say it as a turn of its own.",
            )
        if len(queue) >= MAX_WAITING:
            raise RequestRefused(
                f"{MAX_WAITING} interjections of {session_id!r} wait already.",
                code="too-many-interjections",
            )
        interjection = Interjection(self._ids.new("message"), text, self._clock.now())
        queue.put(interjection)
        return interjection


def _check(text: str) -> None:
    if not (len(text) <= MAX_CHARACTERS and shows_something(text)):
        raise RequestRefused(
            f"The interjection has {len(text)} characters; expected 1 to {MAX_CHARACTERS}, and "
            "not only spaces and invisible ones.",
            code="interjection-invalid",
        )
    try:
        json_copy(text)
    except JsonValueError as error:
        raise RequestRefused(
            f"The interjection cannot be stored as JSON: {error}.", code="interjection-invalid"
        ) from error
