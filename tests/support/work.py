"""How much work something is, counted rather than timed: a machine's speed decides no test."""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import pytest

HANG_S = 60


def calls_of(work: Callable[[], object]) -> int:
    """How many calls of functions, of Python's own too, `work` makes in this thread."""
    count = 0

    def counted(_frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


@contextmanager
def hang_guard() -> Iterator[None]:
    """What runs inside fails after a minute of processor time in place of running for hours."""

    def end(_signal: int, _frame: FrameType | None) -> None:
        pytest.fail(f"This takes more than {HANG_S} s of processor time.")

    before = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, HANG_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
