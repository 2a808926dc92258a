"""The lines of a file around a problem, with a caret line that fits what a terminal shows."""

import unicodedata
from typing import Final

from covel_host.diagnostics.diagnostic import Span
from covel_host.diagnostics.source import SourceText

# One terminal line; longer source lines are cut around the place.
MAX_WIDTH: Final = 96
_TAB: Final = "    "
_CUT: Final = "…"


def excerpt_lines(source: SourceText | None, span: Span | None) -> list[str]:
    """The first line of `span` with its number and carets below; empty when there is no place."""
    if source is None or span is None or span.line > source.line_count:
        return []
    text = source.line_text(span.line)
    stop = span.end_column if span.end_line == span.line else len(text) + 1
    before, marked, after = _window(text, span.column - 1, max(stop - 1, span.column - 1))
    number = str(span.line)
    gutter = " " * len(number)
    carets = "^" * max(_width(marked), 1)
    return [
        f" {gutter} |",
        f" {number} | {before}{marked}{after}".rstrip(),
        f" {gutter} | {' ' * _width(before)}{carets}",
    ]


def _window(text: str, start: int, stop: int) -> tuple[str, str, str]:
    """Text before, inside and after the place, together at most about `MAX_WIDTH` wide."""
    # A line can be megabytes long; more than a window of it is never looked at.
    text, start, stop = _near(text, start, stop)
    before, marked, after = (_shown(part) for part in (text[:start], text[start:stop], text[stop:]))
    if _width(before) + _width(marked) + _width(after) <= MAX_WIDTH:
        return before, marked, after
    if _width(before) > MAX_WIDTH // 2:
        before = _CUT + _tail(before, MAX_WIDTH // 2)
    marked = _head(marked, MAX_WIDTH - _width(before) - 1)
    room = MAX_WIDTH - _width(before) - _width(marked)
    if _width(after) > room:
        after = _head(after, max(room - 1, 0)) + _CUT
    return before, marked, after


def _near(text: str, start: int, stop: int) -> tuple[str, int, int]:
    """`text` cut to a few windows around the place, and the place in it."""
    first = max(start - 2 * MAX_WIDTH, 0)
    last = min(stop, start + 2 * MAX_WIDTH)
    return text[first : last + 2 * MAX_WIDTH], start - first, last - first


def _shown(text: str) -> str:
    """`text` with tabs widened and characters that would disturb a terminal replaced."""
    if text.isprintable():
        return text
    return "".join(
        _TAB if char == "\t" else char if char.isprintable() else "\ufffd" for char in text
    )


def _head(text: str, width: int) -> str:
    taken = 0
    for index, char in enumerate(text):
        taken += _char_width(char)
        if taken > width:
            return text[:index]
    return text


def _tail(text: str, width: int) -> str:
    return _head(text[::-1], width)[::-1]


def _width(text: str) -> int:
    return len(text) if text.isascii() else sum(map(_char_width, text))


def _char_width(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
