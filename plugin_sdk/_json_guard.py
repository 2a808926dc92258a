"""Finding numbers in JSON text that JSON does not have, without a second parse of good text."""

import json
import math
import re
from typing import NoReturn

# Only an exponent of three digits or a run of some 200 digits can exceed a float, so these cheap
# signs decide whether the exact look is needed. Two patterns with a literal first character are
# five times as fast as one with a class.
_BIG_EXPONENT = re.compile(r"e[+\d]\d\d")
_BIG_CAPITAL_EXPONENT = re.compile(r"E[+\d]\d\d")
_WINDOW = 100


class _NotFiniteError(Exception):
    pass


def non_finite_number(text: str) -> str | None:
    """The first `NaN`, `Infinity`, `-Infinity` or overflowing number in `text`, else None.

    Text that is not JSON gives None: the parser says better what is wrong with it.
    """
    if not _is_suspicious(text):
        return None
    try:
        json.loads(text, parse_constant=_refuse, parse_float=_finite)
    except _NotFiniteError as error:
        return str(error)
    except (ValueError, RecursionError):
        return None
    return None


def _is_suspicious(text: str) -> bool:
    return (
        "NaN" in text
        or "Infinity" in text
        or ("e" in text and _BIG_EXPONENT.search(text) is not None)
        or ("E" in text and _BIG_CAPITAL_EXPONENT.search(text) is not None)
        or (len(text) >= 2 * _WINDOW and _has_long_number(text))
    )


def _has_long_number(text: str) -> bool:
    # A run of 200 digits covers at least one whole window.
    for start in range(0, len(text), _WINDOW):  # noqa: SIM110 - a generator costs twice as much
        if text[start : start + _WINDOW].isdigit():
            return True
    return False


def _refuse(token: str) -> NoReturn:
    raise _NotFiniteError(token)


def _finite(token: str) -> float:
    number = float(token)
    if math.isinf(number):
        _refuse(token if len(token) <= 40 else f"{token[:39]}…")
    return number
