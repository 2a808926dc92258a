"""Text broken between words while it comes, for a terminal that would break it anywhere. Pure."""

from collections.abc import Callable
from typing import Final

from covel_host.cli.cells import cells

_NO_START: Final = frozenset(",.;:!?)]}…—'\"’”，。、；：！？）】》〉」』〕％～·")
_NO_END: Final = frozenset("([{‘“（【《〈「『〔")
"""What no row begins with, and none ends with; the quotes of Chinese are those of English."""


class WordWrap:
    """Breaks rows at `columns`; wide characters, which have no spaces, are words of their own.

    The word under way is held back until it is known where it ends.
    """

    def __init__(self, columns: Callable[[], int]) -> None:
        self._columns = columns
        self._column = 0
        self._spaces = ""
        self._word = ""

    def feed(self, text: str) -> str:
        """What of the text so far can be written."""
        return "".join(map(self._take, text))

    def flush(self) -> str:
        """The word under way; what follows goes on in the same row."""
        placed = self._placed() + self._spaces
        self._column += len(self._spaces)
        self._spaces = ""
        return placed

    def begin(self) -> None:
        """The cursor stands at the start of a row; nothing is held back."""
        self._column, self._spaces, self._word = 0, "", ""

    def _take(self, char: str) -> str:
        if char == "\n":
            placed = self._placed()
            self.begin()
            return placed + char
        if char in " \t":
            placed = self._placed()
            self._spaces += " "
            return placed
        placed = self._placed() if self._may_part(char) else ""
        self._word += char
        return placed

    def _may_part(self, char: str) -> bool:
        """Whether a row may end between the word under way and `char`."""
        if not self._word or char in _NO_START or self._word[-1] in _NO_END:
            return False
        return cells(char) == 2 or cells(self._word[-1]) == 2

    def _placed(self) -> str:
        word, spaces = self._word, self._spaces
        if not word:
            return ""
        self._word = self._spaces = ""
        width, columns = cells(word), self._columns()
        if self._column and self._column + len(spaces) + width > columns:
            self._column = width % columns
            return f"\n{word}"
        self._column = (self._column + len(spaces) + width - 1) % columns + 1
        return spaces + word


def wrapped(text: str, columns: Callable[[], int]) -> str:
    """A whole text, broken between words."""
    wrap = WordWrap(columns)
    return wrap.feed(text) + wrap.flush()
