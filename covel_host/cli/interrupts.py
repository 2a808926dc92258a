"""Signals, such as Ctrl-C, as something that a command decides about."""

import asyncio
import contextlib
import signal
from collections.abc import Callable, Iterator


def on_interrupt(handle: Callable[[], object]) -> contextlib.AbstractContextManager[None]:
    """Inside, Ctrl-C calls `handle`, where the platform lets a loop have signals."""
    return on_signal(signal.SIGINT, handle)


@contextlib.contextmanager
def on_signal(number: signal.Signals, handle: Callable[[], object]) -> Iterator[None]:
    """Inside, that signal calls `handle` in the running loop, where the platform lets it."""
    loop = asyncio.get_running_loop()
    try:
        loop.add_signal_handler(number, handle)
    except (NotImplementedError, RuntimeError, ValueError):
        yield
        return
    try:
        yield
    finally:
        loop.remove_signal_handler(number)
