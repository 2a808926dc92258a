"""How many sub-agents one execution may run (spec/decisions.md 4)."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from plugin_sdk.errors import ToolError

MAX_AT_ONCE: Final = 8
MAX_PER_EXECUTION: Final = 32
MAX_CHARACTERS: Final = 16


class SubagentLimits:
    """Counts the sub-agents of one execution, whichever of its runs start them."""

    def __init__(self) -> None:
        self._running = 0
        self._begun = 0
        self._characters = 0

    @contextmanager
    def running(self, *, is_character: bool) -> Iterator[None]:
        """Count one sub-agent for as long as it runs; nothing ever waits for a place.

        Raises:
            ToolError: `unavailable`, there is no place for it.
        """
        self._check(is_character=is_character)
        self._running += 1
        self._begun += 1
        self._characters += is_character
        try:
            yield
        finally:
            self._running -= 1

    def _check(self, *, is_character: bool) -> None:
        if self._running >= MAX_AT_ONCE:
            raise ToolError(
                "unavailable",
                f"{MAX_AT_ONCE} sub-agents are running, and no more may run at once.",
                hint="Ask again when one of them has ended.",
            )
        if self._begun >= MAX_PER_EXECUTION:
            raise ToolError(
                "unavailable",
                f"This execution has run {MAX_PER_EXECUTION} sub-agents, which is its limit.",
                hint="Go on without another one.",
            )
        if is_character and self._characters >= MAX_CHARACTERS:
            raise ToolError(
                "unavailable",
                f"This execution has asked {MAX_CHARACTERS} characters, which is its limit.",
                hint="Go on without another one.",
            )
