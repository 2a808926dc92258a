"""The text of one agent run as it is shown while it comes (spec/execution.md 5.10)."""

from typing import Final

from covel_host.runtime.run import TextSink

_BETWEEN: Final = "\n\n"
"""What stands between the parts of a story in its final text."""


class ShownText:
    """A sink that lets what was kept stay when a later draft is dropped."""

    def __init__(self, sink: TextSink) -> None:
        self._sink = sink
        self._kept = ""

    async def __call__(self, text: str, is_reset: bool) -> None:
        """Show the next piece; with `is_reset` drop the draft, so that only what is kept stays."""
        await self._sink(text, is_reset)
        if is_reset and self._kept:
            await self._sink(self._kept, False)

    async def keep(self, text: str) -> None:
        """Everything so far, `text` last, is no draft: another part of the story follows it."""
        self._kept += f"{text}{_BETWEEN}"
        await self._sink(_BETWEEN, False)


async def unseen(text: str, is_reset: bool) -> None:
    """A sink for text that no player reads while it comes."""
