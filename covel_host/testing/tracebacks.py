"""Which frames a test's report leaves out."""

from typing import Any


def is_told(raised: Any) -> bool:
    """Whether what was raised says all by itself, so that the kit's own frames tell nothing.

    A module of the kit names it `__tracebackhide__`; pytest asks it for every frame.
    """
    return bool(raised.errisinstance(AssertionError))
