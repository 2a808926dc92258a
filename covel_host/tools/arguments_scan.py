"""Places in a text that is nearly JSON: its brackets, and white space in front of the next sign.

Nothing here decides anything. Every scan walks the text once, whatever it holds: the patterns are
possessive, so an unclosed string or a long run of white space costs no second look
(seed: 模型写错的参数 JSON).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?+'
"""One JSON string; the closing quote is missing only where the text ends."""

CLOSER_OF = {"[": "]", "{": "}"}

_SIGN = re.compile(STRING + r"|[\[\]{},]|[^ \t\n\r\[\]{},\"]++", re.DOTALL)
_WHITE_SPACE = re.compile(r"[ \t\n\r]*+")


class Sign(NamedTuple):
    """One token outside strings: a bracket, a comma, a whole string, or a run of other text."""

    text: str
    offset: int


class Edit(NamedTuple):
    """Replace `length` characters at `offset` by `text`."""

    offset: int
    length: int
    text: str


def signs(text: str) -> Iterator[Sign]:
    """The tokens of `text` in order; colons and literals stand in runs of other text."""
    return (Sign(match[0], match.start()) for match in _SIGN.finditer(text))


def skip_white_space(text: str, offset: int) -> int:
    """The offset of the first character at or after `offset` that is no JSON white space."""
    match = _WHITE_SPACE.match(text, offset)
    return offset if match is None else match.end()


def edited(text: str, edits: Iterable[Edit]) -> str:
    """`text` with all `edits` made; they are in order and do not overlap."""
    parts = []
    done = 0
    for offset, length, replacement in edits:
        parts += [text[done:offset], replacement]
        done = offset + length
    return "".join([*parts, text[done:]])
