"""How many tokens a text costs, estimated without a tokenizer (spec/execution.md 5.3)."""

import string
from typing import Final

_LETTERS_AND_SPACES: Final = (string.ascii_letters + " ").encode()
_DIGITS: Final = string.digits.encode()

# Hundredths of a token per character. English words take about 4.5 characters with their space,
# digits go in groups of up to three, marks mostly stand alone or in pairs.
_LETTER_COST: Final = 22
_DIGIT_COST: Final = 40
_MARK_COST: Final = 60
# UTF-8 writes Latin with accents, Greek, Cyrillic, Arabic and Hebrew in 2 bytes, Chinese, Japanese
# and Korean in 3, emoji and rare characters in 4: 0.5, 1 and 1.5 tokens.
_EXTRA_BYTE_COST: Final = 50


def estimate_tokens(text: str) -> int:
    """About how many tokens `text` costs a language model; 0 for the empty text only.

    The estimate leans to the high side: a window that is called full too early costs a little
    history, one called full too late costs the whole request. English prose comes to about 4.3
    characters per token, JSON to about 2.7, Chinese to one character per token.

    It is a sum over the characters, rounded up at the end. So it never shrinks when text is added,
    does not depend on order, and a text costs at most what its pieces cost one by one. Two passes
    at the speed of a byte copy; no request needs a cache for it.
    """
    ascii_bytes = text.encode("ascii", "ignore")
    without_letters = ascii_bytes.translate(None, _LETTERS_AND_SPACES)
    marks = len(without_letters.translate(None, _DIGITS))
    letters = len(ascii_bytes) - len(without_letters)
    digits = len(without_letters) - marks
    hundredths = letters * _LETTER_COST + digits * _DIGIT_COST + marks * _MARK_COST
    if len(ascii_bytes) < len(text):
        extra_bytes = len(text.encode("utf-8", "surrogatepass")) - len(text)
        hundredths += extra_bytes * _EXTRA_BYTE_COST
    return -(-hundredths // 100)
