"""Colour for terminals, in the sixteen colours that every theme of a terminal defines."""

from collections.abc import Mapping
from typing import Final, Literal, TextIO, TypeAlias

Style: TypeAlias = Literal["error", "warning", "info", "place", "gutter", "help", "strong"]

_CODES: Final[Mapping[Style, str]] = {
    "error": "1;31",
    "warning": "1;33",
    "info": "1;34",
    "place": "36",
    "gutter": "2",
    "help": "32",
    "strong": "1",
}


def painted(text: str, style: Style, *, colour: bool) -> str:
    """`text` in the colour of `style`, or as it is without `colour`."""
    return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if colour and text else text


def wants_colour(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Whether text for `stream` is coloured: on a terminal without `NO_COLOR` and `TERM=dumb`.

    `FORCE_COLOR` colours where there is no terminal; `NO_COLOR` is stronger. An empty value counts
    as not set.
    """
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR"):
        return True
    if environment.get("TERM") == "dumb":
        return False
    try:
        return stream.isatty()
    except ValueError:
        # A closed stream is no terminal.
        return False
