"""Text of a file with offsets turned into lines and columns."""

import re
from bisect import bisect_right
from collections.abc import Callable
from functools import cached_property
from typing import TypeAlias

from covel_host.diagnostics.diagnostic import Span, TextEdit

# The three line ends an editor shows as one; YAML's further breaks (NEL, LS, PS) are left out on
# purpose, since no editor counts them as lines.
_LINE_END = re.compile(r"\r\n|\n|\r")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")


def split_lines(text: str) -> list[str]:
    """The lines of `text`, each with its own line end; the last one may have none."""
    return _LINE.findall(text)


class SourceText:
    """The text of one file and the places in it; lines end with LF, CRLF or CR, also mixed.

    Offsets count characters from 0 into `text`, lines and columns count characters from 1. Offsets
    outside the text are moved to its nearer end. A byte-order mark at the start takes no column.
    The line table is built on first use, so that a file without problems never pays for it.
    """

    __slots__ = ("__dict__", "text")

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _starts(self) -> list[int]:
        first = 1 if self.text.startswith("\ufeff") else 0
        return [first, *(match.end() for match in _LINE_END.finditer(self.text))]

    @property
    def line_count(self) -> int:
        """Number of lines; a text that ends with a line end has an empty last line."""
        return len(self._starts)

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of the character at `offset`."""
        inside = min(max(offset, self._starts[0]), len(self.text))
        index = bisect_right(self._starts, inside) - 1
        return index + 1, inside - self._starts[index] + 1

    def span(self, start: int, end: int) -> Span:
        """The stretch from offset `start` up to, not including, offset `end`."""
        line, column = self.position(start)
        end_line, end_column = self.position(max(start, end))
        return Span(line, column, end_line, end_column)

    def edit(self, file: str, start: int, end: int, replacement: str) -> TextEdit:
        """The edit of this text, which is that of `file`, from offset `start` up to `end`."""
        return TextEdit(file, start, end, replacement, self.span(start, end))

    def line_text(self, line: int) -> str:
        """The text of `line` without its line end; empty for a line that does not exist."""
        if not 1 <= line <= len(self._starts):
            return ""
        start = self._starts[line - 1]
        stop = self._starts[line] if line < len(self._starts) else len(self.text)
        return self.text[start:stop].rstrip("\r\n")


SourceLookup: TypeAlias = Callable[[str, str], SourceText | None]
"""From plugin and file to the text of that file, `None` where it is not at hand."""
