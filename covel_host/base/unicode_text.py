"""Text that can be stored, and text that shows anything."""

import unicodedata
from typing import Final

# Letters, marks and symbols that show nothing on their own: fillers, joiners, variation selectors.
_BLANKS: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0") | frozenset(
    map(chr, range(0xFE00, 0xFE10))
)


def storable_text(text: str) -> str:
    """`text` with each lone surrogate replaced by U+FFFD; two that make a character are joined.

    UTF-8 has no form for lone surrogates. Models and operating systems hand out such text: a broken
    escape in a reply, a file name that is not UTF-8.
    """
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def shows_something(text: str) -> bool:
    """Whether `text` has a character that is neither white space nor invisible.

    Control and format characters, such as U+200B, show nothing by themselves.
    """
    return any(
        not char.isspace()
        and char not in _BLANKS
        and unicodedata.category(char) not in ("Cc", "Cf")
        for char in text
    )
