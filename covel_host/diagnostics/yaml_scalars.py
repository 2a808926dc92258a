"""What an unquoted YAML scalar means: the YAML 1.2 core schema and nothing else.

`no`, `on`, `12:30` and `2024-01-02` are texts here; YAML 1.1 made booleans, base-60 numbers and
dates of them (design/dependencies.md, row YAML).
"""

import math
import re
from typing import Final

NULLS: Final = frozenset({"", "~", "null", "Null", "NULL"})
TRUTH: Final = {
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}
# The interpreter refuses to print integers of more than 4,300 digits; no manifest needs a hundred.
MAX_NUMBER_LENGTH: Final = 1000

_DECIMAL = re.compile(r"[-+]?[0-9]+")
_OCTAL = re.compile(r"0o[0-7]+")
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
OLD_TRUTH: Final = {"yes": "true", "on": "true", "no": "false", "off": "false"}
"""Words that YAML 1.1 read as truth values, in lowercase, and what they are today."""
BASE_SIXTY: Final = re.compile(r"[-+]?[0-9]+(?::[0-5]?[0-9])+(?:\.[0-9]*)?")
"""What YAML 1.1 read as a number to base 60."""
_NUMBER_STARTS: Final = frozenset("-+.0123456789")


class NumberRefused(ValueError):
    """A scalar that is a number JSON cannot carry; the message says why."""


def plain_scalar(text: str) -> object:
    """The value of the unquoted scalar `text`.

    Raises:
        NumberRefused: The number is infinite, not a number, or longer than `MAX_NUMBER_LENGTH`.
    """
    if text in NULLS:
        return None
    if text in TRUTH:
        return TRUTH[text]
    if text[0] not in _NUMBER_STARTS:
        return text
    return _number(text)


def _number(text: str) -> object:
    if _NOT_FINITE.fullmatch(text):
        raise NumberRefused(f"{text} is not a finite number")
    if (
        not _FLOAT.fullmatch(text)
        and not _OCTAL.fullmatch(text)
        and not _HEXADECIMAL.fullmatch(text)
    ):
        return text
    if len(text) > MAX_NUMBER_LENGTH:
        raise NumberRefused(
            f"a number has {len(text)} characters, at most {MAX_NUMBER_LENGTH} are read"
        )
    if _DECIMAL.fullmatch(text):
        return int(text)
    if text.startswith(("0o", "0x")):
        return int(text, 0)
    number = float(text)
    if math.isinf(number):
        raise NumberRefused(f"{text[:60]} is too large for a number")
    return number
