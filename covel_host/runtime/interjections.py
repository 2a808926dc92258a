"""What a player adds while a story is told (spec/execution.md 5.9)."""

from collections import deque
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Interjection:
    """One message of the player; it is stored under `message_id` if the story took it up."""

    message_id: str
    text: str
    at: datetime


class InterjectionQueue:
    """The interjections of one execution, until its narrative is over.

    `is_open` says whether one that is put here can still be taken up.
    """

    def __init__(self) -> None:
        self._waiting: deque[Interjection] = deque()
        self.is_open = True

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, interjection: Interjection) -> None:
        """Let it wait for the next model call."""
        self._waiting.append(interjection)

    def take(self) -> tuple[Interjection, ...]:
        """Those that wait, in order; they wait no more."""
        taken = tuple(self._waiting)
        self._waiting.clear()
        return taken

    def close(self) -> None:
        """Take up none any more; those that still wait are withdrawn."""
        self.is_open = False
        self._waiting.clear()
